/**
 * Many sessions at a glance, and full text over all of them. What it knows is derived from the
 * session files, and kept in an index that can be thrown away; without one it reads the files.
 */
import * as path from "node:path";
import type { SessionGlance, StoredFile } from "./catalog/glance.ts";
import { BestHits, type Search, type SearchedSession, type SearchHit } from "./catalog/hits.ts";
import { DisposableIndex } from "./catalog/disposable_index.ts";
import { searchIndex } from "./catalog/index_search.ts";
import { indexWords, isSame } from "./catalog/index_words.ts";
import { parseQuery } from "./catalog/query.ts";
import { type GlancedFile, glances, statOf } from "./catalog/recent.ts";
import { scanSessions } from "./catalog/scan.ts";
import type { SearchedRole } from "./catalog/searched_text.ts";
import { sessionHits } from "./catalog/session_hits.ts";
import type { FileLook, KnownFile } from "./catalog/session_index.ts";
import { WordReader } from "./catalog/words.ts";
import { type FileSystem, nodeFileSystem } from "./file_system.ts";
import type { JsonlSessionRepo } from "./repo.ts";
import type { SessionSummary } from "./summary.ts";

export interface SessionCatalogOptions {
  repo: JsonlSessionRepo;
  /** Where the index is, or is to be made; without it all is read from the sessions. */
  indexFile?: string;
  fs?: FileSystem;
  /** Ends what takes long; what was found out so far is kept. */
  signal?: AbortSignal;
  /** Told of long work, in bytes of session files. */
  onProgress?: (done: number, total: number) => void;
}

/** Which sessions. */
export interface CatalogFilter {
  /** Those that work in this directory; absent: all. */
  cwd?: string;
  /** Active since then, in ms since the epoch; of a search: said since then. */
  since?: number;
  /** The first so many; absent: all, and of a search 20. */
  limit?: number;
}

export interface SearchOptions extends CatalogFilter {
  /** Whose words they are. */
  role?: SearchedRole;
}

/** The first message of a person may be a whole file: no more of it is kept for a list. */
const FIRST_MESSAGE_MAX = 2000;
const SEARCH_LIMIT = 20;
/** How much is read within one change of the index: others wait for its end. */
const CHANGE_BYTES = 32_000_000;

type Known = ReadonlyMap<string, KnownFile>;

/**
 * The sessions below a repo's directory. Trouble with the index means that the sessions are read,
 * and trouble with a session that it is left out; neither is an error.
 */
export class SessionCatalog {
  readonly #options: SessionCatalogOptions;
  readonly #fs: FileSystem;
  readonly #index: DisposableIndex;

  private constructor(options: SessionCatalogOptions, index: DisposableIndex) {
    this.#options = options;
    this.#fs = options.fs ?? nodeFileSystem;
    this.#index = index;
  }

  static async open(options: SessionCatalogOptions): Promise<SessionCatalog> {
    const { indexFile, fs = nodeFileSystem } = options;
    return new SessionCatalog(options, await DisposableIndex.open(fs, indexFile));
  }

  /** Whether there is an index that can be used. */
  get hasIndex(): boolean {
    return this.#index.isOpen;
  }

