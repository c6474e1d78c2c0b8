/** The right word for a wrong one, for error messages. */

/** How many letters to add, drop, change or swap to get from one word to the other. */
function distance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1];
      let best = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (swapped) best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[to.length] ?? 0;
}

/** A longer word is no name that someone mistyped. */
const WORD_LENGTH_MAX = 200;

/** The distance; a beginning is as near as one letter. */
function wayTo(word: string, name: string): number {
  return word.length > 1 && name.startsWith(word)
    ? Math.min(1, name.length - word.length)
    : distance(word, name);
}

/** How likely a slip is, of two that are as far: letters are swapped, then left out, then wrong. */
function slipOf(word: string, name: string): number {
  const letters = (text: string) => text.split("").sort().join("");
  if (letters(word) === letters(name)) return 0;
  return isWithin(word, name) || isWithin(name, word) ? 1 : 2;
}

/** Whether all letters stand in the other word, in their order. */
function isWithin(word: string, other: string): boolean {
  let at = -1;
  return word.split("").every((letter) => (at = other.indexOf(letter, at + 1)) >= 0);
}

/**
 * The candidates that `word` may have been meant for, nearest first; none if none is near. Upper and
 * lower case count as the same.
 */
export function nearestNames(word: string, candidates: Iterable<string>, max = 1): string[] {
  if (word.length > WORD_LENGTH_MAX) return [];
  const wanted = word.toLowerCase();
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  return [...new Set(candidates)]
    .map((name) => ({
      name,
      distance: wayTo(wanted, name.toLowerCase()),
      slip: slipOf(wanted, name.toLowerCase()),
    }))
    .filter((candidate) => candidate.distance <= limit && candidate.distance < wanted.length)
    .sort((a, b) => a.distance - b.distance || a.slip - b.slip)
    .slice(0, max)
    .map((candidate) => candidate.name);
}
