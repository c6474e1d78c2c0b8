/** From a search to what the index is asked (SQLite FTS5, tokenizer `ascii`: words as we cut them). */
import type { SearchQuery } from "./query.ts";
import { pairsOf, rowsOf } from "./words.ts";

/** Finds the words of the index that contain, or end with, a text; no more than `limit`. */
export type FindWords = (how: "contain" | "end", text: string, limit: number) => string[];

/** More words than this are not asked for one by one: almost everything fits. */
const WORDS_MAX = 1000;

const NOTHING = "";

/** Asks for texts that have the words of each needle; undefined if the index cannot tell. */
export function wholeExpression({ needles }: SearchQuery): string | undefined {
  return all(
    needles.map((needle) =>
      all(rowsOf(needle).map(({ text, isUnspaced }) => isUnspaced ? unspaced(text) : word(text)))
    ),
  );
}

/**
 * Asks for texts that may have each needle as a part of words; undefined if the index cannot tell,
 * or would have to look almost everywhere. "" if nothing can have them.
 */
export function partExpression({ needles }: SearchQuery, find: FindWords): string | undefined {
  return all(needles.map((needle) => needlePart(needle, find)));
}

function needlePart(needle: string, find: FindWords): string | undefined {
  return all(
    rowsOf(needle).map(({ text, isUnspaced, at }) => {
      if (isUnspaced) return unspaced(text);
      const isEnd = at + text.length === needle.length;
      // At the needle's ends, the words of a text may go on.
      if (at > 0) return isEnd ? `${word(text)}*` : word(text);
      const found = find(isEnd ? "contain" : "end", text, WORDS_MAX + 1);
      if (found.length > WORDS_MAX) return undefined;
      return found.length === 0 ? NOTHING : `(${found.map(word).join(" OR ")})`;
    }),
  );
}

function word(text: string): string {
  return `"${text}"`;
}

/** A part of a row without blanks: its pairs; a single character begins a pair, or ends a row. */
function unspaced(text: string): string {
  const pairs = pairsOf(text);
  return pairs.length > 0 ? pairs.map(word).join(" AND ") : `${word(text)}*`;
}

/** All of these; undefined if one of them, or there is none, cannot be asked for. */
function all(parts: readonly (string | undefined)[]): string | undefined {
  if (parts.length === 0) return undefined;
  let whole = "";
  for (const part of parts) {
    if (part === undefined || part === NOTHING) return part;
    whole = whole === "" ? part : `${whole} AND ${part}`;
  }
  return whole;
}
