/**
 * What is looked for, and whether a text has it. Both ways of searching, the index and the scan, ask
 * this file in the end, so that they find the same.
 */

import { isInWord } from "./words.ts";

/** A search, taken apart. Texts are folded (`foldText`). */
export interface SearchQuery {
  /** Each word and each phrase; a text must have all of them. */
  readonly needles: readonly string[];
  /** All of them in a row, which ranks first; absent if there is one alone. */
  readonly row?: string;
}

/**
 * How well a text fits: 0 if it has the words in a row, 1 if it has each as a whole word, 2 if some
 * are parts of words only.
 */
export type Tier = 0 | 1 | 2;

/** Where and how well a text fits. */
export interface Match {
  tier: Tier;
  /** Where the first thing found begins, in the folded text. */
  at: number;
  length: number;
}

/** Text as it is compared: without regard to case, line ends and runs of blanks. */
export function foldText(text: string): string {
  return spaced(text).toLowerCase();
}

/** Text on one line, its letters composed, otherwise as it stands. */
function spaced(text: string): string {
  return text.normalize("NFC").replace(/\s+/g, " ").trim();
}

/** Words, and phrases in double quotes. Undefined if there is nothing to look for. */
export function parseQuery(text: string): SearchQuery | undefined {
  const needles: string[] = [];
  for (const [, phrase, word] of text.matchAll(/["“”]([^"“”]*)["“”]?|([^\s"“”]+)/g)) {
    const needle = foldText(phrase ?? word ?? "");
    if (needle !== "" && !needles.includes(needle)) needles.push(needle);
  }
  if (needles.length === 0) return undefined;
  return needles.length === 1 ? { needles } : { needles, row: needles.join(" ") };
}

/** Finds all needles in a folded text; undefined if one is missing. */
export function matchText(text: string, { needles, row }: SearchQuery): Match | undefined {
  if (row !== undefined) {
    const at = wholeAt(text, row);
    if (at !== undefined) return { tier: 0, at, length: row.length };
  }
  let found: Match | undefined;
  for (const needle of needles) {
    const first = text.indexOf(needle);
    if (first === -1) return undefined;
    const whole = wholeAt(text, needle, first);
    found ??= { tier: 1, at: whole ?? first, length: needle.length };
    if (whole === undefined) found.tier = 2;
  }
  return found;
}

/** The best tier that a search can reach. */
export function bestTier({ row }: SearchQuery): Tier {
  return row === undefined ? 1 : 0;
}

/** Where a needle stands that is no part of a longer word. */
function wholeAt(text: string, needle: string, from = 0): number | undefined {
  for (let at = text.indexOf(needle, from); at !== -1; at = text.indexOf(needle, at + 1)) {
    const end = at + needle.length;
    if (!isInWord(text, at) && !isInWord(text, end)) return at;
  }
  return undefined;
}

/** A line around what was found, with `…` where something is left out. */
export function snippetOf(text: string, match: Match, lengthMax = 120): string {
  const line = spaced(text);
  // In a few languages the small letters of a text are more than its large ones.
  const shown = line.length === line.toLowerCase().length ? line : line.toLowerCase();
  const room = Math.max(0, lengthMax - match.length);
  const start = Math.max(0, Math.min(match.at - Math.floor(room / 2), shown.length - lengthMax));
  const end = Math.min(shown.length, start + Math.max(lengthMax, match.length));
  const cut = shown.slice(start, end).toWellFormed().trim();
  return `${start > 0 ? "…" : ""}${cut}${end < shown.length ? "…" : ""}`;
}
