/**
 * Replaces an older session file by its upgraded version. Killed at any step, it leaves one whole
 * file under the session's name: the old one or the new one.
 */
import { SessionError } from "./errors.ts";
import type { HeaderReading } from "./header.ts";
import { replaceFile } from "./replace_file.ts";
import type { SessionLog } from "./session_log.ts";
import type { StorageEnvironment } from "./storage_env.ts";
import { upgradeLog } from "./upgrade.ts";
import { reasonOf } from "./thrown.ts";

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
  try {
    replaceFile(fs, {
      // A link goes on to be one.
      file: fs.realPath(file) ?? file,
      chunks: [upgradeLog(log.source(), reading)],
      mode: fs.stat(file)?.mode ?? 0o600,
      old: log.source(),
      backup: `${file}.v${reading.header.version}`,
    });
  } catch (cause) {
    const reason = reasonOf(cause);
    throw new SessionError(
      "write_failed",
      `Cannot bring session ${file} to today's format: ${reason}; the file is as it was, and can ` +
        "be read",
      { file, cause },
    );
  }
}
