/**
 * Keeps the id of a session that is about to begin. A session's file is made only when something is
 * said, and its name has the time in it; so of two processes that begin one id at the same moment,
 * neither would see the other.
 */
import * as path from "node:path";
import { SessionError } from "./errors.ts";
import type { Descriptor, FileSystem } from "./file_system.ts";
import { describeHolder } from "./holder.ts";
import { statIfSeen } from "./named_file.ts";
import type { HeldLock, SessionLock } from "./ports.ts";
import { errorCode, reasonOf } from "./thrown.ts";

/** A holder takes its file away; who opened it before that tries again this often. */
const ATTEMPTS_MAX = 8;

/**
 * Reserves an id in a directory, until it is released or the process ends.
 *
 * @throws SessionError `busy` if another writer has it, `write_failed` if nothing can be made there.
 */
export function reserveId(
  id: string,
  directory: string,
  { fs, lock }: { fs: FileSystem; lock: SessionLock },
): HeldLock {
  const file = path.join(directory, `.${id}.new`);
  for (let attempt = 1;; attempt++) {
    const fd = openOrMake(fs, file, id);
    try {
      const held = lock.acquire(file, fd);
      return { release: () => release(fs, { file, fd, held }) };
    } catch (error) {
      fs.close(fd);
      if (attempt === ATTEMPTS_MAX || fs.stat(file)) throw reserved(id, error);
    }
  }
}

function release(
  fs: FileSystem,
  { file, fd, held }: { file: string; fd: Descriptor; held: HeldLock },
): void {
  try {
    fs.remove(file);
    held.release();
  } catch (error) {
    // The session is begun, and found by its file from now on: what stays behind here keeps nobody
    // from it. Anything but the disk's own error is a fault of ours.
    if (errorCode(error) === undefined) throw error;
  } finally {
    fs.close(fd);
  }
}

function openOrMake(fs: FileSystem, file: string, id: string): Descriptor {
  try {
    fs.makeDirectory(path.dirname(file), 0o700);
    return fs.open(file, "ax");
  } catch (cause) {
    if (!statIfSeen(fs, file)) throw notBegun(id, file, cause);
  }
  try {
    return fs.open(file, "a");
  } catch (cause) {
    throw notBegun(id, file, cause);
  }
}

function notBegun(id: string, file: string, cause: unknown): SessionError {
  const reason = reasonOf(cause);
  return new SessionError("write_failed", `Cannot begin session ${id}: ${reason}`, { file, cause });
}

function reserved(id: string, cause: unknown): unknown {
  if (!(cause instanceof SessionError) || cause.code !== "busy") return cause;
  const { holder } = cause;
  return new SessionError(
    "busy",
    `Cannot begin session ${id}: ${describeHolder(holder)} is beginning it. Wait until it is done.`,
    { cause, ...holder && { holder } },
  );
}

/** The error for an id whose session was begun between two looks. */
export function justBegun(id: string): SessionError {
  return new SessionError("busy", `Cannot begin session ${id}: it has just been begun. Try again.`);
}
