/** Sessions that fit a search by their own name or id. */
import type { SearchHit } from "./hits.ts";
import { foldText, type SearchQuery } from "./query.ts";
import type { GlancedFile } from "./recent.ts";

export interface SessionHitOptions {
  /** By path. */
  names: ReadonlyMap<string, string>;
  /** Sessions with hits of their own are not told again. */
  taken: readonly SearchHit[];
  limit: number;
}

/** Names as they have all the words; ids as they begin with the only one. Names first. */
export function sessionHits(
  files: readonly GlancedFile[],
  { needles }: SearchQuery,
  { names, taken, limit }: SessionHitOptions,
): SearchHit[] {
  const told = new Set(taken.map((hit) => hit.path));
  const byName: SearchHit[] = [];
  const byId: SearchHit[] = [];
  const [first = "", ...others] = needles;
  for (const { path, glance, mtimeMs } of files) {
    if (told.has(path)) continue;
    const { id, cwd } = glance;
    const timestamp = new Date(glance.newest || mtimeMs).toISOString();
    const name = names.get(path) ?? "";
    const folded = name === "" ? "" : foldText(name);
    if (needles.every((needle) => folded.includes(needle))) {
      byName.push({ path, id, cwd, timestamp, match: "name", snippet: name });
    } else if (others.length === 0 && id.toLowerCase().startsWith(first)) {
      byId.push({ path, id, cwd, timestamp, match: "id", snippet: id });
    }
  }
  return [...byName, ...byId].slice(0, Math.max(0, limit));
}
