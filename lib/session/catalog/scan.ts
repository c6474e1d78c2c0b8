/**
 * Searches sessions by reading them, without an index. Most lines are passed over without being
 * parsed: what is looked for is not in their bytes.
 */
import type { FileSystem } from "../file_system.ts";
import { type BestHits, hitIn, type Search, type SearchedSession } from "./hits.ts";
import { bestTier, type SearchQuery } from "./query.ts";
import { nameIn } from "./searched_text.ts";
import { entriesIn, lookInto, sessionLines } from "./session_lines.ts";

/** Where a scan puts what it finds. */
export interface ScanResult {
  hits: BestHits;
  /** Names of sessions that were read, by path. */
  names: Map<string, string>;
}

/**
 * Reads sessions, which stand newest first, until none that is left can have a better hit.
 *
 * @param mayGoOn Asked before each session; it may wait, so that others get their turn.
 */
export async function scanSessions(
  fs: FileSystem,
  sessions: readonly SearchedSession[],
  search: Search,
  { result, mayGoOn }: { result: ScanResult; mayGoOn: () => Promise<boolean> },
): Promise<void> {
  const mayFit = lineTest(search.query);
  for (const session of sessions) {
    if (result.hits.isSettled(session.glance.newest, bestTier(search.query))) return;
    if (!await mayGoOn()) return;
    scanSession(fs, session, { search, result, mayFit });
  }
}

function scanSession(
  fs: FileSystem,
  session: SearchedSession,
  { search, result, mayFit }: {
    search: Search;
    result: ScanResult;
    mayFit: (line: string) => boolean;
  },
): void {
  lookInto(fs, session.path, ({ source, start }) => {
    for (const { bytes } of sessionLines(source, start)) {
      const line = bytes.toString("latin1");
      if (!mayFit(line) && !MAY_NAME.test(line)) continue;
      for (const { entry } of entriesIn(bytes)) {
        const name = nameIn(entry);
        if (name === "") result.names.delete(session.path);
        else if (name !== undefined) result.names.set(session.path, name);
        const hit = hitIn(entry, session, search);
        if (hit) result.hits.add(hit);
      }
    }
  });
}

const MAY_NAME = /"session_info"|"checkpoint"/;

/** Whether a line, its bytes taken for Latin-1, may have what is looked for. */
function lineTest({ needles }: SearchQuery): (line: string) => boolean {
  const runs = needles.map(longestPlainRun);
  const isForeign = needles.some((needle) => /[^\x20-\x7e]/.test(needle));
  return (line) => {
    const folded = line.toLowerCase();
    if (!runs.every((run) => folded.includes(run))) return false;
    return !isForeign || /[\x80-\xff]|\\u/.test(line);
  };
}

/** The longest part of a needle that stands in JSON as it is. */
function longestPlainRun(needle: string): string {
  const runs = needle.match(/[a-z0-9]+/g) ?? [""];
  return runs.reduce((longest, run) => run.length > longest.length ? run : longest);
}
