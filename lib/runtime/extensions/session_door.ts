/** What extensions reach of a conversation: nothing before it is live, nothing after it was left. */
import type { AgentSession } from "../agent_session.ts";
import type { SessionView } from "./api.ts";
import { ExtensionError } from "./errors.ts";

/** Lets through to the live session, and says what to do instead where there is none. */
export class SessionDoor {
  #session: AgentSession | undefined;
  #isShut = false;

  open(session: AgentSession): void {
    this.#session = session;
  }

  shut(): void {
    this.#isShut = true;
    this.#session = undefined;
  }

  /** Aborts with what is going on in the live session, if something is. */
  get runSignal(): AbortSignal | undefined {
    return this.#session?.signal;
  }

  /** Throws an `ExtensionError` of code `stale`. */
  assertNotStale(): void {
    if (!this.#isShut) return;
    throw new ExtensionError(
      "stale",
      "Cannot use this any more: it is stale, its session was left by a switch, a fork or a reload. " +
        "Keep nothing of a session; use what the next handler is given, from session_start on.",
    );
  }

  /** The live session. Throws an `ExtensionError` of code `stale` or `not_now`. */
  get session(): AgentSession {
    this.assertNotStale();
    if (this.#session) return this.#session;
    throw new ExtensionError(
      "not_now",
      "Cannot use the session yet: the extension is being loaded. Do it in a handler of session_start.",
    );
  }

  /** The session to read; what it gives can be changed without harm. */
  view(): SessionView {
    const current = () => this.session.session;
    return {
      get id() {
        return current().id;
      },
      get cwd() {
        return current().cwd;
      },
      get file() {
        return current().file;
      },
      get name() {
        return current().name;
      },
      get leafId() {
        return current().leafId;
      },
      get labels() {
        return new Map(current().labels);
      },
      getEntry: async (id) => structuredClone(await current().getEntry(id)),
      getEntries: async () => structuredClone(await current().getEntries()),
      getBranch: async (leafId) => structuredClone(await current().getBranch(leafId)),
      getTree: async () => structuredClone(await current().getTree()),
      buildContext: async (leafId) => structuredClone(await current().buildContext(leafId)),
    };
  }
}
