/**
 * The port to the disk. Everything in `lib/session` that touches a file goes through it, so that a
 * test can make each operation fail or record it. Calls are synchronous: an append is one write,
 * and nothing may come between the write and its being applied.
 */
import * as fs from "node:fs";
import { errorCode } from "./thrown.ts";

/** An open file. */
export type Descriptor = number;

/** What the session layer needs to know of a file. */
export interface FileStat {
  size: number;
  dev: number;
  ino: number;
  mode: number;
  mtimeMs: number;
  isFile: boolean;
  isDirectory: boolean;
}

/** The operations that the session layer uses. Errors are those of `node:fs`, with their `code`. */
export interface FileSystem {
  /** `"r"` read, `"a"` append (read too) to what exists, `"ax"` create and append, `"w"` create or empty. */
  open(path: string, mode: "r" | "a" | "ax" | "wx", permissions?: number): Descriptor;
  close(fd: Descriptor): void;
  /** Reads up to `length` bytes at `position`; fewer at the end of the file. */
  read(
    fd: Descriptor,
    target: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): number;
  /** Writes once; returns how many bytes were taken, which may be fewer than given. */
  write(fd: Descriptor, bytes: Uint8Array): number;
  /** Data reaches the disk (fdatasync). */
  sync(fd: Descriptor): void;
  /** A directory's entries reach the disk; does nothing where directories cannot be synced. */
  syncDirectory(path: string): void;
  truncate(fd: Descriptor, size: number): void;
  stat(target: string | Descriptor): FileStat | undefined;
  /** The names in a directory; empty if it is not there. */
  list(path: string): string[];
  makeDirectory(path: string, permissions: number): void;
  /** Sets the permissions of what is there; does nothing where the system has none. */
  changeMode(target: string | Descriptor, permissions: number): void;
  rename(from: string, to: string): void;
  /** A second name for a file; fails if `to` exists. */
  link(from: string, to: string): void;
  remove(path: string): void;
  /** The path with every link resolved, or undefined if there is nothing. */
  realPath(path: string): string | undefined;
}

function toStat(stat: fs.Stats): FileStat {
  return {
    size: stat.size,
    dev: stat.dev,
    ino: stat.ino,
    mode: stat.mode & 0o7777,
    mtimeMs: stat.mtimeMs,
    isFile: stat.isFile(),
    isDirectory: stat.isDirectory(),
  };
}

/** Whether an error says that this user, or this program under Deno, may not do that. */
export function isDenied(error: unknown): boolean {
  const code = errorCode(error);
  return code === "EACCES" || code === "EPERM" ||
    (error instanceof Error && error.name === "NotCapable");
}

const FLAGS = {
  r: fs.constants.O_RDONLY,
  a: fs.constants.O_RDWR | fs.constants.O_APPEND,
  ax: fs.constants.O_RDWR | fs.constants.O_APPEND | fs.constants.O_CREAT | fs.constants.O_EXCL,
  wx: fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL,
};

/** The disk itself. */
export const nodeFileSystem: FileSystem = {
  open: (path, mode, permissions = 0o600) => fs.openSync(path, FLAGS[mode], permissions),
  close: (fd) => fs.closeSync(fd),
  read: (fd, target, offset, length, position) => fs.readSync(fd, target, offset, length, position),
  write: (fd, bytes) => fs.writeSync(fd, bytes),
  sync: (fd) => fs.fdatasyncSync(fd),
  syncDirectory(path) {
    if (process.platform === "win32") return;
    const fd = fs.openSync(path, "r");
    try {
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  },
  truncate: (fd, size) => fs.ftruncateSync(fd, size),
  stat(target) {
    try {
      return toStat(typeof target === "number" ? fs.fstatSync(target) : fs.statSync(target));
    } catch (error) {
      const code = errorCode(error);
      if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return undefined;
      throw error;
    }
  },
  list(path) {
    try {
      return fs.readdirSync(path);
    } catch (error) {
      if (errorCode(error) === "ENOENT") return [];
      throw error;
    }
  },
  makeDirectory: (path, permissions) => {
    fs.mkdirSync(path, { recursive: true, mode: permissions });
  },
  changeMode(target, permissions) {
    if (process.platform === "win32") return;
    if (typeof target === "number") fs.fchmodSync(target, permissions);
    else fs.chmodSync(target, permissions);
  },
  rename: (from, to) => fs.renameSync(from, to),
  link: (from, to) => fs.linkSync(from, to),
  remove: (path) => fs.rmSync(path, { force: true }),
  realPath(path) {
    try {
      return fs.realpathSync(path);
    } catch (error) {
      const code = errorCode(error);
      if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return undefined;
      throw error;
    }
  },
};
