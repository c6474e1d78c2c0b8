/** Finds the whole records in a line that is not simply one JSON object. */
import type { Buffer } from "node:buffer";
import type { Damage } from "./entry.ts";
import { parseJson } from "./sound.ts";
import { isRecord, type JsonObject } from "./record.ts";

/** What was wrong with a line. */
export interface LineProblem {
  kind: Damage["kind"];
  reason: string;
}

/** A JSON object within a line. */
export interface LineRecord {
  value: JsonObject;
  /** From the line's start, in bytes. */
  offset: number;
  length: number;
}

/** The objects in a line, and what else there was. */
export interface RecordsInLine {
  records: LineRecord[];
  problem?: LineProblem;
}

const PADDING = new Set([0, 9, 13, 32, 0xef, 0xbb, 0xbf]);
/** Where a record may begin, whatever the order of its fields. */
const RECORD_START = /\{"(?:type|id|parentId|timestamp)":/g;
/** A hopeless line is looked through about this many times, not once for each brace in it. */
const PASSES_MAX = 8;
/** Longer than this a line cannot be a string. */
const LINE_MAX = 500 * 1024 * 1024;

/** All records of a line. Zero bytes, white space and a byte-order mark around them are dropped. */
export function recordsIn(line: Buffer): RecordsInLine {
  let start = 0;
  let end = line.length;
  while (start < end && PADDING.has(line[start] ?? 0)) start++;
  while (end > start && PADDING.has(line[end - 1] ?? 0)) end--;
  const zeros = line.subarray(0, start).includes(0) || line.subarray(end).includes(0);
  if (start === end) {
    return zeros
      ? { records: [], problem: { kind: "unreadable", reason: `${line.length} zero bytes` } }
      : { records: [] };
  }
  const whole = parseObject(line, start, end);
  if (whole === "not an object") {
    return { records: [], problem: { kind: "unreadable", reason: "not a JSON object" } };
  }
  if (whole) {
    const records = [{ value: whole, offset: start, length: end - start }];
    return zeros
      ? { records, problem: { kind: "salvaged", reason: "zero bytes around the record" } }
      : { records };
  }
  const records = salvage(line.subarray(start, end), start);
  const problem: LineProblem = records.length > 0
    ? { kind: "salvaged", reason: "a broken record on the same line, or a lost line end" }
    : { kind: "unreadable", reason: "not JSON" };
  return { records, problem };
}

function parseObject(
  line: Buffer,
  start: number,
  end: number,
): JsonObject | "not an object" | undefined {
  const value = parseJson(line.subarray(start, end));
  return value === undefined ? undefined : isRecord(value) ? value : "not an object";
}

/** A nested object (a tool call, a content block) has no parent; only an entry or a header has. */
function isRecordOfSession(value: JsonObject): boolean {
  if (typeof value["type"] !== "string" || typeof value["id"] !== "string") return false;
  return value["type"] === "session"
    ? typeof value["timestamp"] === "string"
    : typeof value["timestamp"] === "string" && "parentId" in value;
}

function salvage(bytes: Buffer, base: number): LineRecord[] {
  if (bytes.length > LINE_MAX) return [];
  // One char a byte: JSON's own signs are ASCII, so offsets need no counting.
  const text = bytes.toString("latin1");
  const records: LineRecord[] = [];
  let budget = text.length * PASSES_MAX;
  RECORD_START.lastIndex = 0;
  for (
    let match = RECORD_START.exec(text);
    match && budget > 0;
    match = RECORD_START.exec(text)
  ) {
    const end = objectEnd(text, match.index);
    budget -= (end ?? text.length) - match.index;
    if (end === undefined) continue;
    const value = parseObject(bytes, match.index, end);
    if (!value || value === "not an object" || !isRecordOfSession(value)) continue;
    records.push({ value, offset: base + match.index, length: end - match.index });
    RECORD_START.lastIndex = end;
  }
  return records;
}

/** Where the JSON object that begins at `start` ends, or undefined if it does not. */
export function objectEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (inString) {
      if (char === 0x5c) at++;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x7b) depth++;
    else if (char === 0x7d && --depth === 0) return at + 1;
  }
  return undefined;
}
