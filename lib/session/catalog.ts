/**
 * Many sessions at a glance, and full text over all of them. What it knows is derived from the
 * session files, and kept in an index that can be thrown away; without one it reads the files.
 */
import { type GlancedFile, isSame } from "./catalog/glance.ts";
import { BestHits, type Search, type SearchHit } from "./catalog/hits.ts";
import { DisposableIndex } from "./catalog/disposable_index.ts";
import { searchIndex } from "./catalog/index_search.ts";
import { indexWords } from "./catalog/index_words.ts";
import { parseQuery } from "./catalog/query.ts";
import { byActivity, type GlancedFiles, glanceFiles } from "./catalog/recent.ts";
import { scanSessions } from "./catalog/scan.ts";
import type { SearchedRole } from "./catalog/searched_text.ts";
import { sessionHits } from "./catalog/session_hits.ts";
import type { KnownFile } from "./catalog/known_file.ts";
import { WordReader } from "./catalog/words.ts";
import { shortenMessage } from "./fences.ts";
import { type FileSystem, nodeFileSystem } from "./file_system.ts";
import { sessionDirectory } from "./paths.ts";
import type { JsonlSessionRepo } from "./repo.ts";
import type { SessionSummary } from "./summary.ts";
import { isRecord } from "./record.ts";

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
   * A long first message is shortened.
   */
  async list({ cwd, since = 0, limit = Infinity }: CatalogFilter = {}): Promise<SessionSummary[]> {
    const looked = this.#look(cwd);
    const files = [...looked.same, ...looked.fresh].sort(byActivity)
      .filter((file) => activityOf(file) >= since).slice(0, limit);
    const known = files.filter(isKnown).map((file) => file.path);
    const noted = this.#index.use((index) => index.summaries(known));
    const total = files.reduce((sum, { size }) => sum + size, 0);
    const summaries: SessionSummary[] = [];
    const learnt = new Map<GlancedFile, SessionSummary>();
    let done = 0;
    for (const file of files) {
      const old = isKnown(file) ? noted?.get(file.path) : undefined;
      const kept = old === undefined ? undefined : parseSummary(old);
      const summary = kept ?? this.#summarize(file);
      done += file.size;
      if (summary) summaries.push(summary);
      if (kept || !summary) continue;
      learnt.set(file, summary);
      if (!await this.#mayGoOn(done, total)) break;
    }
    this.#learn(looked, learnt);
    return summaries;
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
    const looked = this.#look(cwd);
    this.#learn(looked);
    const isRecent = ({ glance, mtimeMs }: GlancedFile) =>
      since === undefined || Math.max(glance.newest, mtimeMs) >= since;
    const files = [...looked.same, ...looked.fresh].filter(isRecent);
    const { indexed, unread } = await this.#withWords(files);
    const names = this.#index.use((index) => index.names()) ?? new Map<string, string>();
    for (const { path } of unread) names.delete(path);
    const isDone = this.#index.use((index) =>
      searchIndex(this.#fs, index, { search, sessions: indexed, hits })
    );
    await scanSessions(this.#fs, (isDone ? unread : files).sort(byActivity), search, {
      result: { hits, names },
      mayGoOn: () => this.#mayGoOn(0, 0),
    });
    const found = hits.best().map(({ hit }) => hit);
    if (role === undefined) {
      found.push(
        ...sessionHits(files, query, { names, taken: found, limit: limit - found.length }),
      );
    }
    const isUnread = new Set(unread.map(({ path }) => path));
    return found.map((hit) => this.#withName(hit, names, isUnread.has(hit.path)));
  }

  /** Takes a session that was deleted out of the index. */
  forget(file: string): void {
    this.#index.use((index) => index.change(() => index.removeFile(file)));
  }

  /** Lets go of the index. */
  close(): void {
    this.#index.close();
  }

  /** Looks at the files of a directory's sessions, or of all. */
  #look(cwd: string | undefined): GlancedFiles<KnownFile> {
    const { sessionsDir } = this.#options.repo;
    const known = this.#index.use((index) =>
      cwd === undefined
        ? index.filesBelow(sessionsDir)
        : index.filesIn([sessionsDir, sessionDirectory(sessionsDir, cwd)])
    );
    return glanceFiles(this.#fs, sessionsDir, cwd, known ?? new Map<string, KnownFile>());
  }

  #summarize(file: GlancedFile): SessionSummary | undefined {
    const summary = this.#options.repo.summarize(file);
    return summary && {
      ...summary,
      modified: new Date(activityOf(file)).toISOString(),
      firstMessage: shortenMessage(summary.firstMessage, FIRST_MESSAGE_MAX),
    };
  }

  /** A session that was not read to its end for a search may have a name all the same. */
  #withName(hit: SearchHit, names: Map<string, string>, isUnread: boolean): SearchHit {
    const name = names.get(hit.path) ??
      (isUnread ? this.#options.repo.summarize({ path: hit.path, mtimeMs: 0 })?.name : undefined);
    return name ? { ...hit, name } : hit;
  }

  /** Writes down what was found out about files, and forgets those that are gone. */
  #learn(
    { fresh, gone }: GlancedFiles<KnownFile>,
    summaries: ReadonlyMap<GlancedFile, SessionSummary> = new Map(),
  ): void {
    const news = new Set([...fresh, ...summaries.keys()]);
    if (news.size === 0 && gone.length === 0) return;
    this.#index.use((index) =>
      index.change(() => {
        for (const file of gone) index.removeFile(file.path);
        for (const file of news) {
          const summary = summaries.get(file);
          index.putLook(file, summary && JSON.stringify(summary));
        }
      })
    );
  }

  /**
   * Brings the words of files into the index that it does not have.
   *
   * @returns the files that it has then, by their ids in it, and the rest.
   */
  async #withWords(
    files: readonly GlancedFile[],
  ): Promise<{ indexed: Map<number, GlancedFile>; unread: GlancedFile[] }> {
    const indexed = new Map<number, GlancedFile>();
    const lacking: GlancedFile[] = [];
    const unread: GlancedFile[] = [];
    for (const file of files) {
      if (isKnown(file) && file.hasWords) indexed.set(file.fileId, file);
      else lacking.push(file);
    }
    // The index wants older entries before newer ones.
    await this.#indexMissing(lacking.sort(byActivity).toReversed());
    for (const file of lacking) {
      const now = this.#index.use((index) => index.file(file.path));
      if (now?.hasWords && isSame(now, file)) indexed.set(now.fileId, file);
      else unread.push(file);
    }
    return { indexed, unread };
  }

  async #indexMissing(missing: readonly GlancedFile[]): Promise<void> {
    if (missing.length === 0) return;
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

function isKnown(file: GlancedFile): file is KnownFile {
  return "fileId" in file;
}

/** Undefined if it is no summary: SQLite does not notice that a text was changed on the disk. */
function parseSummary(json: string): SessionSummary | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isSummary(value) ? value : undefined;
  } catch {
    // The file itself is read instead.
    return undefined;
  }
}

function isSummary(value: unknown): value is SessionSummary {
  return isRecord(value) && ["path", "id", "cwd", "created", "modified", "firstMessage"]
    .every((key) => typeof value[key] === "string") &&
    ["messageCount", "cost"].every((key) => typeof value[key] === "number");
}
