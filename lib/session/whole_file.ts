/** Writes files that are whole or not there. */
import type { Buffer } from "node:buffer";
import type { Descriptor, FileSystem } from "./file_system.ts";

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
    for (const chunk of chunks) writeAll(fs, fd, chunk);
    if (sync) fs.sync(fd);
    isWhole = true;
  } finally {
    fs.close(fd);
    if (!isWhole) fs.remove(file);
  }
}

/**
 * Writes all of the bytes. A disk that is filling up takes a part of them without an error; why it
 * takes no more it says when it is asked for the rest.
 *
 * @throws the file system's error; what was taken before it stays.
 */
export function writeAll(fs: FileSystem, fd: Descriptor, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) {
    const count = fs.write(fd, bytes.subarray(at));
    if (count === 0) {
      throw Object.assign(new Error("no more bytes were taken (is the disk full?)"), {
        code: "ENOSPC",
      });
    }
    at += count;
  }
}
