import { expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { COMMAND_LIMIT_MS } from "../../../lib/runtime/extensions/runner.ts";
import { HANDLER_LIMIT_MS, LIMITS_MS } from "../../../lib/runtime/extensions/handler_calls.ts";
import { LOAD_LIMIT_MS } from "../../../lib/runtime/extensions/load.ts";
import { unregistered } from "../../../lib/runtime/extensions/registered.ts";
import { ROOT } from "../../support/binary.ts";
import { Extended } from "../../support/extended.ts";
import { TempDirectory } from "../../support/temp.ts";

const TEXT = fs.readFileSync(path.join(ROOT, "docs/extensions.md"), "utf8");

test("docs/extensions.md names each event, and no other", () => {
  const table = TEXT.slice(TEXT.search(/^\| event +\|/m), TEXT.indexOf("`another` asks"));
  const named = [...table.matchAll(/^\| (`[^|]*`) +\|/gm)]
    .flatMap(([, names = ""]) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(named.sort()).toEqual(Object.keys(unregistered("x", "x").handlers).sort());
});

test("docs/extensions.md says the limits as they are", () => {
  const prose = TEXT.replaceAll(/\s+/g, " ");
  for (
    const words of [
      `within ${LOAD_LIMIT_MS / 1000} s`,
      `longer than ${HANDLER_LIMIT_MS / 1000} s`,
      `${(LIMITS_MS.session_before_tree ?? 0) / 60_000} minutes for the two`,
      `${(LIMITS_MS.session_shutdown ?? 0) / 1000} s for \`session_shutdown\``,
      `longer than ${COMMAND_LIMIT_MS / 60_000} minutes`,
    ]
  ) expect(prose).toContain(words);
});

test("docs/extensions.md shows an extension that works", async () => {
  using temp = new TempDirectory();
  const [, code = ""] = /```ts\n([^]*?)```/.exec(TEXT) ?? [];
  await using world = await Extended.open([temp.write("ext/first.ts", code)], {
    answers: [
      { calls: [{ id: "1", name: "bash", arguments: { command: "npm publish" } }] },
      { text: "done" },
    ],
    tools: [{
      name: "bash",
      description: "Never runs here.",
      parameters: { type: "object" },
      execute: () => Promise.reject(new Error("It ran.")),
    }],
  });
  await world.live.prompt("/review please");
  expect([world.notices, (await world.branch()).slice(1)]).toEqual([[], [
    "user: Review the last commit. please",
    "assistant: ",
    "toolResult: Publishing is done by hand. Leave that to the user.",
    "assistant: done",
  ]]);
});