  /**
   * Sessions, newest message first: of one directory, the first is the one that `--continue` takes.
   * Of a long first message no more than its beginning is told.
   */
  async list({ cwd, since = 0, limit = Infinity }: CatalogFilter = {}): Promise<SessionSummary[]> {
    const known = this.#known({ summaries: true });
    const all = this.#glances(cwd, known);
    const files = all.filter((file) => activityOf(file) >= since).slice(0, limit);
    const total = files.reduce((sum, { size }) => sum + size, 0);
    const summaries = new Map<string, SessionSummary>();
    const learnt = new Map<string, SessionSummary>();
    let done = 0;
    for (const file of files) {
      const look = known.get(file.path)?.look;
      const old = isSame(look, file) ? look?.summary : undefined;
      const summary = old === undefined ? this.#summarize(file) : parseSummary(old);
      done += file.size;
      if (summary) summaries.set(file.path, summary);
      if (old !== undefined || !summary) continue;
      learnt.set(file.path, summary);
      if (!await this.#mayGoOn(done, total)) break;
    }
    this.#learn(all, known, { summaries: learnt, cwd });
    return [...summaries.values()];
  }

  /**
   * Entries that have all the words of a text, and its phrases (in double quotes); the best first:
   * the words in a row, then each as a whole word, then parts of words, and the newer before the
   * older. Sessions follow whose name has the words, or whose id begins with the only one.
   */
  async search(text: string, options: SearchOptions = {}): Promise<SearchHit[]> {
    const { cwd, since, role, limit = SEARCH_LIMIT } = options;
    const query = parseQuery(text);
    if (!query) return [];
    const search: Search = {
      query,
      ...role ? { role } : {},
      ...since === undefined ? {} : { since },
    };
    const hits = new BestHits(limit);
    const names = new Map<string, string>();
    const known = this.#known();
    const all = this.#glances(cwd, known);
    this.#learn(all, known, { cwd });
    const files = all.filter(({ glance, mtimeMs }) =>
      Math.max(glance.newest, mtimeMs) >= (since ?? 0)
    );
    const unread = await this.#searchIndexed(files, search, { known, hits, names });
    await scanSessions(this.#fs, unread.map(toSession), search, {
      result: { hits, names },
      mayGoOn: () => this.#mayGoOn(0, 0),
    });
    const found = hits.best().map(({ hit }) => hit);
    if (role === undefined) {
      found.push(
        ...sessionHits(files, query, { names, taken: found, limit: limit - found.length }),
      );
    }
    return found.map((hit) => this.#withName(hit, names));
  }

  /** Takes a session that was deleted out of the index. */
  forget(file: string): void {
    this.#index.use((index) => index.change(() => index.removeFile(file)));
  }

  /** Lets go of the index. */
  close(): void {
    this.#index.close();
  }

  #glances(cwd: string | undefined, known: Known): GlancedFile[] {
    return glances(this.#fs, this.#options.repo.sessionsDir, {
      ...cwd === undefined ? {} : { cwd },
      known: (file) => glanceIn(known.get(file.path), file),
    });
  }

  #summarize(file: GlancedFile): SessionSummary | undefined {
    const summary = this.#options.repo.summarize(file);
    return summary && {
      ...summary,
      modified: new Date(activityOf(file)).toISOString(),
      firstMessage: summary.firstMessage.slice(0, FIRST_MESSAGE_MAX).toWellFormed(),
    };
  }

  /** A session that was not read to its end for a search may have a name all the same. */
  #withName(hit: SearchHit, names: Map<string, string>): SearchHit {
    let name = names.get(hit.path);
    if (name === undefined && !names.has(hit.path)) {
      name = this.#options.repo.summarize({ path: hit.path, mtimeMs: 0 })?.name;
    }
    return name ? { ...hit, name } : hit;
  }

  #known({ summaries = false } = {}): Known {
    return this.#index.use((index) => index.files({ summaries })) ?? new Map();
  }

  /** Writes down what was found out about files, and forgets those that are gone. */
  #learn(
    files: readonly GlancedFile[],
    known: Known,
    { summaries = new Map(), cwd }: {
      summaries?: ReadonlyMap<string, SessionSummary>;
      /** Whose sessions these are all of; undefined: all that there are. */
      cwd: string | undefined;
    },
  ): void {
    const news = files.filter((file) =>
      summaries.has(file.path) || !isSame(known.get(file.path)?.look, file)
    );
    const gone = this.#gone(files, known, cwd);
    if (news.length === 0 && gone.length === 0) return;
    this.#index.use((index) =>
      index.change(() => {
        for (const file of gone) index.removeFile(file.path);
        for (const file of news) {
          const { size, mtimeMs, ino, glance } = file;
          const summary = summaries.get(file.path);
          const look: FileLook = { size, mtimeMs, ino, glance };
          if (summary) look.summary = JSON.stringify(summary);
          index.putLook(file.path, look);
        }
      })
    );
  }

  /** What is known below the sessions' directory that is not there any more. */
  #gone(files: readonly GlancedFile[], known: Known, cwd: string | undefined): KnownFile[] {
    const there = new Set(files.map((file) => file.path));
    const below = this.#options.repo.sessionsDir + path.sep;
    return [...known.values()].filter((file) =>
      !there.has(file.path) && (cwd === undefined || file.look?.glance.cwd === cwd) &&
      file.path.startsWith(below) && !statOf(this.#fs, file.path)
    );
  }

  /** Searches what is in the index, once what is missing was added. @returns the rest. */
  async #searchIndexed(
    files: readonly GlancedFile[],
    search: Search,
    { known: before, hits, names }: { known: Known; hits: BestHits; names: Map<string, string> },
  ): Promise<readonly GlancedFile[]> {
    const missing = files.filter((file) => !isSame(before.get(file.path)?.words, file));
    // Files stand newest first; the index wants older entries before newer ones.
    await this.#indexMissing(missing.toReversed());
    const known = missing.length > 0 ? this.#known() : before;
    const sessions = new Map<number, SearchedSession>();
    const unread: GlancedFile[] = [];
    for (const file of files) {
      const found = known.get(file.path);
      if (!found?.words || !isSame(found.words, file)) {
        unread.push(file);
        continue;
      }
      sessions.set(found.id, toSession(file));
      names.set(file.path, found.words.name ?? "");
    }
    const isDone = this.#index.use((index) =>
      searchIndex(this.#fs, index, { search, sessions, hits })
    );
    return isDone ? unread : files;
  }

  async #indexMissing(missing: readonly GlancedFile[]): Promise<void> {
    const total = missing.reduce((sum, { size }) => sum + size, 0);
    const reader = new WordReader();
    let done = 0;
    for (let at = 0; at < missing.length;) {
      const next = this.#index.use((index) =>
        index.change(() => {
          let read = 0;
          while (at < missing.length && read < CHANGE_BYTES) {
            const file = missing[at++];
            if (file) read += indexWords(this.#fs, { index, reader }, file);
          }
          return read;
        })
      );
      if (next === undefined) return;
      done += next;
      if (!await this.#mayGoOn(done, total)) return;
    }
  }

  /** Lets signals in. False if the work is to end. */
  async #mayGoOn(done: number, total: number): Promise<boolean> {
    const { signal, onProgress } = this.#options;
    if (total > 0) onProgress?.(done, total);
    await new Promise((resolve) => setImmediate(resolve));
    return signal?.aborted !== true;
  }
}

/** When something was last said, or the time of the file where nothing was; in ms. */
function activityOf({ glance, mtimeMs }: GlancedFile): number {
  return glance.newest || mtimeMs;
}

function glanceIn(
  known: KnownFile | undefined,
  file: StoredFile,
): SessionGlance | "no session" | undefined {
  if (known?.look && isSame(known.look, file)) return known.look.glance;
  const isNone = known?.words && known.words.session === undefined && isSame(known.words, file);
  return isNone ? "no session" : undefined;
}

function parseSummary(json: string): SessionSummary {
  return JSON.parse(json);
}

function toSession({ path, glance }: GlancedFile): SearchedSession {
  return { path, id: glance.id, cwd: glance.cwd, newest: glance.newest };
}
