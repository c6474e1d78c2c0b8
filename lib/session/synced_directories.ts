/** What must reach the disk for a new file to be found after a power failure. */
import * as path from "node:path";
import { type FileSystem, isDenied } from "./file_system.ts";

/**
 * The directories to sync for a file that is about to be made in `directory`: that one, and those
 * that hold the name of one that is missing yet.
 */
export function directoriesToSync(fs: FileSystem, directory: string): string[] {
  const directories = [directory];
  for (let at = directory; !isThere(fs, at);) {
    const parent = path.dirname(at);
    if (parent === at) break;
    directories.push(parent);
    at = parent;
  }
  return directories;
}

/** What we may not look at was not made by us. */
function isThere(fs: FileSystem, directory: string): boolean {
  try {
    return fs.stat(directory) !== undefined;
  } catch (error) {
    if (isDenied(error)) return true;
    throw error;
  }
}

/** The first one is ours; one further up may be closed to us, and then its owner's to keep. */
export function syncDirectories(fs: FileSystem, directories: readonly string[]): void {
  for (const [at, directory] of directories.entries()) {
    try {
      fs.syncDirectory(directory);
    } catch (error) {
      if (at === 0 || !isDenied(error)) throw error;
    }
  }
}
