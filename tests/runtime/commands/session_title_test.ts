import { expect, test } from "bun:test";
import { sessionTitle } from "../../../lib/runtime/commands/session_title.ts";

const ROWS: [what: string, name: string | undefined, firstMessage: string, title: string][] = [
  ["the name", "pie", "What is in it?", "pie"],
  ["what was said first", undefined, " What is in it?\n", "What is in it?"],
  ["what was said about data", undefined, "<stdin>\na\n\nb\n</stdin>\n\nSum it up", "Sum it up"],
  [
    "what was said about files and data",
    undefined,
    '<stdin>\nx\n</stdin>\n\n<file path="a b.md">\n# A\n</file>\n\n<file path="c">\n1\n</file>\n\nGo',
    "Go",
  ],
  [
    "data where nothing was said about it",
    undefined,
    "<stdin>\na\n</stdin>\n",
    "<stdin>\na\n</stdin>",
  ],
  ["data that is too long to see its end", undefined, "<stdin>\naaaa", "<stdin>\naaaa"],
  ["nothing where nothing was said", undefined, "\n", ""],
];

for (const [what, name, firstMessage, title] of ROWS) {
  test(`sessionTitle() is ${what}`, () => {
    expect(sessionTitle({ firstMessage, ...(name === undefined ? {} : { name }) })).toBe(title);
  });
}
