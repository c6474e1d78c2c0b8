/** The lines of a session file with their bytes, first to last: for reading all of it once. */
import type { Buffer } from "node:buffer";
import { type ByteSource, fileSource, memorySource } from "../byte_source.ts";
import { SESSION_VERSION, type SessionEntry, type SessionHeader } from "../entry.ts";
import type { FileStat, FileSystem } from "../file_system.ts";
import { readHeader } from "../header.ts";
import { recordsIn } from "../salvage.ts";
import { parseJson, soundEntry } from "../sound.ts";
import { upgradeLog } from "../upgrade.ts";
import { headerOf } from "./glance.ts";
import { errorCode } from "../thrown.ts";
import { isRecord } from "../record.ts";

const LF = 10;
const BLOCK_BYTES = 1024 * 1024;

/** A line, without its LF. */
export interface SessionLine {
  bytes: Buffer;
  /** Of its first byte in the source. */
  offset: number;
  /** False for a last line that lacks its LF. */
  isTerminated: boolean;
}

/** A session file that is open for reading. */
export interface OpenedFile {
  header: SessionHeader;
  /** The lines as today's version has them. */
  source: ByteSource;
  /** Where the line after the header begins. */
  start: number;
  /** Its lines are not those of the file: an older version, upgraded in memory. */
  isUpgraded: boolean;
  stat: FileStat;
}

/** Opens a session file, looks into it and closes it; undefined if it is none, or cannot be read. */
export function lookInto<T>(
  fs: FileSystem,
  file: string,
  look: (opened: OpenedFile) => T,
): T | undefined {
  const opened = openFile(fs, file);
  if (!opened) return undefined;
  try {
    return look(opened);
  } catch (error) {
    if (isFileError(error)) return undefined;
    throw error;
  } finally {
    opened.close();
  }
}

/** Opens a session file, to be closed; undefined if it is none, or cannot be read. */
export function openFile(
  fs: FileSystem,
  file: string,
): OpenedFile & { close(): void } | undefined {
  let fd: number | undefined;
  let opened: OpenedFile | undefined;
  try {
    const stat = fs.stat(file);
    if (!stat?.isFile || stat.size === 0) return undefined;
    fd = fs.open(file, "r");
    opened = read(fileSource(fs, fd, stat.size), stat);
  } catch (error) {
    // A file that is gone or forbidden must not keep the others from being found.
    if (!isFileError(error)) throw error;
  } finally {
    if (fd !== undefined && !opened) fs.close(fd);
  }
  if (!opened || fd === undefined) return undefined;
  const descriptor = fd;
  return { ...opened, close: () => fs.close(descriptor) };
}

function isFileError(error: unknown): boolean {
  const code = errorCode(error);
  return code !== undefined && code !== "ERR_SQLITE_ERROR";
}

function read(source: ByteSource, stat: FileStat): OpenedFile | undefined {
  const reading = headerOf(source);
  if (!reading) return undefined;
  if (reading.header.version >= SESSION_VERSION) {
    return { header: reading.header, source, start: reading.end, isUpgraded: false, stat };
  }
  const upgraded = memorySource(upgradeLog(source, reading));
  const header = readHeader(upgraded);
  return header &&
    { header: header.header, source: upgraded, start: header.end, isUpgraded: true, stat };
}

/** The lines from an offset on, which is the start of one. */
export function* sessionLines(source: ByteSource, from: number): Generator<SessionLine> {
  let start = from;
  let size = BLOCK_BYTES;
  while (start < source.size) {
    const block = source.read(start, start + size);
    let at = 0;
    for (let end = block.indexOf(LF); end !== -1; end = block.indexOf(LF, at)) {
      yield { bytes: block.subarray(at, end), offset: start + at, isTerminated: true };
      at = end + 1;
    }
    const isLast = start + block.length >= source.size || block.length === 0;
    if (isLast) {
      if (at < block.length) {
        yield { bytes: block.subarray(at), offset: start + at, isTerminated: false };
      }
      return;
    }
    // A line longer than a block: the next one is bigger.
    size = at === 0 ? size * 2 : BLOCK_BYTES;
    start += at;
  }
}

/** The entries of a line: one, unless it is damaged. */
export function entriesIn(line: Buffer): { entry: SessionEntry; offset: number; length: number }[] {
  const value = parseJson(line);
  if (isRecord(value)) {
    const entry = soundEntry(value);
    return entry ? [{ entry, offset: 0, length: line.length }] : [];
  }
  return recordsIn(line).records.flatMap(({ value, offset, length }) => {
    const entry = soundEntry(value);
    return entry ? [{ entry, offset, length }] : [];
  });
}
