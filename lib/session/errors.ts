/** What can go wrong with a session, by code. */
export type SessionErrorCode =
  | "not_found"
  | "ambiguous"
  | "not_a_session"
  | "newer_version"
  | "busy"
  | "write_failed"
  | "unknown_entry"
  | "bad_id"
  | "directory_gone"
  | "closed";

/** The process that is writing a session. */
export interface LockHolder {
  pid: number;
  host: string;
  /** ISO 8601 start of the holding process, where known. */
  startedAt?: string;
  command?: string;
}

/**
 * A session could not be found, read or written. `code` is for programs, `message` for people: what
 * could not be done, why, and what to do about it.
 *
 * @example
 * ```ts
 * import { JsonlSessionRepo, SessionError } from "bough";
 *
 * const repo = new JsonlSessionRepo({ sessionsDir: "sessions" });
 * try {
 *   await repo.find("no such session");
 * } catch (error) {
 *   if (!(error instanceof SessionError)) throw error;
 *   console.log(error.code); // not_found
 * }
 * ```
 */
export class SessionError extends Error {
  override readonly name = "SessionError";
  readonly code: SessionErrorCode;
  /** With `busy`: who has the session, where that could be read. */
  readonly holder?: LockHolder;
  /** The file in question, where there is one. */
  readonly file?: string;

  constructor(
    code: SessionErrorCode,
    message: string,
    options: { cause?: unknown; holder?: LockHolder; file?: string } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options.holder) this.holder = options.holder;
    if (options.file) this.file = options.file;
  }
}
