/** Replaces a file whole: whoever reads it sees the old content or the new, never a part. */
import * as fs from "node:fs";
import * as path from "node:path";

/**
 * Writes a file through a temporary one beside it and a rename. Links are followed, an existing
 * file keeps its mode, missing directories are made. A file that a rename would change (it has more
 * than one name, or another owner) or whose directory takes no new files is written in place. Throws errors of `node:fs`.
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
    if (before.nlink > 1 || before.uid !== (process.getuid?.() ?? before.uid)) {
      return fs.writeFileSync(target, bytes);
    }
  } else fs.mkdirSync(path.dirname(target), { recursive: true });
  const temporary = path.join(path.dirname(target), `.bough-${crypto.randomUUID()}.tmp`);
  let fd: number;
  try {
    fd = fs.openSync(temporary, "wx", 0o666);
  } catch (error) {
    if (!before) throw error;
    return fs.writeFileSync(target, bytes);
  }
  try {
    try {
      for (let done = 0; done < bytes.length;) done += fs.writeSync(fd, bytes, done);
      if (before) fs.fchmodSync(fd, before.mode & 0o7777);
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(temporary, target);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** Where a path leads, also through links to what is not there yet. */
function linkTarget(file: string): string {
  let current = file;
  for (let hops = 0; hops < 40; hops++) {
    const stat = fs.lstatSync(current, { throwIfNoEntry: false });
    if (!stat?.isSymbolicLink()) break;
    current = path.resolve(path.dirname(current), fs.readlinkSync(current));
  }
  return current;
}
