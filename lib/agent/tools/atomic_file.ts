/** Replaces a file whole: whoever reads it sees the old content or the new, never a part. */
import * as fs from "node:fs";
import * as path from "node:path";

/**
 * Writes a file through a temporary one beside it and a rename. Links are followed, an existing
 * file keeps its mode, missing directories are made. A file that a rename would change (it has more
 * than one name, or another owner or group) or whose directory takes no new files is written in
 * place. Throws errors of `node:fs`.
 */
export function replaceFile(file: string, bytes: Uint8Array): void {
  const target = linkTarget(file);
  const before = fs.statSync(target, { throwIfNoEntry: false });
  if (before) {
    if (!before.isFile()) {
      throw new Error(before.isDirectory() ? "it is a directory" : "it is no regular file");
    }
    // A rename would pass over the file's own permission.
    fs.accessSync(target, fs.constants.W_OK);
    if (before.nlink > 1) return fs.writeFileSync(target, bytes);
  } else fs.mkdirSync(path.dirname(target), { recursive: true });
  const temporary = path.join(path.dirname(target), `.bough-${crypto.randomUUID()}.tmp`);
  let fd: number;
  try {
    fd = fs.openSync(temporary, "wx", 0o666);
  } catch (error) {
    if (!before) throw error;
    return fs.writeFileSync(target, bytes);
  }
  let isReplaced = false;
  try {
    if (fill(fd, bytes, before)) {
      fs.renameSync(temporary, target);
      isReplaced = true;
    }
  } finally {
    if (!isReplaced) fs.rmSync(temporary, { force: true });
  }
  if (!isReplaced) fs.writeFileSync(target, bytes);
}

/** Makes of an empty file what takes the place of another; false if it belongs to somebody else. */
function fill(fd: number, bytes: Uint8Array, before: fs.Stats | undefined): boolean {
  try {
    const { uid, gid } = fs.fstatSync(fd);
    if (before && (before.uid !== uid || before.gid !== gid)) return false;
    for (let done = 0; done < bytes.length;) {
      const count = fs.writeSync(fd, bytes, done);
      if (count === 0) throw Object.assign(new Error("no bytes were taken"), { code: "ENOSPC" });
      done += count;
    }
    if (before) fs.fchmodSync(fd, before.mode & 0o7777);
    return true;
  } finally {
    fs.closeSync(fd);
  }
}

/** Where a path leads, also through links to what is not there yet. */
function linkTarget(file: string): string {
  let current = file;
  for (let hops = 0; hops < 40; hops++) {
    const stat = fs.lstatSync(current, { throwIfNoEntry: false });
    if (!stat?.isSymbolicLink()) break;
    // Where the link is, not where the path to it says: ".." goes up from there.
    const directory = fs.realpathSync(path.dirname(current));
    current = path.resolve(directory, fs.readlinkSync(current));
  }
  return current;
}
