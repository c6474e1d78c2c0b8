import { describe, expect, test } from "bun:test";
import { foldText, matchText, parseQuery, snippetOf } from "../../../lib/session/catalog/query.ts";

describe("parseQuery()", () => {
  const rows: [text: string, query: ReturnType<typeof parseQuery>][] = [
    ["CATS", { needles: ["cats"] }],
    ["rate  limit", { needles: ["rate", "limit"], row: "rate limit" }],
    ['"Rate\n limit" now', { needles: ["rate limit", "now"], row: "rate limit now" }],
    ["“rate limit”", { needles: ["rate limit"] }],
    ['"rate limit', { needles: ["rate limit"] }],
    ["a a", { needles: ["a"] }],
    ["cafe\u0301", { needles: ["café"] }],
    ["   ", undefined],
    ['""', undefined],
  ];
  for (const [text, query] of rows) {
    test(`reads ${JSON.stringify(text)}`, () => expect(parseQuery(text)).toEqual(query));
  }
});

describe("matchText()", () => {
  const rows: [text: string, query: string, match: ReturnType<typeof matchText>][] = [
    ["raise the limit to 1024 bytes", "1024", { tier: 1, at: 19, length: 4 }],
    ["1 apple, 0 pears, 2 plums and 4 figs", "1024", undefined],
    ["appendMessage", "message", { tier: 2, at: 6, length: 7 }],
    ["the limit of a rate", "rate limit", { tier: 1, at: 15, length: 4 }],
    ["a rate limit", "rate limit", { tier: 0, at: 2, length: 10 }],
    ["no rate", "rate limit", undefined],
    ["messages, then a message", "message", { tier: 1, at: 17, length: 7 }],
    ["我们明天讨论天气问题", "天气", { tier: 1, at: 6, length: 2 }],
    ["a=>b", "=>", { tier: 1, at: 1, length: 2 }],
    ["ab_c", "b", { tier: 2, at: 1, length: 1 }],
    ["a🎉b", "🎉", { tier: 1, at: 1, length: 2 }],
  ];
  for (const [text, words, match] of rows) {
    test(`looks for ${words} in ${text}`, () => {
      const query = parseQuery(words);
      expect(query && matchText(foldText(text), query)).toEqual(match);
    });
  }
});

describe("snippetOf()", () => {
  test("shows a short text whole, on one line, as it was written", () => {
    expect(snippetOf("One\n  Two", { tier: 1, at: 4, length: 3 })).toBe("One Two");
  });

  test("shows what is around the place, and says what is left out", () => {
    const text = `${"a ".repeat(100)}Needle ${"b ".repeat(100)}`;
    const snippet = snippetOf(text, { tier: 1, at: 200, length: 6 }, 40);
    expect(snippet).toBe(`…${"a ".repeat(8)}Needle ${"b ".repeat(8).trim()}…`);
  });

  test("does not cut a character in two", () => {
    const text = "🌳".repeat(200);
    expect(snippetOf(text, { tier: 1, at: 101, length: 1 }, 41).isWellFormed()).toBe(true);
  });
});
