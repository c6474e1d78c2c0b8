/** The sessions in a directory. */
import { Buffer } from "node:buffer";
import * as path from "node:path";
import { SESSION_VERSION, type SessionHeader } from "./entry.ts";
import { SessionError } from "./errors.ts";
import { type FileSystem, nodeFileSystem } from "./file_system.ts";
import { type ForkPlan, type ForkPoint, planFork } from "./fork.ts";
import { writeFork } from "./fork_file.ts";
import { JsonlSessionStorage, type OpenLog } from "./jsonl_storage.ts";
import { FileLock } from "./lock.ts";
import { type Access, openLog, planLog } from "./open_log.ts";
import { assertSessionId, fileName, sessionDirectory } from "./paths.ts";
import { type Clock, type Ids, randomIds, type SessionLock, systemClock } from "./ports.ts";
import { Session } from "./session.ts";
import { findSession, type SessionFile, sessionFiles } from "./session_files.ts";
import type { Durability, StorageEnvironment } from "./storage_env.ts";
import { byActivity, newestMessage, type SessionSummary, summaryOf, tallyLog } from "./summary.ts";

/** What a repo is made of; only the directory has no default. */
export interface JsonlSessionRepoOptions {
  /** The directory of all sessions. It is made when the first session is written. */
  sessionsDir: string;
  /** New sessions go directly into the directory, not into one for their working directory. */
  flat?: boolean;
  /** When an append waits for the disk; by default where a turn's step ends. */
  durability?: Durability;
  fs?: FileSystem;
  clock?: Clock;
  ids?: Ids;
  lock?: SessionLock;
}

/** What a new session is given. */
export interface NewSession {
  /** The directory in which it works. */
  cwd: string;
  /** By default a UUIDv7. */
  id?: string;
  /** The file that it was made from. */
  parentSession?: string;
}

/** Where to fork, and what the fork is given instead of its source's. */
export interface ForkOptions extends ForkPoint {
  cwd?: string;
  id?: string;
}

/** A fork, and the text of the message that it stops before. */
export interface Fork {
  session: Session;
  editorText?: string;
}

/**
 * Sessions as JSONL files in a directory (`docs/session-format.md`). Methods reject with a
 * `SessionError`.
 *
 * @example
 * ```ts
 * import { JsonlSessionRepo } from "bough";
 *
 * const repo = new JsonlSessionRepo({ sessionsDir: "sessions" });
 * const session = await repo.create({ cwd: "/tmp" });
 * await session.appendMessage({ role: "user", content: "Hello", timestamp: Date.now() });
 * await session.close();
 * const [newest] = await repo.list({ cwd: "/tmp" });
 * console.log(newest?.firstMessage); // Hello
 * ```
 */
export class JsonlSessionRepo {
  /** The directory of all sessions, absolute. */
  readonly sessionsDir: string;
  readonly #isFlat: boolean;
  readonly #environment: StorageEnvironment;

  constructor(options: JsonlSessionRepoOptions) {
    const { flat = false, durability = "turn", fs = nodeFileSystem } = options;
    const { clock = systemClock, ids = randomIds, lock = new FileLock({ fs }) } = options;
    this.sessionsDir = path.resolve(options.sessionsDir);
    this.#isFlat = flat;
    this.#environment = { fs, clock, ids, lock, durability };
  }

  /**
   * A new session. Its file is made when a user or an assistant message is appended; until then its
   * entries wait in memory.
   *
   * @throws SessionError `bad_id`.
   */
  async create(options: NewSession): Promise<Session> {
    const header = this.#newHeader(options);
    return this.#session(planLog(this.#fileOf(header), header, this.#environment));
  }

  /**
   * Opens a session file. With `write`, its lock is taken now; with `read`, never, and appends
   * reject; by default at the first append. An older version is upgraded on the disk, unless
   * `access` is `read`. An empty file becomes a session, unless `access` is `read`.
   *
   * @param options `cwd`: the directory that a session made of an empty file works in, by default
   * the current one.
   * @throws SessionError `not_found`, `not_a_session`; with `write` also `busy`, `newer_version`,
   * `write_failed`.
   */
  async open(file: string, options: { access?: Access; cwd?: string } = {}): Promise<Session> {
    return this.#session(this.#openLog(file, options.access, options.cwd));
  }

  /** The session of a directory with the newest message, or undefined if it has none. */
  async continueRecent(cwd: string): Promise<Session | undefined> {
    const newest = this.#files(cwd)
      .map((file) => ({
        file,
        time: this.#readingLog(file, ({ reader }) => newestMessage(reader)),
      }))
      .sort((a, b) => (b.time ?? 0) - (a.time ?? 0) || b.file.changed - a.file.changed)
      .find(({ time }) => time !== undefined);
    return newest && this.open(newest.file.path);
  }

