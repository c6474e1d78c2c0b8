/** Deletes a session's file. */
import * as path from "node:path";
import { SessionError } from "./errors.ts";
import { statNamed } from "./named_file.ts";
import type { StorageEnvironment } from "./storage_env.ts";
import { reasonOf } from "./thrown.ts";

/**
 * Deletes a session's file, and the copies beside it that upgrades and repairs have kept. It is locked
 * meanwhile, so that nobody's session is deleted while it is being written.
 *
 * @throws SessionError `not_found`, `busy`, `write_failed`.
 */
export function deleteSession(file: string, { fs, lock }: StorageEnvironment): void {
  if (!statNamed(fs, file, "delete").isFile) {
    throw new SessionError("not_found", `Cannot delete ${file}: there is no such file`, { file });
  }
  let fd: number | undefined;
  try {
    fd = fs.open(file, "a");
    const held = lock.acquire(file, fd);
    try {
      for (const copy of keptCopies(fs.list(path.dirname(file)), file)) fs.remove(copy);
      fs.remove(file);
      fs.syncDirectory(path.dirname(file));
    } finally {
      held.release();
    }
  } catch (cause) {
    if (cause instanceof SessionError) throw cause;
    const reason = reasonOf(cause);
    throw new SessionError("write_failed", `Cannot delete ${file}: ${reason}`, { file, cause });
  } finally {
    if (fd !== undefined) fs.close(fd);
  }
}

/**
 * `<name>.v<version>.bak` and `<name>.damaged-<time>.bak`, numbered if there are several; and what an
 * upgrade or repair that was killed has left as `<name>.new`.
 */
function keptCopies(names: readonly string[], file: string): string[] {
  const name = path.basename(file);
  return names
    .filter((one) => one.startsWith(name) && KEPT.test(one.slice(name.length)))
    .map((one) => path.join(path.dirname(file), one));
}

const KEPT = /^\.(?:new|(?:v\d+(?:\.\d+)?|damaged-[^/]+)\.bak)$/;
