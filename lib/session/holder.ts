/**
 * The record of who holds a session's lock, in `<file>.lock` beside it. Where there is flock, it
 * only says who; where there is none, it is the lock (`link_lock.ts`).
 */
import type { FileStat, FileSystem } from "./file_system.ts";
import type { LockHolder } from "./errors.ts";
import type { ProcessIdentity } from "./processes.ts";
import { errorCode } from "./thrown.ts";

/** What a lock file holds, as one line of JSON. */
export interface LockRecord extends ProcessIdentity {
  /** Whether a flock stands behind the record, or the record is all there is. */
  how: "flock" | "link";
  /** The session file, so that a copy of the directory is not taken for the original. */
  dev: number;
  ino: number;
  /** Tells this record from every other. */
  nonce: string;
}

/** A lock file holds one short line; more than this is none of ours. */
const RECORD_BYTES_MAX = 8192;

/** The lock file of a session file, the same one for every spelling of its path. */
export function lockPathOf(fs: FileSystem, file: string): string {
  return `${fs.realPath(file) ?? file}.lock`;
}

export function makeRecord(
  self: ProcessIdentity,
  how: LockRecord["how"],
  file: FileStat,
): LockRecord {
  return { ...self, how, dev: file.dev, ino: file.ino, nonce: crypto.randomUUID() };
}

/** The part of a record that people and callers see. */
export function holderOf(record: LockRecord): LockHolder {
  const { pid, host, startedAt, command } = record;
  return {
    pid,
    host,
    ...startedAt !== undefined && { startedAt },
    ...command !== undefined && { command },
  };
}

function isOptional(value: unknown, type: "string" | "number"): boolean {
  return value === undefined || typeof value === type;
}

function isRecord(value: unknown): value is LockRecord {
  if (typeof value !== "object" || value === null) return false;
  const field = (name: string): unknown => Reflect.get(value, name);
  return Number.isSafeInteger(field("pid")) && typeof field("host") === "string" &&
    (field("how") === "flock" || field("how") === "link") &&
    typeof field("dev") === "number" && typeof field("ino") === "number" &&
    typeof field("nonce") === "string" &&
    ["startedAt", "command", "boot", "pidNamespace"].every((name) =>
      isOptional(field(name), "string")
    ) && isOptional(field("startTicks"), "number");
}

function parseRecord(text: string): LockRecord | "unreadable" {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : "unreadable";
  } catch {
    return "unreadable";
  }
}

/** Reads a lock file; undefined if there is none, `"unreadable"` if it is not one of ours. */
export function readRecord(fs: FileSystem, path: string): LockRecord | "unreadable" | undefined {
  let fd: number;
  try {
    fd = fs.open(path, "r");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    return "unreadable";
  }
  try {
    const bytes = new Uint8Array(RECORD_BYTES_MAX);
    const length = fs.read(fd, bytes, 0, bytes.length, 0);
    return parseRecord(new TextDecoder().decode(bytes.subarray(0, length)));
  } catch (error) {
    // A directory of that name opens and does not read.
    if (errorCode(error) === "EISDIR") return "unreadable";
    throw error;
  } finally {
    fs.close(fd);
  }
}

/** "process 12 (bough) on host vm, started 2026-03-01T10:00:00.000Z" */
export function describeHolder(holder: LockHolder | undefined): string {
  if (!holder) return "another process";
  const command = holder.command === undefined ? "" : ` (${holder.command})`;
  const start = holder.startedAt === undefined ? "" : `, started ${holder.startedAt}`;
  return `process ${holder.pid}${command} on host ${holder.host}${start}`;
}