  /**
   * The path of the session that a path, an id, the unique start of an id or a name means.
   *
   * @param options `cwd`: where relative paths begin, and whose sessions go first, by default the
   * current directory.
   * @throws SessionError `not_found`, `ambiguous`, `not_a_session`.
   */
  async find(text: string, options: { cwd?: string } = {}): Promise<string> {
    return findSession(this.#environment.fs, text, {
      sessionsDir: this.sessionsDir,
      cwd: path.resolve(options.cwd ?? ""),
      nameOf: (file) => this.#readingLog(file, (log) => this.#storage(log).name),
    });
  }

  /** The sessions of a directory, or all, newest activity first. */
  async list(options: { cwd?: string } = {}): Promise<SessionSummary[]> {
    return this.#files(options.cwd)
      .map((file) => this.#readingLog(file, (log) => this.#summary(file, log)))
      .filter((summary) => summary !== undefined)
      .sort(byActivity);
  }

  /**
   * A new session with the path to an entry (by default the leaf) of another, labels on it kept.
   * The other one is not touched.
   *
   * @param source A path, or a session, which stays open.
   * @throws SessionError as `open`, and `unknown_entry`, `bad_id`, `write_failed`.
   */
  async fork(source: string | Session, options: ForkOptions = {}): Promise<Fork> {
    if (typeof source !== "string") return this.#fork(source, options);
    const session = await this.open(source, { access: "read" });
    try {
      return this.#fork(session, options);
    } finally {
      await session.close();
    }
  }

  #fork(source: Session, { cwd = source.cwd, id, ...point }: ForkOptions): Fork {
    const { file } = source;
    const header = this.#newHeader({
      cwd,
      ...id === undefined ? {} : { id },
      ...file === undefined ? {} : { parentSession: file },
    });
    if (source.header.version > SESSION_VERSION) throw newerSource(source);
    const plan = planFork(source.storage, point, this.#environment);
    const session = this.#session(this.#forkLog(this.#fileOf(header), header, plan));
    return plan.editorText === undefined ? { session } : { session, editorText: plan.editorText };
  }

  /** A fork in which something was said is written at once; else it waits as a new session does. */
  #forkLog(file: string, header: SessionHeader, plan: ForkPlan): OpenLog {
    if (plan.isSaid) {
      writeFork(file, header, plan, this.#environment);
      return this.#openLog(file, undefined, undefined);
    }
    return planLog(file, header, this.#environment, { lines: Buffer.concat([...plan.chunks()]) });
  }

  #newHeader({ cwd, id = this.#environment.ids.sessionId(), parentSession }: NewSession) {
    assertSessionId(id);
    const header: SessionHeader = {
      type: "session",
      version: SESSION_VERSION,
      id,
      timestamp: new Date(this.#environment.clock.now()).toISOString(),
      cwd: path.resolve(cwd),
    };
    return parentSession === undefined ? header : { ...header, parentSession };
  }

  #fileOf({ timestamp, id, cwd }: SessionHeader): string {
    const directory = this.#isFlat ? this.sessionsDir : sessionDirectory(this.sessionsDir, cwd);
    return path.join(directory, fileName(timestamp, id));
  }

  #openLog(file: string, access: Access | undefined, cwd: string | undefined): OpenLog {
    const absolute = path.resolve(file);
    // Through a link the file itself is written, locked and upgraded, not the link.
    const real = this.#environment.fs.realPath(absolute) ?? absolute;
    return openLog(real, this.#environment, access, () => this.#newHeader({ cwd: cwd ?? "" }));
  }

  #storage(open: OpenLog): JsonlSessionStorage {
    return new JsonlSessionStorage(open, this.#environment);
  }

  #session(open: OpenLog): Session {
    return new Session(this.#storage(open));
  }

  #files(cwd: string | undefined): SessionFile[] {
    const directory = cwd === undefined ? undefined : path.resolve(cwd);
    return sessionFiles(this.#environment.fs, this.sessionsDir, directory);
  }

  /** Looks into a file; undefined if it cannot be read (any more). */
  #readingLog<T>(file: SessionFile, look: (open: OpenLog) => T): T | undefined {
    let open: OpenLog | undefined;
    try {
      open = this.#openLog(file.path, "read", undefined);
      return look(open);
    } catch {
      // One session that cannot be read must not hide the others.
      return undefined;
    } finally {
      open?.log.close();
    }
  }

  #summary(file: SessionFile, open: OpenLog): SessionSummary {
    const storage = this.#storage(open);
    return summaryOf(file.path, open.header, tallyLog(open.reader), {
      name: storage.name,
      model: storage.settings(storage.leafId).model,
      fallback: file.changed,
    });
  }
}

function newerSource({ file, id, header }: Session): SessionError {
  return new SessionError(
    "newer_version",
    `Cannot fork session ${
      file ?? id
    }: its format is version ${header.version}, and this program ` +
      `writes version ${SESSION_VERSION}`,
  );
}
