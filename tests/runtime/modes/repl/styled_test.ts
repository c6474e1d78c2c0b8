import { expect, test } from "bun:test";
import {
  cutRow,
  renderRow,
  row,
  rowWidth,
  span,
  textOfRow,
  wrapRow,
} from "../../../../lib/runtime/modes/repl/styled.ts";
import { Random } from "../../../support/random.ts";

function wrapped(text: string, columns: number, hanging = ""): string[] {
  return wrapRow(row(text), columns, row(hanging)).map(textOfRow);
}

const ROWS: readonly ([string, number, string, string[]])[] = [
  ["one two three", 8, "", ["one two", "three"]],
  ["one two three", 7, "", ["one two", "three"]],
  ["- one two three", 8, "  ", ["- one", "  two", "  three"]],
  ["abcdefghij", 4, "", ["abcd", "efgh", "ij"]],
  ["日本語の文", 5, "", ["日本", "語の", "文"]],
  ["see 日本語", 8, "", ["see 日本", "語"]],
  ["", 8, "", [""]],
];

for (const [text, columns, hanging, rows] of ROWS) {
  test(`wrapRow(${JSON.stringify(text)}, ${columns}) breaks between words`, () => {
    expect(wrapped(text, columns, hanging)).toEqual(rows);
  });
}

test("wrapRow() gives rows that fit and lose nothing but blanks, whatever the text", () => {
  const random = new Random(7);
  const pieces = ["a", "word", " ", "  ", "日本", "👨‍👩‍👧", "longer-than-a-row-is", "é", "."];
  for (let round = 0; round < 500; round++) {
    const text = Array.from(
      { length: random.int(1, 20) },
      () => random.pick(pieces),
    ).join("");
    const columns = random.int(8, 24);
    const rows = wrapRow(row(text), columns, row("  "));
    expect(rows.every((each) => rowWidth(each) <= columns)).toBe(true);
    const letters = (some: string) => some.replaceAll(" ", "");
    expect(letters(rows.map(textOfRow).join(""))).toBe(letters(text));
  }
});

test("cutRow() says that something is missing", () => {
  expect(textOfRow(cutRow(row("one two three"), 8))).toBe("one two…");
  expect(textOfRow(cutRow(row("日本語"), 4))).toBe("日…");
  expect(textOfRow(cutRow([span("one"), span(" two")], 7))).toBe("one two");
});

test("span() lets no control sequence through", () => {
  const evil = span("\x1b[2J\x1b]52;c;aGk=\x07\x9b31m\r\0");
  expect(renderRow([evil], { colours: true })).toBe("␛[2J␛]52;c;aGk=␇\\x9b31m␍␀");
});

test("renderRow() writes colours, or none at all", () => {
  const styled = [span("a", { bold: true, colour: "red" }), span("b")];
  expect(renderRow(styled, { colours: true })).toBe("\x1b[1;31ma\x1b[0mb");
  expect(renderRow(styled, { colours: false })).toBe("ab");
});
