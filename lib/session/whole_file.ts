/** Writes files that are whole or not there. */
import type { Buffer } from "node:buffer";
import type { FileSystem } from "./file_system.ts";

/** What a new file gets. */
export interface NewFile {
  chunks: Iterable<Buffer>;
  /** Permissions, whatever the umask. */
  mode: number;
  /** Whether to wait until its bytes have reached the disk. */
  sync: boolean;
}

/**
 * Writes a new file; one that cannot be finished is taken away again.
 *
 * @throws the file system's error, also if there is a file of this name.
 */
export function writeWhole(fs: FileSystem, file: string, { chunks, mode, sync }: NewFile): void {
  const fd = fs.open(file, "wx", mode);
  let isWhole = false;
  try {
    fs.changeMode(file, mode);
    for (const chunk of chunks) {
      for (let at = 0; at < chunk.length;) {
        const count = fs.write(fd, chunk.subarray(at));
        if (count === 0) {
          throw Object.assign(new Error("no more bytes were taken (is the disk full?)"), {
            code: "ENOSPC",
          });
        }
        at += count;
      }
    }
    if (sync) fs.sync(fd);
    isWhole = true;
  } finally {
    fs.close(fd);
    if (!isWhole) fs.remove(file);
  }
}
