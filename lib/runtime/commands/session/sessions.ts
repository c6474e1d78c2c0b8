/** The catalogue, as verbs open it. */
import * as path from "node:path";
import { SessionCatalog } from "../../../session/mod.ts";
import { parseCount, parseDuration } from "../../command_line/values.ts";
import { optionValue, type SessionVerb } from "./verb.ts";

/** Long work is told of after this time, and then this often. */
const PROGRESS_AFTER_MS = 1000;
const PROGRESS_EVERY_MS = 200;

/** Opens the catalogue of the sessions, does the work and lets go of it. */
export async function withCatalog<T>(
  verb: SessionVerb,
  doing: string,
  work: (catalog: SessionCatalog) => Promise<T>,
): Promise<T> {
  const { repo, home, ports } = verb;
  const progress = new Progress(verb, doing);
  const catalog = await SessionCatalog.open({
    repo,
    indexFile: path.join(home, "index.sqlite"),
    signal: ports.signal,
    onProgress: (done, total) => progress.tell(done, total),
  });
  try {
    return await work(catalog);
  } finally {
    progress.end();
    catalog.close();
  }
}

/** One line on a terminal that says how far long work has come; gone when it is done. */
class Progress {
  readonly #verb: SessionVerb;
  readonly #doing: string;
  readonly #startedAt: number;
  #toldAt = 0;

  constructor(verb: SessionVerb, doing: string) {
    this.#verb = verb;
    this.#doing = doing;
    this.#startedAt = verb.now();
  }

  tell(done: number, total: number): void {
    const { ports, call, now } = this.#verb;
    const time = now();
    if (!ports.stderr.isTerminal || call.run.quiet) return;
    if (time - this.#startedAt < PROGRESS_AFTER_MS || time - this.#toldAt < PROGRESS_EVERY_MS) {
      return;
    }
    this.#toldAt = time;
    const percent = Math.floor(done / total * 100);
    const size = `${Math.round(total / 1e6)} MB`;
    ports.stderr.write(`\r${this.#doing}: ${percent} % of ${size} `);
  }

  end(): void {
    if (this.#toldAt > 0) this.#verb.ports.stderr.write("\r\x1b[K");
  }
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
