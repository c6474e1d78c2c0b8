/** A text file as a value: its text, or why there is none. */
import {
  errorCode,
  type FileStat,
  type FileSystem,
  nodeFileSystem,
  reasonOf,
} from "../../session/mod.ts";
import type { ConfigWarning } from "./errors.ts";

/** What reading gave. An absent file is no error. */
export type TextFile =
  | { readonly kind: "text"; readonly text: string; readonly cut: boolean }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly reason: string };

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a directory",
  ENOENT: "there is no such file or directory",
  ENOTDIR: "a part of its path is not a directory",
  ELOOP: "its links go round in a circle",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  ENAMETOOLONG: "its name is too long",
  EIO: "the disk reported an error",
};

/** Why a file operation failed, in words that need no manual. */
export function fileErrorReason(error: unknown): string {
  return REASONS[errorCode(error) ?? ""] ?? reasonOf(error);
}

function readBytes(file: string, bytesMax: number, fs: FileSystem): Uint8Array {
  const fd = fs.open(file, "r");
  try {
    const bytes = new Uint8Array(Math.min(bytesMax, fs.stat(fd)?.size ?? 0));
    let length = 0;
    while (length < bytes.length) {
      const count = fs.read(fd, bytes, length, bytes.length - length, length);
      if (count === 0) break;
      length += count;
    }
    return bytes.subarray(0, length);
  } finally {
    fs.close(fd);
  }
}

/** So far no configuration file of a person came near to it. */
const BYTES_MAX = 16 * 1024 * 1024;

/**
 * Reads a file as UTF-8 text, a byte-order mark dropped; at most its first `bytesMax` bytes, in whole
 * lines. What is no regular file is not opened: reading a pipe would wait for its writer.
 */
export function readTextFile(
  file: string,
  { bytesMax = BYTES_MAX, fs = nodeFileSystem }: { bytesMax?: number; fs?: FileSystem } = {},
): TextFile {
  try {
    const stat = fs.stat(file);
    if (!stat) return { kind: "absent" };
    if (stat.isDirectory) return { kind: "unreadable", reason: "it is a directory" };
    if (!stat.isFile) return { kind: "unreadable", reason: "it is not a regular file" };
    const bytes = readBytes(file, bytesMax, fs);
    const cut = stat.size > bytesMax;
    const whole = cut ? bytes.subarray(0, bytes.lastIndexOf(10) + 1 || bytes.length) : bytes;
    if (whole.includes(0)) return { kind: "unreadable", reason: "it is not UTF-8 text" };
    return { kind: "text", text: new TextDecoder().decode(whole), cut };
  } catch (error) {
    return { kind: "unreadable", reason: fileErrorReason(error) };
  }
}

/** What is there, as far as it can be seen: undefined also in a directory that is closed to us. */
export function lookAt(file: string, fs: FileSystem): FileStat | undefined {
  try {
    return fs.stat(file);
  } catch {
    // Whether it is there cannot be told; what is needed and not there is reported by who needs it.
    return undefined;
  }
}

/** The path with its links resolved, as far as they can be seen. */
export function realPathOf(file: string, fs: FileSystem): string {
  try {
    return fs.realPath(file) ?? file;
  } catch {
    // A directory on the way is closed to us: one name is as good as another.
    return file;
  }
}

/** The names in a directory, sorted; none if it is not there. What is unreadable gives a warning. */
export function listDirectory(
  directory: string,
  fs: FileSystem,
  warnings: ConfigWarning[],
): string[] {
  try {
    // By code unit: the same order on every machine.
    return fs.list(directory).sort();
  } catch (error) {
    const message = `Cannot read the directory ${directory}: ${fileErrorReason(error)}`;
    warnings.push({ file: directory, message });
    return [];
  }
}
