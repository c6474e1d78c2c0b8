import { expect, test } from "bun:test";
import {
  fitting,
  graphemes,
  roomOf,
  widthOf,
} from "../../../../lib/runtime/modes/repl/text_width.ts";

const ROWS: readonly ([string, number])[] = [
  ["", 0],
  ["plain", 5],
  ["日本語", 6],
  ["한국어", 6],
  ["ｆｕｌｌ", 8],
  ["é", 1],
  ["e\u0301", 1],
  ["👍", 2],
  ["👨‍👩‍👧‍👦", 2],
  ["🇩🇪", 2],
  ["❤️", 2],
  ["a\u200bb", 2],
  ["naïve – “quotes”", 16],
];

for (const [text, width] of ROWS) {
  test(`widthOf(${JSON.stringify(text)}) counts the columns of a terminal`, () => {
    expect(widthOf(text)).toBe(width);
  });
}

test("graphemes() keeps what a person sees as one", () => {
  expect(graphemes("a👨‍👩‍👧e\u0301🇩🇪")).toEqual(["a", "👨‍👩‍👧", "e\u0301", "🇩🇪"]);
});

test("fitting() never parts a wide character", () => {
  expect(fitting("日本語", 5)).toEqual({ text: "日本", width: 4 });
  expect(fitting("abc", 2)).toEqual({ text: "ab", width: 2 });
});

test("roomOf() reckons with terminals that show the parts of a joined emoji", () => {
  expect(["a", "é", "日", "👍", "👍🏽", "👨‍👩‍👧"].map(roomOf)).toEqual([1, 1, 2, 2, 4, 6]);
});
