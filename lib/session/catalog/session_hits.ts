/** Sessions that fit a search by their own name or id. */
import type { GlancedFile } from "./glance.ts";
import type { SearchHit } from "./hits.ts";
import { foldText, type SearchQuery } from "./query.ts";
import { byActivity } from "./recent.ts";

export interface SessionHitOptions {
  /** By path. */
  names: ReadonlyMap<string, string>;
  /** Sessions with hits of their own are not told again. */
  taken: readonly SearchHit[];
  limit: number;
}

/** Names as they have all the words; ids as they begin with the only one. Names first, then newer ones. */
export function sessionHits(
  files: readonly GlancedFile[],
  { needles }: SearchQuery,
  { names, taken, limit }: SessionHitOptions,
): SearchHit[] {
  if (limit <= 0) return [];
  const told = new Set(taken.map((hit) => hit.path));
  const named: GlancedFile[] = [];
  const started: GlancedFile[] = [];
  const [first = "", ...others] = needles;
  for (const file of files) {
    const name = names.get(file.path);
    if (name !== undefined && hasAll(name, needles)) named.push(file);
    else if (others.length === 0 && file.glance.id.toLowerCase().startsWith(first)) {
      started.push(file);
    }
  }
  const isNew = ({ path }: GlancedFile) => !told.has(path);
  const byName = named.filter(isNew).sort(byActivity)
    .map((file) => hitOf(file, "name", names.get(file.path) ?? ""));
  const byId = started.filter(isNew).sort(byActivity)
    .map((file) => hitOf(file, "id", file.glance.id));
  return [...byName, ...byId].slice(0, limit);
}

function hasAll(name: string, needles: readonly string[]): boolean {
  const folded = foldText(name);
  return needles.every((needle) => folded.includes(needle));
}

function hitOf(
  { path, glance: { id, cwd, newest }, mtimeMs }: GlancedFile,
  match: "name" | "id",
  snippet: string,
): SearchHit {
  return { path, id, cwd, timestamp: new Date(newest || mtimeMs).toISOString(), match, snippet };
}
