/** The port to a store of sessions: files in a directory, or memory. */
import type { Access } from "./open_log.ts";
import type { Fork, ForkOptions, NewSession } from "./repo.ts";
import type { Session } from "./session.ts";
import type { SessionSummary } from "./summary.ts";

/** How a session is opened. */
export interface OpenSessionOptions {
  /** `write` takes its lock now, `read` never; absent: at the first append. */
  access?: Access;
  /** The directory to work in instead of the session's own. */
  cwd?: string;
}

/** A store of sessions. Methods reject with a `SessionError`. */
export interface SessionRepo {
  create(options: NewSession): Promise<Session>;
  open(file: string, options?: OpenSessionOptions): Promise<Session>;
  continueRecent(cwd: string): Promise<Session | undefined>;
  /** What `continueRecent` would open. */
  findRecent(cwd: string): Promise<string | undefined>;
  /** What the session of a directory with exactly this id is opened by. */
  findKey(id: string, cwd: string): Promise<string | undefined>;
  /** What the session with a path, an id, the unique start of one or a name is opened by. */
  find(text: string, options?: { cwd?: string }): Promise<string>;
  list(options?: { cwd?: string }): Promise<SessionSummary[]>;
  /** Takes in a copy of a session file. */
  importFile(file: string, options?: { cwd?: string }): Promise<Session>;
  fork(source: string | Session, options?: ForkOptions): Promise<Fork>;
}
