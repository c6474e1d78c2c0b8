/** Where session files are, and which names they may have. */
import { Buffer } from "node:buffer";
import * as path from "node:path";
import { SessionError } from "./errors.ts";
import { hash32 } from "./hash.ts";

/** The smallest usual limit of a name is 143 bytes (encrypted file systems). */
const NAME_BYTES_MAX = 140;
const ID_LENGTH_MAX = 128;
const ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/** The extension of session files. */
export const SESSION_EXTENSION = ".jsonl";

/**
 * A path from the root.
 *
 * @throws TypeError if a program that no compiler looked at passed something else than a text.
 */
export function absolutePath(given: string): string {
  if (typeof given === "string") return path.resolve(given);
  const other: unknown = given;
  const advice = other instanceof URL ? "; fileURLToPath() of node:url makes a path of a URL" : "";
  throw new TypeError(`Cannot use ${String(other)} as a path: a path is a text${advice}`);
}

/** Whether a text may be the id of a session. */
export function isSessionId(id: string): boolean {
  return id.length <= ID_LENGTH_MAX && ID.test(id);
}

/** @throws SessionError `bad_id` if a text may not be the id of a session. */
export function assertSessionId(id: string): void {
  if (isSessionId(id)) return;
  throw new SessionError(
    "bad_id",
    `Cannot use ${JSON.stringify(id.slice(0, 80))} as a session id: an id has 1 to ` +
      `${ID_LENGTH_MAX} letters, digits, ".", "_" and "-", and starts and ends with a letter or digit`,
  );
}

/** The error for a new session whose id another one has already. */
export function takenId(id: string): SessionError {
  return new SessionError(
    "bad_id",
    `Cannot create session ${id}: there is one with this id; open it, or choose another id`,
  );
}

/** The name of the directory for the sessions of a working directory. */
function directoryName(cwd: string): string {
  return bounded("--", cwd.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-"), "--", cwd);
}

/** The name of a session's file. */
export function fileName(timestamp: string, id: string): string {
  assertSessionId(id);
  const time = timestamp.replace(/[:.]/g, "-");
  return bounded(`${time}_`, id, SESSION_EXTENSION, id);
}

const FILE_NAME = /^\d{4}-\d\d-\d\dT[\d-]+Z_(.+)\.jsonl$/;

/** Whether a file may have been named for a session whose id begins so: a name of another form tells nothing. */
export function mayBeNamedFor(name: string, idStart: string): boolean {
  const id = FILE_NAME.exec(name)?.[1];
  return id === undefined || id.startsWith(idStart) || name.length >= NAME_BYTES_MAX;
}

/** A name cut at a whole character to what every file system takes; a hash tells it from others. */
function bounded(start: string, middle: string, end: string, whole: string): string {
  const name = start + middle + end;
  if (Buffer.byteLength(name) <= NAME_BYTES_MAX) return name;
  const hash = `-${hash32(whole)}${hash32(whole, 1)}`;
  const room = NAME_BYTES_MAX - Buffer.byteLength(start + hash + end);
  let cut = "";
  let size = 0;
  for (const char of middle) {
    size += Buffer.byteLength(char);
    if (size > room) break;
    cut += char;
  }
  return start + cut + hash + end;
}

/** The directory for the sessions of a working directory, below the one for all sessions. */
export function sessionDirectory(sessionsDir: string, cwd: string): string {
  return path.join(sessionsDir, directoryName(cwd));
}
