/** Deletes a session's file. */
import * as path from "node:path";
import { SessionError } from "./errors.ts";
import type { StorageEnvironment } from "./storage_env.ts";

/**
 * Deletes a session's file, and the copies beside it that upgrades have kept. It is locked
 * meanwhile, so that nobody's session is deleted while it is being written.
 *
 * @throws SessionError `not_found`, `busy`, `write_failed`.
 */
export function deleteSession(file: string, { fs, lock }: StorageEnvironment): void {
  if (!fs.stat(file)?.isFile) {
    throw new SessionError("not_found", `Cannot delete ${file}: there is no such file`, { file });
  }
  let fd: number | undefined;
  try {
    fd = fs.open(file, "a");
    const held = lock.acquire(file, fd);
    try {
      for (const copy of upgradeCopies(fs.list(path.dirname(file)), file)) fs.remove(copy);
      fs.remove(file);
      fs.syncDirectory(path.dirname(file));
    } finally {
      held.release();
    }
  } catch (cause) {
    if (cause instanceof SessionError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SessionError("write_failed", `Cannot delete ${file}: ${reason}`, { file, cause });
  } finally {
    if (fd !== undefined) fs.close(fd);
  }
}

/** `<name>.v<version>.bak` */
function upgradeCopies(names: readonly string[], file: string): string[] {
  const own = `${path.basename(file)}.v`;
  return names
    .filter((name) => name.startsWith(own) && /^\d+\.bak$/.test(name.slice(own.length)))
    .map((name) => path.join(path.dirname(file), name));
}
