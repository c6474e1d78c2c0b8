/** Random access to the bytes of a session: a file on the disk, or bytes in memory. */
import { Buffer } from "node:buffer";
import type { Descriptor, FileSystem } from "./file_system.ts";

/** Bytes that can be read at any position. */
export interface ByteSource {
  /** In bytes; what a file gains later is not part of it. */
  readonly size: number;
  /**
   * The bytes from `start` up to `end`; fewer if the source has shrunk. They may be put into
   * `scratch`, if it has room for them, and then hold until that is used again: fresh memory for each
   * block costs as much as the reading does.
   */
  read(start: number, end: number, scratch?: Buffer): Buffer;
}

/** The first `size` bytes of an open file. */
export function fileSource(fs: FileSystem, fd: Descriptor, size: number): ByteSource {
  return {
    size,
    read(start, end, scratch) {
      const length = Math.max(0, Math.min(end, size) - start);
      const bytes = scratch && scratch.length >= length
        ? scratch.subarray(0, length)
        : Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < bytes.length) {
        const count = fs.read(fd, bytes, filled, bytes.length - filled, start + filled);
        if (count === 0) break;
        filled += count;
      }
      return bytes.subarray(0, filled);
    },
  };
}

/** Bytes in memory. */
export function memorySource(bytes: Uint8Array): ByteSource {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { size: buffer.length, read: (start, end) => buffer.subarray(start, end) };
}
