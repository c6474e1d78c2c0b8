import { expect, test } from "bun:test";
import { WordSet } from "../../../lib/session/catalog/word_set.ts";
import { Random } from "../../support/random.ts";

test("WordSet.add() returns the words that are new, each once", () => {
  const words = new WordSet();
  expect(words.add("one two, one-three")).toEqual(["one", "two", "three"]);
  expect(words.add("two four")).toEqual(["four"]);
  expect(words.size).toBe(4);
});

test("WordSet.add() parts words at blanks and signs, and nowhere else", () => {
  expect(new WordSet().add("a_b «ça» naïve 日本 x😀y\u200bz 3.5 ½")).toEqual([
    "a",
    "b",
    "ça",
    "naïve",
    "日本",
    "x😀y",
    "z",
    "3",
    "5",
    "½",
  ]);
});

test("WordSet.add() agrees with a set of 100,000 random words", () => {
  const random = new Random(7);
  const known = new Set<string>();
  const words = new WordSet();
  for (let round = 0; round < 200; round++) {
    const list = Array.from({ length: 500 }, () => random.int(0, 300_000).toString(36));
    const fresh = [...new Set(list)].filter((word) => !known.has(word));
    for (const word of list) known.add(word);
    expect(words.add(list.join(" "))).toEqual(fresh);
  }
  expect(words.size).toBe(known.size);
});
