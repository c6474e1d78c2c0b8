/** What a search found. */
import * as path from "node:path";
import type { SessionEntry } from "../entry.ts";
import type { GlancedFile } from "./glance.ts";
import { foldText, matchText, type SearchQuery, snippetOf, type Tier } from "./query.ts";
import { type SearchedRole, searchedText } from "./searched_text.ts";

/** An entry, or a session, that fits a search. */
export interface SearchHit {
  /** The session's file. */
  path: string;
  id: string;
  cwd: string;
  name?: string;
  /** Absent where the session's own name or id fits. */
  entryId?: string;
  role?: SearchedRole;
  /** ISO 8601; of the session's newest message where there is no entry. */
  timestamp: string;
  /** The words in a row; each as a word; parts of words; the session's name; its id. */
  match: "row" | "words" | "parts" | "name" | "id";
  /** A line around what was found. */
  snippet: string;
}

/** What is looked for, and in what. */
export interface Search {
  query: SearchQuery;
  role?: SearchedRole;
  /** ms since the epoch. */
  since?: number;
}

/** A session whose entries are looked at. */
export type SearchedSession = Pick<GlancedFile, "path" | "glance">;

/** A hit with what decides its place. */
export interface RankedHit {
  hit: SearchHit;
  tier: Tier;
  time: number;
}

const MATCHES = ["row", "words", "parts"] as const;

/** Looks at one entry; undefined if it does not fit. */
export function hitIn(
  entry: SessionEntry,
  session: SearchedSession,
  { query, role, since = 0 }: Search,
): RankedHit | undefined {
  const searched = searchedText(entry);
  if (!searched || (role !== undefined && searched.role !== role)) return undefined;
  const time = Date.parse(entry.timestamp) || 0;
  if (time < since) return undefined;
  const match = matchText(foldText(searched.text), query);
  if (!match) return undefined;
  const { path, glance: { id, cwd } } = session;
  return {
    hit: {
      path,
      id,
      cwd,
      entryId: entry.id,
      role: searched.role,
      timestamp: entry.timestamp,
      match: MATCHES[match.tier],
      snippet: snippetOf(searched.text, match),
    },
    tier: match.tier,
    time,
  };
}

/** Better hits first, then newer ones; the rest of the order is the same each time. */
function byRank(a: RankedHit, b: RankedHit): number {
  return a.tier - b.tier || b.time - a.time || (a.hit.path < b.hit.path ? -1 : 1);
}

/** Keeps the best hits. A fork has the entries of its source: each is kept once. */
export class BestHits {
  readonly #limit: number;
  readonly #seen = new Map<string, RankedHit>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(ranked: RankedHit): void {
    const { entryId, timestamp, path: file } = ranked.hit;
    const key = `${entryId} ${timestamp}`;
    const seen = this.#seen.get(key);
    // The original is the older file; its name begins with an earlier time.
    if (!seen || path.basename(file) < path.basename(seen.hit.path)) this.#seen.set(key, ranked);
  }

  /** Whether there are enough of a tier or a better one, all of them from after a time. */
  isSettled(time: number, tier: Tier): boolean {
    let count = 0;
    for (const ranked of this.#seen.values()) {
      if (ranked.tier <= tier && ranked.time > time) count++;
    }
    return count >= this.#limit;
  }

  best(): RankedHit[] {
    return [...this.#seen.values()].sort(byRank).slice(0, this.#limit);
  }
}
