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
  for (const file of files) {
    if (told.has(file.path)) continue;
    const name = names.get(file.path) ?? "";
    const folded = name === "" ? "" : foldText(name);
    if (needles.every((needle) => folded.includes(needle))) byName.push(hitOf(file, "name", name));
    else if (others.length === 0 && file.glance.id.toLowerCase().startsWith(first)) {
      byId.push(hitOf(file, "id", file.glance.id));
    }
  }
  return [...byName, ...byId].slice(0, Math.max(0, limit));
}

function hitOf(
  { path, glance: { id, cwd, newest }, mtimeMs }: GlancedFile,
  match: "name" | "id",
  snippet: string,
): SearchHit {
  return { path, id, cwd, timestamp: new Date(newest || mtimeMs).toISOString(), match, snippet };
}
