/** Which lock the files of a directory have. */
import { type FileSystem, nodeFileSystem } from "./file_system.ts";
import { type Flock, openFlock } from "./flock_lock.ts";
import { FileLock } from "./lock.ts";

/** The kernel's own lock, or a lock file where there is none. */
export type LockKind = "flock" | "link";

/**
 * Takes the lock of a file, which is open for writing as `fd`, lets it go, and says of which kind it
 * was: that of the session files beside it.
 *
 * @throws SessionError as `FileLock.acquire`.
 */
export function lockKindOf(
  file: string,
  fd: number,
  { fs = nodeFileSystem, flock = openFlock(fs) ?? null }: {
    fs?: FileSystem;
    /** null: as if the runtime had no flock. */
    flock?: Flock | null;
  } = {},
): LockKind {
  new FileLock({ fs, flock }).acquire(file, fd).release();
  const outcome = flock?.(file, fd);
  if (typeof outcome !== "object") return "link";
  outcome.unlock();
  return "flock";
}
