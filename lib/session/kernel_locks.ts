/**
 * Who holds a flock, as Linux tells it. It serves where no readable record stands beside the file:
 * another program's lock, or a second name (a hard link) of the same session.
 */
import * as fs from "node:fs";
import type { FileStat } from "./file_system.ts";
import { tryReadText } from "./processes.ts";

/** The pids that hold a flock on a file with this inode number, from the text of `/proc/locks`. */
export function parseKernelLocks(text: string, ino: number): number[] {
  return text.split("\n").flatMap((line) => {
    // 1: FLOCK  ADVISORY  WRITE 7015 fe:00:2146727 0 EOF; one that waits has "->" after the number.
    const match = /^\d+: FLOCK +\S+ +\S+ +(\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /.exec(line);
    return match && Number(match[2]) === ino && match[1] !== "0" ? [Number(match[1])] : [];
  });
}

/** Whether a process has the file open: inode numbers alone repeat between file systems. */
function hasOpen(pid: number, file: FileStat): boolean {
  let names: string[];
  try {
    names = fs.readdirSync(`/proc/${pid}/fd`);
  } catch {
    // Another user's process.
    return false;
  }
  return names.some((name) => {
    try {
      const stat = fs.statSync(`/proc/${pid}/fd/${name}`);
      return stat.dev === file.dev && stat.ino === file.ino;
    } catch {
      // Closed since it was listed.
      return false;
    }
  });
}

/** The process that holds a flock on the file, where the kernel lets us know. */
export function flockHolderOf(file: FileStat): { pid: number; command?: string } | undefined {
  const pids = parseKernelLocks(tryReadText("/proc/locks") ?? "", file.ino);
  const pid = pids.find((candidate) => hasOpen(candidate, file));
  if (pid === undefined) return undefined;
  const command = tryReadText(`/proc/${pid}/comm`)?.trim();
  return command ? { pid, command } : { pid };
}
