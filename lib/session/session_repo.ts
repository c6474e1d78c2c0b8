/** The port to a store of sessions: files in a directory, or memory. */
import type { ForkPoint } from "./fork.ts";
import type { Access } from "./open_log.ts";
import type { ForkedSession, Session } from "./session.ts";
import type { SessionSummary } from "./summary.ts";

/** What a new session is given. */
export interface NewSession {
  /** The directory in which it works. */
  cwd: string;
  /** By default a UUIDv7. */
  id?: string;
  /** The file that it was made from. */
  parentSession?: string;
  /** Of several processes that begin this id here at once, one does; the others are `busy`. */
  reserve?: boolean;
}

/** Where to fork, and what the fork is given instead of its source's. */
export interface ForkOptions extends ForkPoint {
  cwd?: string;
  id?: string;
}

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
  find(text: string, options?: { cwd?: string; pathsFrom?: string }): Promise<string>;
  list(options?: { cwd?: string }): Promise<SessionSummary[]>;
  /** Takes in a copy of a session file. */
  importFile(file: string, options?: { cwd?: string }): Promise<Session>;
  fork(source: string | Session, options?: ForkOptions): Promise<ForkedSession>;
  /** Deletes a session that nobody is writing, by what it is opened by. */
  delete(file: string): Promise<void>;
}
