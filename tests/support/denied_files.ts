import { type FileSystem, nodeFileSystem } from "../../lib/session/mod.ts";

/** A disk on which some files cannot be opened. Their mode would not stop a test run by root. */
export function denyFiles(...denied: string[]): FileSystem {
  return {
    ...nodeFileSystem,
    open(path, mode, permissions) {
      if (!denied.includes(path)) return nodeFileSystem.open(path, mode, permissions);
      throw Object.assign(new Error(`EACCES: permission denied, open '${path}'`), {
        code: "EACCES",
      });
    },
  };
}
