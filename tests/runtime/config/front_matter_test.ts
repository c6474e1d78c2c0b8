import { expect, test } from "bun:test";
import { parseFrontMatter } from "../../../lib/runtime/config/front_matter.ts";

const HEADS: [head: string, fields: Record<string, string>][] = [
  ["name: pdf\ndescription: Reads PDF files", { name: "pdf", description: "Reads PDF files" }],
  ["name: pdf # why\n# comment\n\nurl: http://x/#y", { name: "pdf", url: "http://x/#y" }],
  ["a: 'it''s'\nb: \"x: \\\"y\\\" \\u00e9\"", { a: "it's", b: 'x: "y" é' }],
  ["a:\nb: ", { a: "", b: "" }],
  ["a: one\n  two\n  three\nb: x", { a: "one two three", b: "x" }],
  ["a: >\n  one\n  two\n\n  three\nb: x", { a: "one two\nthree", b: "x" }],
  ["a: |-\n  one\n    two\nb: x", { a: "one\n  two", b: "x" }],
  ["tags:\n  - x\n  - y\nb: x", { tags: "- x - y", b: "x" }],
  ["tags:\n- x\n- y\nb: x", { tags: "", b: "x" }],
];

for (const [head, fields] of HEADS) {
  test(`parseFrontMatter() reads ${JSON.stringify(head)}`, () => {
    const parsed = parseFrontMatter(`---\n${head}\n---\n\nBody\n---\nmore`);
    expect({ ...parsed, fields: Object.fromEntries(parsed.fields) }).toEqual({
      fields,
      body: "Body\n---\nmore",
      problems: [],
    });
  });
}

test("parseFrontMatter() reads CRLF files", () => {
  const { fields, body } = parseFrontMatter("---\r\nname: a\r\n---\r\nBody\r\n");
  expect([fields.get("name"), body]).toEqual(["a", "Body\n"]);
});

const BAD: [text: string, problem: string][] = [
  ["---\nname: a\nBody", 'the head has no closing line of "---"'],
  ["---\nname a\n---\n", 'line 1 is not "name: value"'],
  ['---\nok: 1\nname: "a\n---\n', 'the value of "name" has unpaired quotes'],
];

for (const [text, problem] of BAD) {
  test(`parseFrontMatter() says what is wrong in ${JSON.stringify(text)}`, () => {
    expect(parseFrontMatter(text).problems).toEqual([problem]);
  });
}

test("parseFrontMatter() takes a text without a head as it is", () => {
  const text = "Text\n---\nnot a head";
  expect(parseFrontMatter(text)).toEqual({ fields: new Map(), body: text, problems: [] });
});
