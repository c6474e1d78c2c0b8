/** The sessions in a directory. */
import { Buffer } from "node:buffer";
import * as path from "node:path";
import { glances } from "./catalog/recent.ts";
import { deleteSession } from "./delete_session.ts";
import { SESSION_VERSION, type SessionHeader } from "./entry.ts";
import { type FileSystem, nodeFileSystem } from "./file_system.ts";
import { type ForkPlan, planFork } from "./fork.ts";
import { assertCopyable, writeFork, writeImport } from "./fork_file.ts";
import { JsonlSessionStorage, type OpenLog } from "./jsonl_storage.ts";
import { FileLock } from "./lock.ts";
import { newHeader } from "./new_header.ts";
import { realPathOf } from "./named_file.ts";
import { type Access, openLog, planLog } from "./open_log.ts";
import {
  absolutePath,
  assertSessionId,
  fileName,
  isSessionId,
  sessionDirectory,
  takenId,
} from "./paths.ts";
import { type Clock, type Ids, randomIds, type SessionLock, systemClock } from "./ports.ts";
import { justBegun, reserveId } from "./reservation.ts";
import { ForkedSession, Session } from "./session.ts";
import type { ForkOptions, NewSession, OpenSessionOptions, SessionRepo } from "./session_repo.ts";
import { findSession, type SessionFile, sessionFile, sessionFiles } from "./session_files.ts";
import type { Durability, StorageEnvironment } from "./storage_env.ts";
import { type SessionSummary, summaryOf, tallyLog } from "./summary.ts";

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
export class JsonlSessionRepo implements SessionRepo {
  /** The directory of all sessions, absolute. */
  readonly sessionsDir: string;
  readonly #isFlat: boolean;
  readonly #environment: StorageEnvironment;

  constructor(options: JsonlSessionRepoOptions) {
    const { flat = false, durability = "turn", fs = nodeFileSystem } = options;
    const { clock = systemClock, ids = randomIds, lock = new FileLock({ fs }) } = options;
    this.sessionsDir = absolutePath(options.sessionsDir);
    this.#isFlat = flat;
    this.#environment = { fs, clock, ids, lock, durability };
  }

