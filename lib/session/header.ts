/** Finds and reads a session file's header. */
import type { ByteSource } from "./byte_source.ts";
import { type Damage, SESSION_VERSION, type SessionHeader } from "./entry.ts";
import { SessionError } from "./errors.ts";
import { linesForward } from "./lines.ts";
import { recordsIn } from "./salvage.ts";
import type { JsonObject } from "./record.ts";

/** A header and where it stands. */
export interface HeaderReading {
  header: SessionHeader;
  /** The header line as it was written, fields unknown here included. */
  raw: JsonObject;
  /** Where the header's line begins; bytes before it are unreadable lines. */
  offset: number;
  /** Where the line after the header begins. */
  end: number;
  /** Unreadable lines before the header. */
  damage: Damage[];
}

/** A header is looked for this far; a big file that is no session is not read to its end. */
const SEARCH_MAX = 4 * 1024 * 1024;

/**
 * The header: the first good line of a session.
 *
 * @returns undefined if the first good line is no header, or there is none.
 */
export function readHeader(source: ByteSource): HeaderReading | undefined {
  const damage: Damage[] = [];
  const start: ByteSource = {
    size: Math.min(source.size, SEARCH_MAX),
    read: (from, to) => source.read(from, Math.min(to, SEARCH_MAX)),
  };
  let number = 0;
  for (const line of linesForward(start)) {
    number++;
    if (!line.terminated && line.end < source.size) return undefined;
    const { records, problem } = recordsIn(start.read(line.start, line.end));
    const value = problem?.kind === "salvaged" && records.length > 1
      ? undefined
      : records[0]?.value;
    if (typeof value?.["type"] === "string") {
      if (value["type"] !== "session" || typeof value["id"] !== "string") return undefined;
      const end = line.terminated ? line.end + 1 : line.end;
      return { header: toHeader(value, value["id"]), raw: value, offset: line.start, end, damage };
    }
    if (value || problem) {
      const reason = problem?.reason ?? "an object without a type";
      damage.push({ line: number, offset: line.start, kind: "unreadable", reason });
    }
  }
  return undefined;
}

function toHeader(value: JsonObject, id: string): SessionHeader {
  const { version, timestamp, cwd, parentSession } = value;
  const header: SessionHeader = {
    type: "session",
    version: typeof version === "number" ? version : 1,
    id,
    timestamp: typeof timestamp === "string" ? timestamp : "",
    cwd: typeof cwd === "string" ? cwd : "",
  };
  if (typeof parentSession === "string") header.parentSession = parentSession;
  return header;
}

/** The error for a file whose first good line is no header. */
export function notASession(file: string): SessionError {
  return new SessionError(
    "not_a_session",
    `Cannot open ${file}: it is not a session (its first line is no session header); ` +
      "the file was left as it is",
    { file },
  );
}

/** The error for a directory where a session was looked for. */
export function isDirectory(file: string): SessionError {
  const message = `Cannot open ${file}: it is a directory, not a session`;
  return new SessionError("not_a_session", message, { file });
}

/** The error for appending to a session of a later format. */
export function newerVersion(file: string, version: number): SessionError {
  return new SessionError(
    "newer_version",
    `Cannot write session ${file}: its format is version ${version}, and this program writes ` +
      `version ${SESSION_VERSION}; it can be read, and written by a newer program`,
    { file },
  );
}
