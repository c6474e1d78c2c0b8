/** Looking at paths that may be anything: a file, nothing, or a place that is closed to us. */
import { SessionError } from "./errors.ts";
import type { FileStat, FileSystem } from "./file_system.ts";
import { reasonOf } from "./thrown.ts";

/** How a path stands; undefined where nothing is, or nothing that we may look at. */
export function statIfSeen(fs: FileSystem, file: string): FileStat | undefined {
  try {
    return fs.stat(file);
  } catch {
    // A closed directory, a name that is too long, Deno without permission: not there for us.
    return undefined;
  }
}

/**
 * How a file stands that somebody named.
 *
 * @param action What is to be done with it: "open session".
 * @throws SessionError `not_found`, also where we may not look.
 */
export function statNamed(fs: FileSystem, file: string, action: string): FileStat {
  const stat = attempt(file, action, () => fs.stat(file));
  if (stat) return stat;
  throw new SessionError("not_found", `Cannot ${action} ${file}: there is no such file`, { file });
}

/** Does something with a file that somebody named. @throws SessionError `not_found` if it fails. */
export function attempt<T>(file: string, action: string, operation: () => T): T {
  try {
    return operation();
  } catch (cause) {
    if (cause instanceof SessionError) throw cause;
    const reason = reasonOf(cause);
    const message = `Cannot ${action} ${file}: ${reason}`;
    throw new SessionError("not_found", message, { file, cause });
  }
}

/** Where a path leads through links; the path itself where that cannot be seen. */
export function realPathOf(fs: FileSystem, file: string): string {
  try {
    return fs.realPath(file) ?? file;
  } catch {
    // What is done with it next tells why it cannot be done.
    return file;
  }
}
