/** What the beginning and the end of a session file tell, at the cost of two small reads. */
import type { Buffer } from "node:buffer";
import { type ByteSource, fileSource } from "../byte_source.ts";
import { readLine } from "../codec.ts";
import type { FileSystem } from "../file_system.ts";
import { type HeaderReading, readHeader } from "../header.ts";
import { BackwardLines } from "../lines.ts";
import { parseJson } from "../sound.ts";
import { isRecord } from "../record.ts";

/** A session at first sight. */
export interface SessionGlance {
  id: string;
  cwd: string;
  /** Of the last message in the file, in ms since the epoch; 0 if there is none. */
  newest: number;
}

const HEAD_BYTES = 4096;
const TAIL_BYTES = 4096;

/** How a file was when it was looked at. */
export interface FileState {
  size: number;
  mtimeMs: number;
  ino: number;
}

/** Whether a file is as it was when it was looked at. */
export function isSame(state: FileState | undefined, now: FileState): boolean {
  return state !== undefined && state.size === now.size && state.mtimeMs === now.mtimeMs &&
    state.ino === now.ino;
}

/** A file that may be a session, as the file system tells it. */
export interface StoredFile extends FileState {
  path: string;
}

/** A session file and what it tells at first sight. */
export interface GlancedFile extends StoredFile {
  glance: SessionGlance;
}

/** Looks at a file; undefined if it is no session, or cannot be read. */
export function glanceAt(fs: FileSystem, file: StoredFile): SessionGlance | undefined {
  let fd: number | undefined;
  try {
    fd = fs.open(file.path, "r");
    const source = fileSource(fs, fd, file.size);
    const reading = headerOf(source);
    return reading && {
      id: reading.header.id,
      cwd: reading.header.cwd,
      newest: lastMessageTime(source, reading.end),
    };
  } catch {
    // A stray file must not keep the others from being listed.
    return undefined;
  } finally {
    if (fd !== undefined) fs.close(fd);
  }
}

/** Reads a header; one of usual length at the cost of a small read. */
export function headerOf(source: ByteSource): HeaderReading | undefined {
  const head: ByteSource = {
    size: Math.min(source.size, HEAD_BYTES),
    read: (start, end) => source.read(start, Math.min(end, HEAD_BYTES)),
  };
  const reading = readHeader(head);
  return reading && reading.end < head.size ? reading : readHeader(source);
}

/** When the last message in the file was written. */
function lastMessageTime(source: ByteSource, floor: number): number {
  const lines = new BackwardLines(source, floor, TAIL_BYTES);
  while (!lines.done) {
    for (const { start, end } of lines.next()) {
      const { heads } = readLine({
        offset: start,
        length: end - start,
        slice: (from, to) => lines.bytes(start + from, start + to),
      });
      const message = heads.findLast(({ type }) => type === "message") ??
        (heads.length === 0 ? messageWithoutId(lines.bytes(start, end)) : undefined);
      if (message) return Date.parse(message.timestamp ?? "") || 0;
    }
  }
  return 0;
}

/** A message as version 1 has it. */
function messageWithoutId(line: Buffer): { timestamp?: string } | undefined {
  const value = parseJson(line);
  if (!isRecord(value) || value["type"] !== "message") return undefined;
  return typeof value["timestamp"] === "string" ? { timestamp: value["timestamp"] } : {};
}
