import { type FileSystem, nodeFileSystem } from "../../lib/session/mod.ts";

function denied(path: string): Error {
  return Object.assign(new Error(`EACCES: permission denied, '${path}'`), { code: "EACCES" });
}

/** A disk on which some files cannot be opened. Their mode would not stop a test run by root. */
export function denyFiles(...files: string[]): FileSystem {
  return {
    ...nodeFileSystem,
    open(path, mode, permissions) {
      if (files.includes(path)) throw denied(path);
      return nodeFileSystem.open(path, mode, permissions);
    },
  };
}

/** A disk on which some directories are closed: what is in them can be neither listed nor seen. */
export function closeDirectories(...directories: string[]): FileSystem {
  const isClosed = (path: string) =>
    directories.some((directory) => path.startsWith(`${directory}/`));
  const check = (path: string) => {
    if (isClosed(path)) throw denied(path);
  };
  return {
    ...nodeFileSystem,
    open(path, mode, permissions) {
      check(path);
      return nodeFileSystem.open(path, mode, permissions);
    },
    stat(target) {
      if (typeof target === "string") check(target);
      return nodeFileSystem.stat(target);
    },
    list(path) {
      check(`${path}/`);
      return nodeFileSystem.list(path);
    },
    realPath(path) {
      check(path);
      return nodeFileSystem.realPath(path);
    },
  };
}
