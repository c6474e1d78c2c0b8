import { expect, test } from "bun:test";
import {
  expandTemplate,
  fillTemplate,
  loadPromptTemplates,
  splitArguments,
} from "../../../lib/runtime/config/prompt_templates.ts";
import { TempDirectory } from "../../support/temp.ts";

const SPLITS: [text: string, words: string[]][] = [
  ["", []],
  ["  a  b\tc\nd ", ["a", "b", "c", "d"]],
  [`"a b" 'c d' e\\ f`, ["a b", "c d", "e f"]],
  [`a"b c"d'e f'`, ["ab cde f"]],
  [`"" '' x`, ["", "", "x"]],
  [`"say \\"hi\\" \\n" 'it\\s'`, ['say "hi" \\n', "it\\s"]],
  [`'open to the end`, ["open to the end"]],
  [`"open\\`, ["open"]],
  ["größe 日本 😀", ["größe", "日本", "😀"]],
];

for (const [text, words] of SPLITS) {
  test(`splitArguments() of ${JSON.stringify(text)}`, () => {
    expect(splitArguments(text)).toEqual(words);
  });
}

const ARGS = ["one", "two words", "$1", ""];

const FILLS: [body: string, text: string][] = [
  ["$1 and $2", "one and two words"],
  ["[$9] [$0] $HOME $", "[] [$0] $HOME $"],
  ["$@ | $ARGUMENTS | ${@}", "one two words $1  | one two words $1  | one two words $1 "],
  ["${1:-x} ${4:-empty} ${7:-a b} ${7:-} ${2}", "one empty a b  two words"],
  ["${@:2} | ${@:2:1} | ${@:9} | ${@:0:1}", "two words $1  | two words |  | one"],
  ["\\$1 costs $3", "$1 costs $1"],
  ["${name} ${@:x}", "${name} ${@:x}"],
];

for (const [body, text] of FILLS) {
  test(`fillTemplate() of ${JSON.stringify(body)}`, () => {
    expect(fillTemplate(body, ARGS)).toBe(text);
  });
}

test("loadPromptTemplates() reads folders and files; the first of one name counts", () => {
  using temp = new TempDirectory();
  const fix = temp.write(
    "a/fix.md",
    "---\ndescription: Fixes\nargument-hint: <file>\n---\nFix $1.\n",
  );
  const plain = temp.write("a/plain.md", `\n  ${"é".repeat(100)}\nmore`);
  temp.write("a/note.txt", "no template");
  const hidden = temp.write("b/fix.md", "Another.");
  const single = temp.write("c/single.md", "Once.");
  const missing = temp.join("missing.md");
  const bad = temp.write("b/bad name.md", "x");
  const places = ["a", "b", "c/single.md", "missing.md", "none"].map((name) => temp.join(name));
  expect(loadPromptTemplates({ places })).toEqual({
    templates: [
      { name: "fix", description: "Fixes", argumentHint: "<file>", body: "Fix $1.\n", file: fix },
      {
        name: "plain",
        description: "é".repeat(79) + "…",
        body: `\n  ${"é".repeat(100)}\nmore`,
        file: plain,
      },
      { name: "single", description: "Once.", body: "Once.", file: single },
    ],
    warnings: [
      { file: bad, message: `Cannot use the prompt template ${bad}: its name has a blank` },
      { file: hidden, message: `The prompt template "/fix" in ${hidden} is hidden by ${fix}` },
      {
        file: missing,
        message: `Cannot use the prompt template ${missing}: there is no such file`,
      },
    ],
  });
});

test("expandTemplate() expands a call with its arguments and leaves other texts", () => {
  const template = { name: "fix", description: "", body: "Fix $1 in ${2:-all files}.", file: "" };
  const texts = ['/fix "the bug"', "/fix a b", "/fix", "/fi x", "fix a", " /fix a"];
  expect(texts.map((text) => expandTemplate(text, [template]))).toEqual([
    { kind: "expanded", text: "Fix the bug in all files." },
    { kind: "expanded", text: "Fix a in b." },
    { kind: "expanded", text: "Fix  in all files." },
    { kind: "none" },
    { kind: "none" },
    { kind: "none" },
  ]);
});
