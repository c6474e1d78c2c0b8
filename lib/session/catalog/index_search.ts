/** Searches with the index: it says where to look, and the entries themselves decide. */
import type { SessionEntry } from "../entry.ts";
import type { FileSystem } from "../file_system.ts";
import { type BestHits, hitIn, type Search, type SearchedSession } from "./hits.ts";
import { partExpression, wholeExpression } from "./index_terms.ts";
import { bestTier, type Tier } from "./query.ts";
import type { FoundEntry, SessionIndex } from "./session_index.ts";
import { entriesIn, openFile } from "./session_lines.ts";

/** What is searched, and where the hits go. */
export interface IndexSearch {
  search: Search;
  /** The sessions that are searched, by the id of their file in the index. */
  sessions: ReadonlyMap<number, SearchedSession>;
  hits: BestHits;
}

/** Once there are enough hits, better ones are looked for among no more entries than these. */
const BETTER_MAX = 3000;

/**
 * Adds the best hits: first among the entries that have each word as it is, then among those that
 * have words of which it is a part.
 *
 * @returns false if the index could not be asked for all of it: what is missing has to be read.
 * @throws SQLite's error if the index is broken.
 */
export function searchIndex(fs: FileSystem, index: SessionIndex, what: IndexSearch): boolean {
  const { search: { query }, hits } = what;
  const whole = wholeExpression(query);
  if (whole === undefined) return false;
  lookAt(fs, index, { ...what, expression: whole, best: bestTier(query), enough: 1 });
  if (hits.isSettled(0, 1)) return true;
  const part = partExpression(query, (...asked) => index.wordsLike(...asked));
  if (part === undefined) return false;
  if (part !== "") lookAt(fs, index, { ...what, expression: part, best: 2, enough: 2 });
  return true;
}

/**
 * Looks at entries, newest first, until none that is left can be among the best. `best`: the tier
 * that no entry can be better than; `enough`: the tier that will do.
 */
function lookAt(
  fs: FileSystem,
  index: SessionIndex,
  { search, sessions, hits, expression, best, enough }: IndexSearch & {
    expression: string;
    best: Tier;
    enough: Tier;
  },
): void {
  const { role, since } = search;
  const places = index.find(expression, {
    ...role === undefined ? {} : { role },
    ...since === undefined ? {} : { since },
  });
  const reader = new EntryReader(fs);
  let bound = Infinity;
  let looked = 0;
  try {
    for (const place of places) {
      const session = sessions.get(place.fileId);
      if (!session) continue;
      if (place.bound !== bound) {
        bound = place.bound;
        if (hits.isSettled(bound, best)) return;
        if (looked > BETTER_MAX && hits.isSettled(bound, enough)) return;
      }
      looked++;
      for (const entry of reader.read(session.path, place)) {
        const ranked = hitIn(entry, session, search);
        if (ranked) hits.add(ranked);
      }
    }
  } finally {
    reader.close();
  }
}

/** Reads entries by their places; those that follow each other are often in the same file. */
class EntryReader {
  readonly #fs: FileSystem;
  #path: string | undefined;
  #file: ReturnType<typeof openFile>;

  constructor(fs: FileSystem) {
    this.#fs = fs;
  }

  read(path: string, { offset, length }: FoundEntry): SessionEntry[] {
    if (this.#path !== path) {
      this.close();
      this.#path = path;
      this.#file = openFile(this.#fs, path);
    }
    if (!this.#file) return [];
    const bytes = this.#file.source.read(offset, offset + length);
    return entriesIn(bytes).map(({ entry }) => entry);
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
    this.#path = undefined;
  }
}
