/**
 * Replaces an older session file by its upgraded version. Killed at any step, it leaves one whole
 * file under the session's name: the old one or the new one.
 */
import type { Buffer } from "node:buffer";
import * as path from "node:path";
import { SessionError } from "./errors.ts";
import type { FileSystem } from "./file_system.ts";
import type { HeaderReading } from "./header.ts";
import type { SessionLog } from "./session_log.ts";
import type { StorageEnvironment } from "./storage_env.ts";
import { upgradeLog } from "./upgrade.ts";
import { writeWhole } from "./whole_file.ts";

/**
 * Upgrades a session file under its lock, which stays with `log`. The old file is kept beside it
 * as `<name>.v<version>.bak`.
 *
 * @throws SessionError `busy`, or `write_failed`: the old file is still there.
 */
export function upgradeFile(
  log: SessionLog,
  reading: HeaderReading,
  { fs }: StorageEnvironment,
): void {
  log.prepare();
  const { file } = log;
  const directory = path.dirname(file);
  const temporary = `${file}.upgrade`;
  try {
    const bytes = upgradeLog(log.source(), reading);
    // One is left by an upgrade that was killed; under the lock nobody else makes it.
    fs.remove(temporary);
    const mode = fs.stat(file)?.mode ?? 0o600;
    writeWhole(fs, temporary, { chunks: [bytes], mode, sync: true });
    keepOld(
      fs,
      file,
      `${file}.v${reading.header.version}`,
      () => log.source().read(0, log.source().size),
    );
    fs.syncDirectory(directory);
    fs.rename(temporary, file);
    fs.syncDirectory(directory);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SessionError(
      "write_failed",
      `Cannot bring session ${file} to today's format: ${reason}; the file is as it was, and can ` +
        "be read",
      { file, cause },
    );
  }
}

/** Gives the old file a second name, or a copy where the file system has no second names. */
function keepOld(fs: FileSystem, file: string, name: string, bytes: () => Buffer): void {
  const old = fs.stat(file);
  for (let number = 1;; number++) {
    const backup = number === 1 ? `${name}.bak` : `${name}.${number}.bak`;
    const there = fs.stat(backup);
    // An upgrade that was killed got this far.
    if (there && there.ino === old?.ino && there.dev === old.dev) return;
    if (there) continue;
    try {
      fs.link(file, backup);
    } catch {
      // No links here: the bytes are copied; if that fails, too, the upgrade stops.
      writeWhole(fs, backup, { chunks: [bytes()], mode: old?.mode ?? 0o600, sync: true });
    }
    return;
  }
}
