/** Completing the word before the cursor. */

/** A word to choose. */
export interface Candidate {
  /** What takes the place of the word. */
  readonly value: string;
  readonly hint?: string;
  /** More of the word is to come, as after a directory: no blank follows. */
  readonly goesOn?: boolean;
}

export interface Completion {
  /** Where the word to be replaced begins. */
  readonly from: number;
  readonly candidates: readonly Candidate[];
}

/** Finds what the text before the cursor may go on with. */
export type Completer = (before: string) => Promise<Completion | undefined>;

/** The start that all candidates share. */
export function commonStart(values: readonly string[]): string {
  const [first = "", ...others] = values;
  let length = first.length;
  for (const other of others) {
    while (!other.startsWith(first.slice(0, length))) length--;
  }
  return first.slice(0, length).toWellFormed() === first.slice(0, length)
    ? first.slice(0, length)
    : first.slice(0, length - 1);
}

/** Those that begin with the text first, then those that have it somewhere. */
export function matching(text: string, candidates: Iterable<Candidate>): Candidate[] {
  const wanted = text.toLowerCase();
  const starting: Candidate[] = [];
  const containing: Candidate[] = [];
  for (const candidate of candidates) {
    const at = candidate.value.toLowerCase().indexOf(wanted);
    if (at === 0) starting.push(candidate);
    else if (at > 0) containing.push(candidate);
  }
  return [...starting, ...containing];
}
