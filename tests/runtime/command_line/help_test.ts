import { expect, test } from "bun:test";
import { EXIT_CODES } from "../../../lib/runtime/command_line/exit_code.ts";
import { helpText, verbHelpText } from "../../../lib/runtime/command_line/help.ts";
import { OPTION_GROUPS, OPTIONS } from "../../../lib/runtime/command_line/options.ts";
import { VERB_OPTIONS, VERBS } from "../../../lib/runtime/command_line/verbs.ts";

test("helpText() names every option, verb and exit code, in lines of 88 characters at most", () => {
  const help = helpText();
  const wanted = [
    ...OPTIONS.map(({ name }) => `--${name}`),
    ...VERBS.map(({ name }) => name),
    ...Object.values(EXIT_CODES).map((what) => what.split(";")[0] ?? what),
  ];
  expect(wanted.filter((text) => !help.replace(/\s+/g, " ").includes(text))).toEqual([]);
  expect(help.split("\n").filter((line) => line.length > 88)).toEqual([]);
});

test("verbHelpText() shows a verb's own options and those that it shares", () => {
  const help = verbHelpText("session compact");
  expect(help).toContain("Usage: bough session compact <session> [<instructions...>]");
  expect(help).toContain("--json");
  expect(help).toContain("--model <model[:thinking]>");
  expect(help).not.toContain("--timeout");
});

test("verbHelpText() shows the verbs of a group, and knows what is none", () => {
  expect(verbHelpText("auth")).toContain("auth check <provider>");
  expect(verbHelpText("nonsense")).toBeUndefined();
});

test("the tables have no name twice, every group has an option, and no option two shapes", () => {
  const names: string[] = OPTIONS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(VERBS.map(({ name }) => name)).size).toBe(VERBS.length);
  const groups = new Set<string>(OPTIONS.map(({ group }) => group));
  expect(OPTION_GROUPS.filter((group) => !groups.has(group))).toEqual([]);
  // The parser tells options from values before it knows the verb.
  const both = VERB_OPTIONS.filter((option) => names.includes(option.name));
  const differing = both.filter((option) => {
    const run = OPTIONS.find(({ name }) => name === option.name);
    return ("value" in option) !== (run !== undefined && "value" in run);
  });
  expect(differing).toEqual([]);
});
