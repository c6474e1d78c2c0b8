/** Replaces the whole live session, with services rebuilt for the new directory. */
import { ForkedSession, type Session, SessionError, type SessionRepo } from "../session/mod.ts";
import type { AgentSession } from "./agent_session.ts";
import { discardCopy } from "./discard.ts";

/** Why a session starts. */
export type StartReason = "start" | "new" | "resume" | "fork" | "clone" | "import" | "reload";

/** What is about to happen to the current session; an extension may cancel it. */
export type SwitchIntent =
  | { kind: "switch"; reason: StartReason; file?: string }
  | { kind: "fork"; entryId: string | null; position: "before" | "at" };

/** A command of an extension, `/name`, as lists show it. */
export interface CommandSummary {
  readonly name: string;
  readonly description: string;
}

/** One session that is live, with all that is bound to its directory. */
export interface Conversation<Services = unknown> {
  readonly session: AgentSession;
  readonly services: Services;
  /** The commands of its extensions. */
  readonly commands?: readonly CommandSummary[];
  /** Whether its extensions let it be left. */
  mayLeave?(intent: SwitchIntent): Promise<boolean>;
  /** It is the current one now, and modes are bound to it. */
  started?(start: { reason: StartReason; previousSessionFile?: string }): Promise<void>;
  /** It is about to be left; afterwards its extensions' contexts are stale. */
  shutdown?(): Promise<void>;
}

/** Services that were read and found sound, for a session that is not live yet. */
export interface Prepared<Services = unknown> {
  /** Makes the session live. What can fail was done before. */
  start(): Promise<Conversation<Services>>;
}

/** What a runtime takes its sessions and their services from. */
export interface RuntimePorts<Services> {
  repo: SessionRepo;
  /**
   * Reads settings, resources, models and tools of the session's own directory. `live` is the
   * conversation that the session goes on from, where it is the same one.
   */
  prepare(session: Session, live?: AgentSession): Promise<Prepared<Services>>;
}

/** What a replacement came to. */
export interface SwitchOutcome {
  /** An extension cancelled it: nothing was changed. */
  cancelled: boolean;
  /** The text of the user message that a fork was made before, for editing. */
  editorText?: string;
}

/** Told of each new conversation, so that it is shown from then on. */
export type Rebind<Services> = (conversation: Conversation<Services>) => void | Promise<void>;

/**
 * Holds the current conversation and replaces it: the new session is opened and its services are
 * read before the old one is torn down, so a failure leaves the old one as it was. Afterwards what
 * was kept of the old one throws a `SessionError` of code `closed`.
 *
 * @example
 * ```ts
 * import { AgentSession, AgentSessionRuntime, JsonlSessionRepo, replayModel } from "bough";
 *
 * const model = replayModel({
 *   messages: [{ role: "assistant", content: [{ type: "text", text: "Hello." }] }],
 * });
 * const repo = new JsonlSessionRepo({ sessionsDir: "sessions" });
 * const first = await repo.continueRecent("/tmp") ?? await repo.create({ cwd: "/tmp" });
 * const runtime = await AgentSessionRuntime.create(first, {
 *   repo,
 *   // What belongs to the session's directory is read here; a failure leaves the old session.
 *   prepare: async (session) => ({
 *     start: async () => ({ session: new AgentSession({ session, model }), services: {} }),
 *   }),
 * });
 * runtime.onRebind(({ session }) => console.log("now in", session.session.id));
 * await runtime.session.prompt("Say hello.");
 * await runtime.clone();
 * await runtime.newSession();
 * await runtime.dispose();
 * ```
 */
export class AgentSessionRuntime<Services = unknown> {
  readonly #ports: RuntimePorts<Services>;
  readonly #rebinds = new Set<Rebind<Services>>();
  /** What was left, or is being left. */
  readonly #left = new WeakMap<Conversation<Services>, Promise<void>>();
  #current: Conversation<Services>;
  #replacing = false;
  #disposed = false;

  private constructor(ports: RuntimePorts<Services>, current: Conversation<Services>) {
    this.#ports = ports;
    this.#current = current;
  }

  /** Makes a session live as the first of a runtime. Call `start()` once the mode is bound. */
  static async create<Services>(
    session: Session,
    ports: RuntimePorts<Services>,
  ): Promise<AgentSessionRuntime<Services>> {
    const prepared = await ports.prepare(session);
    return new AgentSessionRuntime(ports, await prepared.start());
  }

  get conversation(): Conversation<Services> {
    return this.#current;
  }

  get session(): AgentSession {
    return this.#current.session;
  }

  get services(): Services {
    return this.#current.services;
  }

  /** Tells the first session's extensions that it has started. */
  async start(): Promise<void> {
    await this.#current.started?.({ reason: "start" });
  }

  /** Calls back with each new conversation, before its extensions hear that it has started. */
  onRebind(rebind: Rebind<Services>): () => void {
    this.#rebinds.add(rebind);
    return () => this.#rebinds.delete(rebind);
  }

