import { expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { COMMANDS } from "../../../../lib/runtime/modes/repl/commands/table.ts";
import { ROOT } from "../../../support/binary.ts";

const PAGE = fs.readFileSync(path.join(ROOT, "docs/repl.md"), "utf8");

test("docs/repl.md has each command with its parameters, in the order of the help", () => {
  const shown = Array.from(
    PAGE.matchAll(/^\| `\/(\S+?)(?: (.+?))?` +\|/gm),
    ([, name, parameters]) => ({ name, parameters: parameters?.replaceAll("\\|", "|") }),
  );
  expect(shown).toEqual(COMMANDS.map(({ name, parameters }) => ({ name, parameters })));
});

test("docs/repl.md names the commands that run while the model works", () => {
  const sentence = /While the model works, (`[^]*?) run at once/.exec(PAGE)?.[1] ?? "";
  const named = Array.from(sentence.matchAll(/`\/(\w+)`/g), ([, name]) => name);
  const anytime = COMMANDS.filter((command) => command.anytime).map(({ name }) => name);
  expect(named.sort()).toEqual(anytime.sort());
});
