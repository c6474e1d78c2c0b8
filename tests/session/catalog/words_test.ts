import { expect, test } from "bun:test";
import { pairsOf, rowsOf, WordReader } from "../../../lib/session/catalog/words.ts";
import { Random } from "../../support/random.ts";

/** What `WordReader.read()` should find, the plain way. */
function plainWords(text: string): string[] {
  const words = rowsOf(text).flatMap(({ text, isUnspaced }) =>
    isUnspaced ? [...pairsOf(text), [...text].at(-1) ?? ""] : [text]
  );
  return [...new Set(words)];
}

test("rowsOf() parts words at blanks and signs, and rows without blanks from others", () => {
  expect(
    rowsOf("a_b «ça» 日本x😀y हिन्दी 3.5").map(({ text, isUnspaced, at }) =>
      `${at} ${text}${isUnspaced ? " unspaced" : ""}`
    ),
  ).toEqual([
    "0 a",
    "2 b",
    "5 ça",
    "9 日本 unspaced",
    "11 x",
    "14 y",
    "16 हिन्दी",
    "23 3",
    "25 5",
  ]);
});

test("WordReader.read() gives each word once, and says which no text had before", () => {
  const reader = new WordReader();
  expect(reader.read("one two, one-three")).toEqual({
    words: "one two three ",
    fresh: ["one", "two", "three"],
  });
  expect(reader.read("two four two")).toEqual({ words: "two four ", fresh: ["four"] });
  expect(reader.read("天气 天")).toEqual({ words: "天气 气 天 ", fresh: [] });
});

test("WordReader.read() finds what the plain way finds in random texts", () => {
  const random = new Random(7);
  const parts = [
    "a",
    "b",
    "Z",
    "é",
    "e\u0301",
    " ",
    ",",
    "\n",
    "1",
    "天",
    "気",
    "カ",
    "𠀀",
    "😀",
    "\ud800",
    "\udc00",
    "ن",
    "한",
  ];
  const reader = new WordReader();
  for (let round = 0; round < 3000; round++) {
    const text = Array.from({ length: random.int(0, 14) }, () => random.pick(parts)).join("");
    expect([text, reader.read(text).words.split(" ").filter((word) => word !== "")])
      .toEqual([text, plainWords(text)]);
  }
});

test("WordReader.read() tells new words from known ones among 100,000", () => {
  const random = new Random(8);
  const known = new Set<string>();
  const reader = new WordReader();
  for (let round = 0; round < 200; round++) {
    const list = Array.from({ length: 500 }, () => random.int(0, 300_000).toString(36));
    const fresh = [...new Set(list)].filter((word) => !known.has(word));
    for (const word of list) known.add(word);
    expect(reader.read(list.join(" ")).fresh).toEqual(fresh);
  }
});
