/** The catalogue, as verbs open it. */
import * as path from "node:path";
import { SessionCatalog } from "../../../session/mod.ts";
import { parseCount, parseDuration } from "../../command_line/values.ts";
import { Progress } from "./progress.ts";
import { optionValue, type SessionVerb } from "./verb.ts";

/** Long work is told of after this time, and then this often. */
const PROGRESS_AFTER_MS = 1000;
const PROGRESS_EVERY_MS = 200;

/** Where the index is, or would be. */
export function indexFileOf({ home }: SessionVerb): string {
  return path.join(home, "index.sqlite");
}

/** Opens the catalogue of the sessions, does the work and lets go of it; if a signal comes, with what there is. */
export async function withCatalog<T>(
  verb: SessionVerb,
  doing: string,
  work: (catalog: SessionCatalog) => Promise<T>,
): Promise<T> {
  const { repo, ports, call } = verb;
  const { plain, quiet } = call.run;
  const progress = new Progress(ports.stderr, { plain, quiet, env: ports.env });
  const isDue = dueTest(verb);
  const catalog = await SessionCatalog.open({
    repo,
    indexFile: indexFileOf(verb),
    signal: ports.signal,
    onProgress(done, total) {
      if (!isDue()) return;
      const percent = Math.floor(done / total * 100);
      progress.show(`${doing}: ${percent} % of ${Math.round(total / 1e6)} MB`);
    },
  });
  try {
    return await work(catalog);
  } finally {
    progress.clear();
    catalog.close();
  }
}

/** Whether it is time to say how far long work is: after a second, and then five times a second. */
function dueTest({ now }: SessionVerb): () => boolean {
  let next = now() + PROGRESS_AFTER_MS;
  return () => {
    const time = now();
    if (time < next) return false;
    next = time + PROGRESS_EVERY_MS;
    return true;
  };
}

/** The directory whose sessions are meant: all with `--all`. */
export function directoryOf({ call, cwd }: SessionVerb): { cwd?: string } {
  return call.flags.has("all") ? {} : { cwd };
}

/** `--since 7d`: the moment from which on. */
export function sinceOf(verb: SessionVerb): { since?: number } {
  const ms = optionValue(verb, "since", parseDuration, "it must be a time such as 7d or 12h");
  return ms === undefined ? {} : { since: verb.now() - ms };
}

/** `--limit 20`. */
export function limitOf(verb: SessionVerb): { limit?: number } {
  const limit = optionValue(verb, "limit", parseCount, "it must be a whole number, 1 at least");
  return limit === undefined ? {} : { limit };
}
