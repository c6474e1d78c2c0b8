/** A write at the end of a file that others may read at any time, and what becomes of it if it fails. */
import type { Buffer } from "node:buffer";
import type { Descriptor, FileSystem } from "./file_system.ts";
import { writeAll } from "./whole_file.ts";

/** Why bytes did not get to where they belong. */
export interface FailedWrite {
  reason: string;
  cause: unknown;
  /** They are all in the file, but may not be on the disk. */
  afterWrite: boolean;
}

/** Writes all of the bytes, and waits for the disk if so wished. @returns what went wrong. */
export function tryWrite(
  fs: FileSystem,
  fd: Descriptor,
  { bytes, sync }: { bytes: Buffer; sync: boolean },
): FailedWrite | undefined {
  let afterWrite = false;
  try {
    writeAll(fs, fd, bytes);
    afterWrite = true;
    if (sync) fs.sync(fd);
    return undefined;
  } catch (cause) {
    const reason = afterWrite ? "it did not reach the disk" : "a write failed";
    return { reason, cause, afterWrite };
  }
}

/**
 * Takes back what a failed write of `length` bytes has put behind `before`.
 *
 * @returns how long the file is now, as far as can be told; more than `before` if its tail stays.
 */
export function takeBack(
  fs: FileSystem,
  fd: Descriptor,
  { before, length }: { before: number; length: number },
): number {
  let size = before;
  try {
    size = fs.stat(fd)?.size ?? before;
    // More than we wrote: somebody else's lines, which are not ours to cut.
    if (size <= before || size > before + length) return size;
    fs.truncate(fd, before);
    return before;
  } catch {
    // The caller throws the write's own error, and keeps the tail that it is told of readable.
    return size;
  }
}
