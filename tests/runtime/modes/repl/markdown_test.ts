import { expect, test } from "bun:test";
import { MarkdownText } from "../../../../lib/runtime/modes/repl/markdown.ts";
import { renderRow, type Row, textOfRow } from "../../../../lib/runtime/modes/repl/styled.ts";

function rowsOf(text: string, options: { columns?: number; raw?: boolean } = {}): Row[] {
  const { columns = 40, raw = false } = options;
  const markdown = new MarkdownText({ raw });
  return [...markdown.add(text, columns), ...markdown.end(columns)];
}

const shown = (text: string, options: { columns?: number; raw?: boolean } = {}) =>
  rowsOf(text, options).map(textOfRow);

const ROWS: readonly ([string, string[]])[] = [
  ["# Title", ["Title"]],
  ["### Small ###", ["Small"]],
  ["- one\n* two\n+ three\n10. ten", ["• one", "• two", "• three", "10. ten"]],
  ["- [x] done\n- [ ] open", ["• [x] done", "• [ ] open"]],
  ["  - nested", ["  • nested"]],
  ["> quoted", ["│ quoted"]],
  ["---", ["───"]],
  ["**bold** and *it* and _so_ and `code`", ["bold and it and so and code"]],
  ["a * b * c, snake_case_name, 2**3", ["a * b * c, snake_case_name, 2**3"]],
  ["[label](https://a.b)", ["label (https://a.b)"]],
  ["```ts\nconst a = `**x**`;\n```", ["```ts", "const a = `**x**`;", "```"]],
  ["~~~\n```\n~~~", ["~~~", "```", "~~~"]],
  ["a\r\nb", ["a", "b"]],
];

for (const [text, rows] of ROWS) {
  test(`MarkdownText shows ${JSON.stringify(text)} lightly formatted`, () => {
    expect(shown(text)).toEqual(rows);
  });
}

test("MarkdownText wraps an item below its text", () => {
  expect(shown("- one two three four", { columns: 12 })).toEqual(["• one two", "  three four"]);
});

test("MarkdownText leaves a line of code whole, so that it can be copied", () => {
  const code = "x".repeat(100);
  expect(shown(`\`\`\`\n${code}\n\`\`\``)).toEqual(["```", code, "```"]);
});

test("MarkdownText leaves raw text as it is, but for its width", () => {
  const text = "# **T**\n- `a` b";
  expect(shown(text, { raw: true })).toEqual(["# **T**", "- `a` b"]);
});

test("MarkdownText gives the same rows however the text is cut up", () => {
  const text = "# T\n\nSome **bold** 日本 `code`.\n\n```sh\nls\n```\n1. a\n2. b";
  const whole = rowsOf(text).map((each) => renderRow(each, { colours: true }));
  for (const size of [1, 2, 3, 7]) {
    const markdown = new MarkdownText({ raw: false });
    const rows: Row[] = [];
    for (let at = 0; at < text.length; at += size) {
      rows.push(...markdown.add(text.slice(at, at + size), 40));
      // Looking at the open line changes nothing.
      markdown.open(40);
    }
    rows.push(...markdown.end(40));
    expect(rows.map((each) => renderRow(each, { colours: true }))).toEqual(whole);
  }
});

test("MarkdownText shows the line that is not whole yet", () => {
  const markdown = new MarkdownText({ raw: false });
  expect(markdown.add("one\ntwo **th", 40).map(textOfRow)).toEqual(["one"]);
  expect(markdown.open(40).map(textOfRow)).toEqual(["two **th"]);
  expect(markdown.add("ree**\n", 40).map(textOfRow)).toEqual(["two three"]);
});
