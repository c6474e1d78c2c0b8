/** Sessions that are nowhere but in memory, behind the surface of those in files. */
import { Buffer } from "node:buffer";
import { memorySource } from "./byte_source.ts";
import { parseEntry } from "./codec.ts";
import { SESSION_VERSION, type SessionHeader } from "./entry.ts";
import { SessionError } from "./errors.ts";
import { planFork } from "./fork.ts";
import { linesForward } from "./lines.ts";
import { MemorySessionStorage } from "./memory_storage.ts";
import { assertSessionId } from "./paths.ts";
import { type Clock, type Ids, randomIds, systemClock } from "./ports.ts";
import { ForkedSession, Session } from "./session.ts";
import type { ForkOptions, NewSession, OpenSessionOptions, SessionRepo } from "./session_repo.ts";
import type { MemoryEnvironment } from "./storage_env.ts";
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

  /** The session with an id. @throws SessionError `not_found`. */
  async open(id: string, options: Pick<OpenSessionOptions, "cwd"> = {}): Promise<Session> {
    const storage = this.#sessions.get(id);
    if (!storage) throw notFound(id);
    storage.open();
    return new Session(storage, options);
  }

  /** The session of a directory with the newest message, or undefined if it has none. */
  async continueRecent(cwd: string): Promise<Session | undefined> {
    const id = await this.findRecent(cwd);
    return id === undefined ? undefined : this.open(id);
  }

  /** The id of the session that `continueRecent` would open. */
  async findRecent(cwd: string): Promise<string | undefined> {
    const [newest] = await this.list({ cwd });
    return newest?.id;
  }

  /** The id, if a session of the directory has it. */
  async findKey(id: string, cwd: string): Promise<string | undefined> {
    return this.#sessions.get(id)?.header.cwd === cwd ? id : undefined;
  }

  /** The id that an id, the unique start of one or a name means. @throws SessionError. */
  async find(text: string, _options: { cwd?: string; pathsFrom?: string } = {}): Promise<string> {
    const all = [...this.#sessions.values()];
    const exact = all.find(({ header }) => header.id === text);
    const started = all.filter(({ header }) => text !== "" && header.id.startsWith(text));
    const named = all.filter(({ name }) => name === text);
    const [match, ...others] = exact
      ? [exact]
      : started.length === 1
      ? started
      : named.length > 0
      ? named
      : started;
    if (!match) throw notFound(text);
    if (others.length === 0) return match.header.id;
    throw new SessionError(
      "ambiguous",
      `Cannot tell which session ${JSON.stringify(text)} is; give more of its id`,
    );
  }

  /** The sessions of a directory, or all, newest activity first. */
  async list(options: { cwd?: string } = {}): Promise<SessionSummary[]> {
    return [...this.#sessions.values()]
      .filter(({ header }) => options.cwd === undefined || header.cwd === options.cwd)
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
    if (!this.#sessions.delete(id)) throw notFound(id);
  }

  #create({ cwd, id = this.#environment.ids.sessionId(), parentSession }: NewSession) {
    assertSessionId(id);
    if (this.#sessions.has(id)) {
      throw new SessionError("bad_id", `Cannot create session ${id}: there is one with this id`);
    }
    const header: SessionHeader = {
      type: "session",
      version: SESSION_VERSION,
      id,
      timestamp: new Date(this.#environment.clock.now()).toISOString(),
      cwd,
      ...parentSession === undefined ? {} : { parentSession },
    };
    const storage = new MemorySessionStorage(header, this.#environment);
    this.#sessions.set(id, storage);
    return storage;
  }
}

function notFound(id: string): SessionError {
  return new SessionError("not_found", `Cannot find session ${JSON.stringify(id)}: there is none`);
}
