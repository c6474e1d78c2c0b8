/**
 * Between folded text and the words of the index (SQLite FTS5, tokenizer `unicode61`). The index
 * knows words: letters and digits in a row. Han and Kana are written without blanks, so each of
 * their characters is given to it as a word.
 */
import type { SearchQuery } from "./query.ts";

const UNSPACED = /[\u3040-\u30ff\u3400-\u4db5\u4e00-\u9fcc\uf900-\ufaff\u{20000}-\u{2b81d}]/gu;
const IS_UNSPACED = new RegExp(`^${UNSPACED.source}$`, "u");
/** Letters, digits and marks of which this code and SQLite surely think alike. */
const KNOWN = /^[a-z0-9\u00aa-\u024f\u0370-\u04ff\uac00-\ud7a3]+$/u;
const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

/** Folded text as the index is given it. */
export function indexedText(folded: string): string {
  return folded.replace(UNSPACED, " $& ");
}

/** A needle as words of the index. */
export interface NeedleTerms {
  words: string[];
  /** The first one may be the end of a longer word. */
  isOpenBefore: boolean;
  /** The last one may be the beginning of a longer word. */
  isOpenAfter: boolean;
}

/** The words of a needle; undefined if the index cannot be asked for it. */
export function termsOf(needle: string): NeedleTerms | undefined {
  const words = indexedText(needle).match(WORD) ?? [];
  if (words.length === 0) return undefined;
  if (!words.every((word) => KNOWN.test(word) || IS_UNSPACED.test(word))) return undefined;
  const isWord = (text: string | undefined) => text !== undefined && KNOWN.test(text);
  return {
    words,
    isOpenBefore: isWord(words[0]) && needle.startsWith(words[0] ?? ""),
    isOpenAfter: isWord(words.at(-1)) && needle.endsWith(words.at(-1) ?? ""),
  };
}

/** Words that follow each other. */
function phrase(words: readonly string[]): string {
  return `"${words.join(" ")}"`;
}

/** Asks for texts that have the words in a row; undefined if the index cannot tell. */
export function rowExpression({ row }: SearchQuery): string | undefined {
  const terms = row === undefined ? undefined : termsOf(row);
  return terms && phrase(terms.words);
}

/** Asks for texts that have each needle as whole words; undefined if the index cannot tell. */
export function wholeExpression({ needles }: SearchQuery): string | undefined {
  const parts = needles.map(termsOf);
  if (parts.includes(undefined)) return undefined;
  return parts.map((terms) => phrase(terms?.words ?? [])).join(" AND ");
}

/** Finds the words of the index that contain, or end with, a text; no more than `limit`. */
export type FindWords = (how: "contain" | "end", text: string, limit: number) => string[];

/** More words than this are not asked for one by one: almost everything fits. */
const WORDS_MAX = 1000;

/**
 * Asks for texts that may have each needle as a part of words; undefined if the index cannot tell,
 * or would have to look almost everywhere. "" if nothing can have them.
 */
export function partExpression({ needles }: SearchQuery, find: FindWords): string | undefined {
  const parts: string[] = [];
  for (const needle of needles) {
    const terms = termsOf(needle);
    const part = terms && needlePart(terms, find);
    if (part === undefined || part === "") return part;
    parts.push(part);
  }
  return parts.join(" AND ");
}

function needlePart(
  { words, isOpenBefore, isOpenAfter }: NeedleTerms,
  find: FindWords,
): string | undefined {
  const [first = "", ...rest] = words;
  const rests = rest.length === 0 ? "" : phrase(rest) + (isOpenAfter ? "*" : "");
  if (!isOpenBefore) {
    return rest.length === 0 ? phrase(words) + (isOpenAfter ? "*" : "") : `"${first}" AND ${rests}`;
  }
  const found = find(rest.length === 0 && isOpenAfter ? "contain" : "end", first, WORDS_MAX + 1);
  if (found.length > WORDS_MAX) return undefined;
  if (found.length === 0) return "";
  const firsts = `(${found.map((word) => phrase([word])).join(" OR ")})`;
  return rest.length === 0 ? firsts : `(${firsts} AND ${rests})`;
}