  /** Begins an empty session, in the current directory unless another is named. */
  async newSession(options: { cwd?: string } = {}): Promise<SwitchOutcome> {
    const cwd = options.cwd ?? this.session.session.cwd;
    return await this.#replace(
      { kind: "switch", reason: "new" },
      "new",
      () => this.#ports.repo.create({ cwd }),
    );
  }

  /**
   * Goes on with another session, in its own directory unless `cwd` is given. Throws a
   * `SessionError` (`not_found`, `ambiguous`, `not_a_session`, `busy`, `directory_gone`, …).
   */
  async switchSession(
    pathIdOrName: string,
    options: { cwd?: string } = {},
  ): Promise<SwitchOutcome> {
    const file = await this.#ports.repo.find(pathIdOrName, { cwd: this.session.session.cwd });
    if (file === this.session.session.file) return { cancelled: false };
    return await this.#replace(
      { kind: "switch", reason: "resume", file },
      "resume",
      () => this.#ports.repo.open(file, { access: "write", ...options }),
    );
  }

  /** Goes on in a new session with the path to an entry; before a user message, for editing it. */
  async fork(
    entryId: string,
    options: { position?: "before" | "at"; cwd?: string } = {},
  ): Promise<SwitchOutcome> {
    const position = options.position ?? "before";
    return await this.#replace(
      { kind: "fork", entryId, position },
      "fork",
      () =>
        this.#ports.repo.fork(this.session.session, {
          entryId,
          position,
          ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
        }),
      { isCopy: true },
    );
  }

  /** Goes on in a copy of the active branch. */
  async clone(): Promise<SwitchOutcome> {
    const entryId = this.session.session.leafId;
    return await this.#replace(
      { kind: "fork", entryId, position: "at" },
      "clone",
      () => this.#ports.repo.fork(this.session.session, {}),
      { isCopy: true },
    );
  }

  /** Goes on with a copy of a session file, of ours or of Pi; the file itself is not touched. */
  async importFromJsonl(file: string, options: { cwd?: string } = {}): Promise<SwitchOutcome> {
    return await this.#replace(
      { kind: "switch", reason: "import", file },
      "import",
      () => this.#ports.repo.importFile(file, options),
      { isCopy: true },
    );
  }

  /** Reads settings, resources and extensions anew, for the same session. */
  async reload(): Promise<void> {
    await this.#exclusively(async () => {
      const live = this.#current.session;
      const prepared = await this.#ports.prepare(live.session, live);
      const previous = live.session.file;
      await this.#change(prepared, { reason: "reload", previous, keepSession: true });
    });
  }

  /** Stops what is going on and closes the session; a replacement that is under way goes no further. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#rebinds.clear();
    await this.#leave({});
  }

  /** `dispose()`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  async #replace(
    intent: SwitchIntent,
    reason: StartReason,
    open: () => Promise<Session>,
    { isCopy = false }: { isCopy?: boolean } = {},
  ): Promise<SwitchOutcome> {
    return await this.#exclusively(async () => {
      const previous = this.session.session.file;
      if (await this.#current.mayLeave?.(intent) === false) return { cancelled: true };
      const session = await open();
      const editorText = session instanceof ForkedSession ? session.editorText : undefined;
      let prepared: Prepared<Services>;
      try {
        prepared = await this.#ports.prepare(session);
      } catch (error) {
        if (isCopy) await discardCopy(session, this.#ports.repo);
        else await session.close();
        throw error;
      }
      await this.#change(prepared, { reason, previous });
      return { cancelled: false, ...(editorText === undefined ? {} : { editorText }) };
    });
  }

  /** Lets the current conversation go: once, whoever asks for it, and each of them waits for it. */
  async #leave(options: { keepSession?: boolean }): Promise<void> {
    const conversation = this.#current;
    const leaving = this.#left.get(conversation) ?? letGo(conversation, options);
    this.#left.set(conversation, leaving);
    await leaving;
  }

  /** The old one is gone after this, however badly it went, and the new one is there. */
  async #change(
    prepared: Prepared<Services>,
    { keepSession = false, previous, reason }: {
      reason: StartReason;
      previous: string | undefined;
      keepSession?: boolean;
    },
  ): Promise<void> {
    try {
      await this.#leave({ keepSession });
    } finally {
      await this.#enter(prepared, reason, previous);
    }
  }

  async #enter(
    prepared: Prepared<Services>,
    reason: StartReason,
    previous: string | undefined,
  ): Promise<void> {
    this.#current = await prepared.start();
    try {
      for (const rebind of [...this.#rebinds]) await rebind(this.#current);
      if (this.#disposed) return;
      await this.#current.started?.({
        reason,
        ...(previous === undefined ? {} : { previousSessionFile: previous }),
      });
    } finally {
      // Disposed of meanwhile: then the new one goes, too.
      if (this.#disposed) await this.#leave({});
    }
  }

  /** Two replacements at once would leave one session without an owner. */
  async #exclusively<T>(task: () => Promise<T>): Promise<T> {
    if (this.#disposed) {
      throw new SessionError("closed", "Cannot change the session: the runtime was disposed of.");
    }
    if (this.#replacing) {
      throw new Error("Cannot change the session: it is being changed already. Wait for that.");
    }
    this.#replacing = true;
    try {
      return await task();
    } finally {
      this.#replacing = false;
    }
  }
}

/** Stops the run (what it said is kept), then the extensions; the session goes however they do. */
async function letGo(
  conversation: Conversation,
  options: { keepSession?: boolean },
): Promise<void> {
  try {
    await conversation.session.abort();
    await conversation.shutdown?.();
  } finally {
    await conversation.session.dispose(options);
  }
}
