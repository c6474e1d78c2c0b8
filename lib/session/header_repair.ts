/** Makes a damaged header again from what is left of it. */
import { Buffer } from "node:buffer";
import * as path from "node:path";
import { fileSource } from "./byte_source.ts";
import { SESSION_VERSION, type SessionHeader } from "./entry.ts";
import type { FileSystem } from "./file_system.ts";
import { readHeader } from "./header.ts";
import { headerProblems, isAbsolute, isId, isTimestamp, isVersion } from "./header_problems.ts";
import type { RepairChange } from "./repair_plan.ts";
import { parseJson } from "./sound.ts";
import type { Diagnosis } from "./diagnosis.ts";
import { isRecord, type JsonObject } from "./record.ts";

/** A line longer than this is no header. */
const BROKEN_HEADER_MAX = 64 * 1024;

/** `<timestamp>_<id>.jsonl`, the timestamp with `:` and `.` replaced. */
const FILE_NAME = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3})Z_(.+)\.jsonl$/;

/** Where the parts of a lost header may be found. */
interface HeaderSources {
  /** What of a header could be read. */
  found: JsonObject | undefined;
  /** The text of the line where a header belongs, if it could not be read. */
  broken: string;
  /** The name of the session's file. */
  fileName: string;
  firstEntryTimestamp: unknown;
  /** The directory of another session beside this one, else of the file itself. */
  cwd: string;
  now: string;
  newId: string;
}

/** A string field in the text of a broken JSON line. */
function fieldIn(text: string, name: string): string | undefined {
  const match = new RegExp(`"${name}":("(?:[^"\\\\]|\\\\.)*")`).exec(text);
  if (match?.[1] === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(match[1]);
    return typeof value === "string" ? value : undefined;
  } catch {
    // The damage lies within this field.
    return undefined;
  }
}

/** A header whose fields can be relied on; fields that are not ours are kept. */
function mendHeader(sources: HeaderSources): SessionHeader {
  const { found = {}, broken, fileName } = sources;
  const [, hours, minutes, seconds, millis, nameId] = FILE_NAME.exec(fileName) ?? [];
  const nameTime = hours && `${hours}:${minutes}:${seconds}.${millis}Z`;
  const field = (name: string): unknown => found[name] ?? fieldIn(broken, name);
  const first = <T>(isGood: (value: unknown) => value is T, values: unknown[]): T | undefined =>
    values.find(isGood);
  const timestamps = [field("timestamp"), nameTime, sources.firstEntryTimestamp];
  return {
    ...found,
    type: "session",
    version: isVersion(found["version"]) ? found["version"] : SESSION_VERSION,
    id: first(isId, [field("id"), nameId]) ?? sources.newId,
    timestamp: first(isTimestamp, timestamps) ?? sources.now,
    cwd: first(isAbsolute, [field("cwd")]) ?? sources.cwd,
  };
}

/** The header line of a repaired file, and what was done to get it. */
export function plannedHeader(
  { survey, source }: Diagnosis,
  { fs, file, now, newId }: { fs: FileSystem; file: string; now: string; newId: string },
): { line: Buffer; changes: RepairChange[] } {
  const { header, entries, problems } = survey;
  if (header && headerProblems(header.value).length === 0) {
    const line = source.read(header.offset, header.offset + header.length);
    const change = { line: header.line, did: "put first, since it is the header" };
    return { line, changes: header.late ? [change] : [] };
  }
  const first = entries[0];
  const lost = problems.find(({ line }) => line <= (first?.line ?? Infinity));
  const brokenEnd = lost ? lost.offset + Math.min(lost.length, BROKEN_HEADER_MAX) : 0;
  const entry = first &&
    parseJson(source.read(first.head.offset, first.head.offset + first.head.length));
  const mended = mendHeader({
    found: header?.value,
    broken: lost ? source.read(lost.offset, brokenEnd).toString("utf8") : "",
    fileName: path.basename(file),
    firstEntryTimestamp: isRecord(entry) ? entry["timestamp"] : undefined,
    cwd: siblingCwd(fs, file) ?? path.dirname(file),
    now,
    newId,
  });
  const did = `header made again: session ${mended.id} of ${mended.cwd}`;
  return { line: Buffer.from(JSON.stringify(mended)), changes: [{ line: header?.line ?? 1, did }] };
}

/** The directory of another session beside this one: they lie together for having the same. */
function siblingCwd(fs: FileSystem, file: string): string | undefined {
  const directory = path.dirname(file);
  for (const name of fs.list(directory)) {
    const other = path.join(directory, name);
    if (!name.endsWith(".jsonl") || other === file) continue;
    const cwd = cwdOf(fs, other);
    if (cwd !== undefined) return cwd;
  }
  return undefined;
}

function cwdOf(fs: FileSystem, file: string): string | undefined {
  const stat = fs.stat(file);
  if (!stat?.isFile) return undefined;
  const fd = fs.open(file, "r");
  try {
    const raw = readHeader(fileSource(fs, fd, stat.size))?.raw;
    return raw && isAbsolute(raw["cwd"]) ? raw["cwd"] : undefined;
  } finally {
    fs.close(fd);
  }
}
