import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import type { AnswerErrorCode } from "../../../../lib/runtime/modes/rpc/answer.ts";
import { COMMANDS, readCommand } from "../../../../lib/runtime/modes/rpc/command.ts";
import { JsonlSessionRepo } from "../../../../lib/session/mod.ts";
import { ROOT } from "../../../support/binary.ts";
import { type RpcRecord, RpcTalk } from "../../../support/rpc_talk.ts";
import { TempDirectory } from "../../../support/temp.ts";

const PAGE = fs.readFileSync(path.join(ROOT, "docs/rpc.md"), "utf8");

/** The section of each command, by its name. */
const SECTIONS = new Map(
  (PAGE.split("## Commands\n")[1]?.split("\n## ")[0] ?? "").split("\n### ").slice(1)
    .map((section) => [section.slice(0, section.indexOf("\n")), section]),
);

function firstCells(text: string): string[] {
  return text.split("\n").filter((line) => /^\| `/.test(line))
    .map((line) => line.split("|")[1]?.trim().replaceAll("`", "") ?? "");
}

/** The command and the answer that a section shows. */
function exampleOf(section: string): [RpcRecord, RpcRecord] {
  const [, block = ""] = /```json\n([^]*?)```/.exec(section) ?? [];
  const [command = "", answer = ""] = block.split("\n");
  return [JSON.parse(command), JSON.parse(answer)];
}

test("rpc.md has a section for each command, and no other", () => {
  expect([...SECTIONS.keys()].sort()).toEqual([...COMMANDS.keys()].sort());
});

test.each([...COMMANDS])("rpc.md lists the arguments of %s", (command, names) => {
  const section = SECTIONS.get(command) ?? "";
  expect(firstCells(section).map((cell) => cell.replace("?", ""))).toEqual([...names]);
});

test("rpc.md lists each error code of rpc", () => {
  const codes: Record<AnswerErrorCode, true> = {
    bad_json: true,
    too_long: true,
    unknown_command: true,
    bad_arguments: true,
    running: true,
    idle: true,
    aborted: true,
    shutting_down: true,
    failed: true,
    bug: true,
  };
  const listed = firstCells(PAGE.split("\n## Errors\n")[1] ?? "");
  expect(listed.slice(0, -1)).toEqual(Object.keys(codes));
});

function namesIn(data: unknown): string[] {
  return Object.keys(Object(data)).sort();
}

describe("the examples of rpc.md", () => {
  test.each([...SECTIONS])("show a command and an answer to %s", (name, section) => {
    const [command, answer] = exampleOf(section);
    const line = new TextEncoder().encode(JSON.stringify(command));
    expect(readCommand(line)).toMatchObject({ kind: "command", command: name });
    expect(answer).toMatchObject({
      type: "response",
      id: `${command["id"]}`,
      command: name,
      success: true,
    });
  });

  test("are answered as they say, one after the other", async () => {
    using temp = new TempDirectory();
    const talk = new RpcTalk({
      cwd: temp.cwd,
      repo: new JsonlSessionRepo({ sessionsDir: temp.join("sessions") }),
      answers: [{ text: "word ".repeat(30_000) }, { text: "A summary." }],
    });
    const firstEntry = async () => {
      const { data } = await talk.ask({ type: "get_tree" });
      const { nodes }: { nodes: { id: string; role: string | null }[] } = Object(data);
      return nodes.find(({ role }) => role === "user")?.id;
    };
    for (const [name, section] of SECTIONS) {
      // Those need a run that goes on.
      if (name === "steer" || name === "follow_up") continue;
      const [command, expected] = exampleOf(section);
      if ("entryId" in command) command["entryId"] = await firstEntry();
      if (name === "set_model") command["modelId"] = "other";
      talk.send(command);
      const answer = await talk.record({ type: "response", id: `${command["id"]}` });
      expect(answer).toMatchObject({ command: name, success: true });
      expect([name, ...namesIn(answer["data"])]).toEqual([name, ...namesIn(expected["data"])]);
      if (name === "prompt") await talk.record({ type: "result" });
    }
    expect(await talk.finished).toBe(0);
  });
});