  /**
   * A new session. Its file is made when a user or an assistant message is appended; until then its
   * entries wait in memory.
   *
   * @throws SessionError `bad_id`, also if a session of the directory has the id; with `reserve`,
   * `busy` then.
   */
  async create(options: NewSession): Promise<Session> {
    const header = newHeader(options, this.#environment);
    const file = this.#fileOf(header);
    if (!options.reserve) {
      if (options.id !== undefined) this.#assertFree(header);
      return this.#session(planLog(file, header, this.#environment));
    }
    const reservation = reserveId(header.id, path.dirname(file), this.#environment);
    try {
      if (await this.findKey(header.id, header.cwd) !== undefined) throw justBegun(header.id);
    } catch (error) {
      reservation.release();
      throw error;
    }
    return this.#session(planLog(file, header, this.#environment, { reservation }));
  }

  /**
   * Opens a session file. With `write`, its lock is taken now; with `read`, never, and appends
   * reject; by default at the first append. An older version is upgraded on the disk, unless
   * `access` is `read`. An empty file becomes a session, unless `access` is `read`.
   *
   * @param options `cwd`: the directory to work in instead of the session's own; one made of an
   * empty file works in the current directory otherwise.
   * @throws SessionError `not_found`, `not_a_session`; with `write` also `busy`, `newer_version`,
   * `write_failed`.
   */
  async open(file: string, options: OpenSessionOptions = {}): Promise<Session> {
    const { access, cwd } = options;
    const storage = this.#storage(this.#openLog(file, access, cwd));
    return new Session(storage, cwd === undefined ? {} : { cwd: absolutePath(cwd) });
  }

  /** The session of a directory with the newest message, or undefined if it has none. */
  async continueRecent(cwd: string): Promise<Session | undefined> {
    const file = await this.findRecent(cwd);
    return file === undefined ? undefined : this.open(file);
  }

  /** The file of the session that `continueRecent` would open. */
  async findRecent(cwd: string): Promise<string | undefined> {
    const { fs } = this.#environment;
    const [newest] = glances(fs, this.sessionsDir, { cwd: absolutePath(cwd) });
    return newest?.path;
  }

  /** The file of the session of a directory with exactly this id. @throws SessionError `bad_id`. */
  async findKey(id: string, cwd: string): Promise<string | undefined> {
    assertSessionId(id);
    return this.#files(cwd).find(({ header }) => header.id === id)?.path;
  }

  /**
   * The path of the session that a path, an id, the unique start of an id or a name means.
   *
   * @param options `cwd`: whose sessions go first, by default the current directory; `pathsFrom`:
   * where relative paths begin, by default `cwd`.
   * @throws SessionError `not_found`, `ambiguous`, `not_a_session`.
   */
  async find(text: string, options: { cwd?: string; pathsFrom?: string } = {}): Promise<string> {
    const { cwd = "", pathsFrom } = options;
    return findSession(this.#environment.fs, text, {
      sessionsDir: this.sessionsDir,
      cwd: absolutePath(cwd),
      ...pathsFrom === undefined ? {} : { pathsFrom },
      nameOf: (file) => this.#readingLog(file, (log) => this.#storage(log).name),
    });
  }

  /** A session in its directory at a glance; undefined if the file is none, or cannot be read. */
  summarize({ path, mtimeMs }: { path: string; mtimeMs: number }): SessionSummary | undefined {
    const file = sessionFile(this.#environment.fs, path);
    return file &&
      this.#readingLog(file, (log) => this.#summary({ ...file, changed: mtimeMs }, log));
  }

  /**
   * Deletes a session: its file, under its lock, and the copies that upgrades and repairs have kept.
   *
   * @throws SessionError `not_found`, `busy`, `write_failed`.
   */
  async delete(file: string): Promise<void> {
    deleteSession(absolutePath(file), this.#environment);
  }

  /** The sessions of a directory, or all, newest activity first. */
  async list(options: { cwd?: string } = {}): Promise<SessionSummary[]> {
    const { cwd } = options;
    const { fs } = this.#environment;
    return glances(fs, this.sessionsDir, cwd === undefined ? {} : { cwd: absolutePath(cwd) })
      .map((file) => this.summarize(file))
      .filter((summary) => summary !== undefined);
  }

  /**
   * A new session with the path to an entry (by default the leaf) of another, labels on it kept.
   * The other one is not touched.
   *
   * @param source A path, or a session, which stays open.
   * @throws SessionError as `open`, and `unknown_entry`, `bad_id`, `write_failed`.
   */
  async fork(source: string | Session, options: ForkOptions = {}): Promise<ForkedSession> {
    if (typeof source !== "string") return this.#fork(source, options);
    const session = await this.open(source, { access: "read" });
    try {
      return this.#fork(session, options);
    } finally {
      await session.close();
    }
  }

  /**
   * Takes in a copy of a session file, of ours or of Pi, with all its branches. It keeps its id
   * unless there is a session with that id, and its directory unless `cwd` is given. The file itself
   * is not touched.
   *
   * @throws SessionError `not_found`, `not_a_session`, `newer_version`, `write_failed`.
   */
  async importFile(file: string, options: { cwd?: string } = {}): Promise<Session> {
    const source = await this.open(file, { access: "read" });
    try {
      assertCopyable(source, "import");
      const isFree = isSessionId(source.id) &&
        !this.#files(undefined).some(({ header }) => header.id === source.id);
      const { version, ...kept } = source.header;
      const header: SessionHeader = {
        ...kept,
        version: Math.max(version, SESSION_VERSION),
        id: isFree ? source.id : this.#environment.ids.sessionId(),
        cwd: absolutePath(options.cwd ?? source.header.cwd),
      };
      const target = this.#fileOf(header);
      writeImport(target, header, await source.getEntries(), this.#environment);
      return await this.open(target);
    } finally {
      await source.close();
    }
  }

  #fork(source: Session, { cwd = source.cwd, id, ...point }: ForkOptions): ForkedSession {
    const { file } = source;
    const header = newHeader({
      cwd,
      ...id === undefined ? {} : { id },
      ...file === undefined ? {} : { parentSession: file },
    }, this.#environment);
    if (id !== undefined) this.#assertFree(header);
    assertCopyable(source, "fork");
    const plan = planFork(source.storage, point, this.#environment);
    const log = this.#forkLog(this.#fileOf(header), header, plan);
    return new ForkedSession(this.#storage(log), plan.editorText);
  }

  /** A fork in which something was said is written at once; else it waits as a new session does. */
  #forkLog(file: string, header: SessionHeader, plan: ForkPlan): OpenLog {
    if (plan.isSaid) {
      writeFork(file, header, plan, this.#environment);
      return this.#openLog(file, undefined, undefined);
    }
    return planLog(file, header, this.#environment, { lines: Buffer.concat([...plan.chunks()]) });
  }

  #assertFree({ id, cwd }: SessionHeader): void {
    if (this.#files(cwd).some(({ header }) => header.id === id)) throw takenId(id);
  }

  #fileOf({ timestamp, id, cwd }: SessionHeader): string {
    const directory = this.#isFlat ? this.sessionsDir : sessionDirectory(this.sessionsDir, cwd);
    return path.join(directory, fileName(timestamp, id));
  }

  #openLog(file: string, access: Access | undefined, cwd: string | undefined): OpenLog {
    const absolute = absolutePath(file);
    // Through a link the file itself is written, locked and upgraded, not the link.
    const real = realPathOf(this.#environment.fs, absolute);
    const environment = this.#environment;
    return openLog(real, environment, access, () => newHeader({ cwd: cwd ?? "" }, environment));
  }

  #storage(open: OpenLog): JsonlSessionStorage {
    try {
      return new JsonlSessionStorage(open, this.#environment);
    } catch (error) {
      // It could not be read: nobody else will let go of the file.
      open.log.close();
      throw error;
    }
  }

  #session(open: OpenLog): Session {
    return new Session(this.#storage(open));
  }

  #files(cwd: string | undefined): SessionFile[] {
    const directory = cwd === undefined ? undefined : absolutePath(cwd);
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
