/** Changing a file that other processes change too: a lock, a new file, a rename. */
import { Buffer } from "node:buffer";
import * as path from "node:path";
import {
  FileLock,
  type FileSystem,
  type HeldLock,
  nodeFileSystem,
  SessionError,
  type SessionLock,
  waitForLock,
  type WaitOptions,
  writeWhole,
} from "../../session/mod.ts";
import { ConfigError } from "./errors.ts";
import { fileErrorReason, realPathOf } from "./text_file.ts";

export interface ChangeOptions {
  readonly fs?: FileSystem;
  /** Held on `<file>.lock` during the change; the system's own lock if absent. */
  readonly lock?: SessionLock;
  /** How to wait for the lock; 5 s at most if absent. */
  readonly wait?: WaitOptions;
}

const TIMEOUT_MS = 5_000;

function failed(file: string, cause: unknown): ConfigError {
  const message = `Cannot write ${file}: ${fileErrorReason(cause)}; make that good and try again`;
  return new ConfigError("write_failed", message, { file, cause });
}

/** Opens the file beside `file` that its lock is held on. It stays, so that all lock the same one. */
function openLockFile(file: string, fs: FileSystem): { name: string; fd: number } {
  const name = `${file}.lock`;
  fs.makeDirectory(path.dirname(file), 0o700);
  try {
    return { name, fd: fs.open(name, "ax") };
  } catch (error) {
    if (!fs.stat(name)) throw error;
    return { name, fd: fs.open(name, "a") };
  }
}

async function acquire(
  file: string,
  { name, fd }: { name: string; fd: number },
  { lock, wait }: ChangeOptions,
): Promise<HeldLock> {
  // A home on a network file system is common, and a change lasts some milliseconds only.
  const guard = lock ?? new FileLock({ networkFileSystem: () => undefined });
  try {
    return await waitForLock(() => guard.acquire(name, fd), { timeoutMs: TIMEOUT_MS, ...wait });
  } catch (error) {
    if (!(error instanceof SessionError && error.code === "busy")) throw error;
    const message =
      `Cannot write ${file}: another process has been changing it; try again when it is done`;
    throw new ConfigError("busy", message, { file, cause: error });
  }
}

function replace(file: string, text: string, fs: FileSystem): void {
  // A link to a file elsewhere (kept in version control, say) goes on to be one.
  const target = realPathOf(file, fs);
  const fresh = `${target}.tmp`;
  // Left by a process that was killed here; the lock is ours.
  fs.remove(fresh);
  writeWhole(fs, fresh, { chunks: [Buffer.from(text)], mode: 0o600, sync: true });
  try {
    fs.rename(fresh, target);
  } catch (error) {
    fs.remove(fresh);
    throw error;
  }
  fs.syncDirectory(path.dirname(target));
}

/**
 * Replaces a file's content in one step, so that a reader sees the old text or the new one. `newText`
 * is asked under the lock. Whatever fails, the old file stands; `ConfigError` says why (`busy`,
 * `write_failed`, or what `newText` threw).
 */
export async function changeFile(
  { file, ...options }: ChangeOptions & { readonly file: string },
  newText: () => string,
): Promise<void> {
  const fs = options.fs ?? nodeFileSystem;
  try {
    const lockFile = openLockFile(file, fs);
    try {
      const held = await acquire(file, lockFile, options);
      try {
        replace(file, newText(), fs);
      } finally {
        held.release();
      }
    } finally {
      fs.close(lockFile.fd);
    }
  } catch (error) {
    throw error instanceof ConfigError ? error : failed(file, error);
  }
}
