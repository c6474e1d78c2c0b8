/** Searches with the index: it says where to look, and the entries themselves decide. */
import type { ByteSource } from "../byte_source.ts";
import type { FileSystem } from "../file_system.ts";
import { type BestHits, hitIn, type Search, type SearchedSession } from "./hits.ts";
import { partExpression, rowExpression, wholeExpression } from "./index_terms.ts";
import type { Tier } from "./query.ts";
import type { FoundEntry, SessionIndex } from "./session_index.ts";
import { entriesIn, lookInto } from "./session_lines.ts";

/** What is searched, and where the hits go. */
export interface IndexSearch {
  search: Search;
  /** The sessions that are searched, by the id of their file in the index. */
  sessions: ReadonlyMap<number, SearchedSession>;
  hits: BestHits;
}

/**
 * Adds the best hits, tier after tier.
 *
 * @returns false if the index could not be asked for all of it: what is missing has to be read.
 * @throws SQLite's error if the index is broken.
 */
export function searchIndex(fs: FileSystem, index: SessionIndex, what: IndexSearch): boolean {
  const { query } = what.search;
  const tiers: [Tier, () => string | undefined][] = [
    [1, () => wholeExpression(query)],
    [2, () => partExpression(query, (...asked) => index.wordsLike(...asked))],
  ];
  if (query.row !== undefined) tiers.unshift([0, () => rowExpression(query)]);
  for (const [tier, expression] of tiers) {
    if (what.hits.isSettled(0, tier)) return true;
    const asked = expression();
    if (asked === undefined) return false;
    if (asked !== "") searchTier(fs, index, { ...what, tier, expression: asked });
    if (what.hits.isSettled(0, tier)) return true;
  }
  return true;
}

function searchTier(
  fs: FileSystem,
  index: SessionIndex,
  { search, sessions, hits, tier, expression }: IndexSearch & { tier: Tier; expression: string },
): void {
  const { role, since } = search;
  const filters = {
    ...role === undefined ? {} : { role },
    ...since === undefined ? {} : { since },
  };
  let lastSecond = -1;
  for (const place of index.find(expression, filters)) {
    const session = sessions.get(place.fileId);
    if (!session) continue;
    // All of a second are looked at, so that the order within it is not the index's.
    if (place.second !== lastSecond && hits.isSettled(place.second * 1000 + 999, tier)) {
      return;
    }
    lastSecond = place.second;
    for (const entry of entriesAt(fs, session.path, place)) {
      const ranked = hitIn(entry, session, search);
      if (ranked) hits.add(ranked);
    }
  }
}

function entriesAt(fs: FileSystem, path: string, { offset, length }: FoundEntry) {
  const read = (source: ByteSource) => entriesIn(source.read(offset, offset + length));
  return lookInto(fs, path, ({ source }) => read(source).map(({ entry }) => entry)) ?? [];
}
