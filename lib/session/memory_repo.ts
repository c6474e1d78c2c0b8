/** Sessions that are nowhere but in memory, behind the surface of those in files. */
import { Buffer } from "node:buffer";
import { memorySource } from "./byte_source.ts";
import { parseEntry } from "./codec.ts";
import { planFork } from "./fork.ts";
import { linesForward } from "./lines.ts";
import { MemorySessionStorage } from "./memory_storage.ts";
import { newHeader } from "./new_header.ts";
import { absolutePath, takenId } from "./paths.ts";
import { type Clock, type Ids, randomIds, systemClock } from "./ports.ts";
import { ForkedSession, Session } from "./session.ts";
import type { ForkOptions, NewSession, OpenSessionOptions, SessionRepo } from "./session_repo.ts";
import type { MemoryEnvironment } from "./storage_env.ts";
import { matchSession, sessionNotFound } from "./session_files.ts";
import { byActivity, type SessionSummary, summaryOf, tallyEntries } from "./summary.ts";

/**
 * Sessions in memory. Where `JsonlSessionRepo` has a path, here an id stands.
 *
 * @example
 * ```ts
 * import { MemorySessionRepo } from "bough";
 *
 * const repo = new MemorySessionRepo();
 * const session = await repo.create({ cwd: "/tmp", id: "notes" });
 * console.log(session.id, session.file); // notes undefined
 * ```
 */
export class MemorySessionRepo implements SessionRepo {
  readonly #environment: MemoryEnvironment;
  readonly #sessions = new Map<string, MemorySessionStorage>();

  constructor({ clock = systemClock, ids = randomIds }: { clock?: Clock; ids?: Ids } = {}) {
    this.#environment = { clock, ids };
  }

  /** A new session. @throws SessionError `bad_id`, also if the id is taken. */
  async create(options: NewSession): Promise<Session> {
    return new Session(this.#create(options));
  }

  /**
   * The session with an id. Whoever opens it gets the same one: there is no file that could have two
   * writers.
   *
   * @throws SessionError `not_found`.
   */
  async open(id: string, options: Pick<OpenSessionOptions, "cwd"> = {}): Promise<Session> {
    const storage = this.#sessions.get(id);
    if (!storage) throw sessionNotFound(id);
    storage.open();
    const { cwd } = options;
    return new Session(storage, cwd === undefined ? {} : { cwd: absolutePath(cwd) });
  }

  /** The session of a directory with the newest message, or undefined if it has none. */
  async continueRecent(cwd: string): Promise<Session | undefined> {
    const id = await this.findRecent(cwd);
    return id === undefined ? undefined : this.open(id);
  }

  /** The id of the session that `continueRecent` would open. */
  async findRecent(cwd: string): Promise<string | undefined> {
    const [newest] = await this.list({ cwd: absolutePath(cwd) });
    return newest?.id;
  }

  /** The id, if a session of the directory has it. */
  async findKey(id: string, cwd: string): Promise<string | undefined> {
    return this.#sessions.get(id)?.header.cwd === absolutePath(cwd) ? id : undefined;
  }

  /**
   * The id that an id, the unique start of one or a name means.
   *
   * @param options `cwd`: whose sessions go first, by default the current directory.
   * @throws SessionError `not_found`, `ambiguous`.
   */
  async find(text: string, options: { cwd?: string; pathsFrom?: string } = {}): Promise<string> {
    const all = [...this.#sessions].map(([path, storage]) => ({
      path,
      header: storage.header,
      name: storage.name,
    }));
    const cwd = absolutePath(options.cwd ?? "");
    const match = matchSession(all, text, { cwd, nameOf: ({ name }) => name });
    if (!match) throw sessionNotFound(text);
    return match.path;
  }

  /** The sessions of a directory, or all, newest activity first. */
  async list(options: { cwd?: string } = {}): Promise<SessionSummary[]> {
    const cwd = options.cwd === undefined ? undefined : absolutePath(options.cwd);
    return [...this.#sessions.values()]
      .filter(({ header }) => cwd === undefined || header.cwd === cwd)
      .map((storage) =>
        summaryOf(storage.header.id, storage.header, tallyEntries(storage.entries()), {
          name: storage.name,
          model: storage.settings(storage.leafId).model,
          fallback: Date.parse(storage.header.timestamp),
        })
      )
      .sort(byActivity);
  }

  /** A new session with the path to an entry (by default the leaf) of another. */
  async fork(source: string | Session, options: ForkOptions = {}): Promise<ForkedSession> {
    const from = typeof source === "string" ? await this.open(source) : source;
    const { cwd = from.cwd, id, ...point } = options;
    const plan = planFork(from.storage, point, this.#environment);
    const parentSession = from.file ?? from.id;
    const storage = this.#create({ cwd, parentSession, ...id === undefined ? {} : { id } });
    const lines = memorySource(Buffer.concat([...plan.chunks()]));
    for (const { start, end } of linesForward(lines)) {
      const entry = parseEntry(lines.read(start, end));
      if (entry) storage.add(entry);
    }
    return new ForkedSession(storage, plan.editorText);
  }

  /** Takes in a copy of a session file. @throws SessionError as `JsonlSessionRepo.open`. */
  async importFile(file: string, options: { cwd?: string } = {}): Promise<Session> {
    const { JsonlSessionRepo } = await import("./repo.ts");
    const source = await new JsonlSessionRepo({ sessionsDir: "" }).open(file, { access: "read" });
    try {
      const id = this.#sessions.has(source.id) ? {} : { id: source.id };
      const storage = this.#create({ cwd: options.cwd ?? source.header.cwd, ...id });
      for (const entry of await source.getEntries()) storage.add(entry);
      return new Session(storage);
    } finally {
      await source.close();
    }
  }

  /** Forgets a session. @throws SessionError `not_found`. */
  async delete(id: string): Promise<void> {
    if (!this.#sessions.delete(id)) throw sessionNotFound(id);
  }

  #create(options: NewSession) {
    const header = newHeader(options, this.#environment);
    if (this.#sessions.has(header.id)) throw takenId(header.id);
    const storage = new MemorySessionStorage(header, this.#environment);
    this.#sessions.set(header.id, storage);
    return storage;
  }
}
