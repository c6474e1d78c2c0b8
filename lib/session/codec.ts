/**
 * One line of a session file to one entry and back. What cannot be read becomes a value that says
 * why; nothing here throws on bad input.
 */
import { Buffer } from "node:buffer";
import type { SessionEntry, SessionHeader } from "./entry.ts";
import { SessionError } from "./errors.ts";
import { parseJson, soundEntry } from "./sound.ts";
import { type LineProblem, recordsIn } from "./salvage.ts";
import { reasonOf } from "./thrown.ts";
import { isRecord, type JsonObject } from "./record.ts";

/** An entry's place in the tree, and its bytes in the file. */
export interface EntryHead {
  type: string;
  id: string;
  parentId: string | null;
  /** Of a message, where its line's first bytes tell. */
  role?: string;
  /** ISO 8601, where the first bytes tell. */
  timestamp?: string;
  /** Of a `leaf` entry; undefined if it names no target. */
  targetId?: string | null;
  offset: number;
  length: number;
  /** Something between this entry and the one before it could not be read. */
  afterDamage: boolean;
}

/** What a line holds: usually one entry; none, or more than one, if it is damaged. */
export interface LineReading {
  heads: EntryHead[];
  problem?: LineProblem;
}

/**
 * An entry's line, with its place in the tree in its first bytes.
 *
 * @throws SessionError `write_failed` for values that JSON does not have, such as a bigint or a
 * ring.
 */
export function encodeEntry(entry: SessionEntry): string {
  const { type, id, parentId, timestamp, ...rest } = entry;
  try {
    return `${JSON.stringify({ type, id, parentId, timestamp, ...rest })}\n`;
  } catch (cause) {
    const reason = reasonOf(cause);
    throw new SessionError(
      "write_failed",
      `Cannot write a ${type} entry as JSON: ${reason}; leave such values out`,
      { cause },
    );
  }
}

/** A header's line. */
export function encodeHeader(header: SessionHeader): string {
  return `${JSON.stringify(header)}\n`;
}

/** How many bytes of a line `readLine` wants to see first. */
const HEAD_LENGTH = 320;

// Our writer and Pi's put these first; another order means that the whole line is parsed.
const HEAD = new RegExp(
  '^\\{"type":"([\\x20!#-\\[\\]-~]+)","id":"([\\x20!#-\\[\\]-~]+)","parentId":' +
    '(?:null|"([\\x20!#-\\[\\]-~]+)")' +
    '(?:,"timestamp":"([\\x20!#-\\[\\]-~]*)"(?:,"message":\\{"role":"(\\w+)")?)?',
);
/**
 * A whole line has this once outside of strings (inside one its quotes are escaped); twice means
 * that two records stand on one line, or that a torn one was continued.
 */
const PARENT_FIELD = Buffer.from('"parentId":');
const SEARCH_STEP = 1024 * 1024;
/** `{"type":"","id":"","parentId":` */
const HEAD_WITHOUT_IDS = 30;
const BRACE_CLOSE = 0x7d;
const CR = 13;

/** The bytes of one line, as far as they are asked for. */
export interface LineBytes {
  offset: number;
  length: number;
  /** Its bytes from `start` to `end`, counted from the line's own start. */
  slice(start: number, end: number): Buffer;
}

/**
 * Reads a line's place in the tree from its first bytes, without parsing the rest: a line with a
 * whole head that ends in a brace is taken for whole until it is parsed.
 */
export function readLine(line: LineBytes): LineReading {
  return headOnly(line) ?? readWholeLine(line);
}

function headOnly(line: LineBytes): LineReading | undefined {
  let length = line.length;
  if (length === 0) return { heads: [] };
  const last = line.slice(length - 1, length)[0];
  if (last === CR) length--;
  const end = last === CR ? line.slice(length - 1, length)[0] : last;
  if (end !== BRACE_CLOSE) return undefined;
  const match = HEAD.exec(line.slice(0, Math.min(HEAD_LENGTH, length)).toString("latin1"));
  if (!match) return undefined;
  const [, type, id, parentId, timestamp, role] = match;
  if (type === undefined || id === undefined || type === "session" || type === "leaf") {
    return undefined;
  }
  if (namesParentAgain(line, type.length + id.length + HEAD_WITHOUT_IDS)) return undefined;
  const head: EntryHead = {
    type,
    id,
    parentId: parentId ?? null,
    offset: line.offset,
    length,
    afterDamage: false,
  };
  if (timestamp !== undefined) head.timestamp = timestamp;
  if (role !== undefined) head.role = role;
  return { heads: [head] };
}

function namesParentAgain(line: LineBytes, from: number): boolean {
  for (let at = from; at < line.length; at += SEARCH_STEP) {
    const end = Math.min(line.length, at + SEARCH_STEP + PARENT_FIELD.length);
    if (line.slice(at, end).includes(PARENT_FIELD)) return true;
  }
  return false;
}

/** Reads a line by parsing it, and what can be salvaged if it does not parse. */
export function readWholeLine(line: LineBytes): LineReading {
  const { records, problem } = recordsIn(line.slice(0, line.length));
  const heads: EntryHead[] = [];
  let trouble = problem;
  for (const record of records) {
    if (record.value["type"] === "session") {
      trouble ??= { kind: "header", reason: "a second header" };
      continue;
    }
    const head = headOf(record.value, line.offset + record.offset, record.length);
    if (head) heads.push(head);
    else trouble ??= { kind: "unreadable", reason: whyNoEntry(record.value) };
  }
  const first = heads[0];
  if (first && trouble) first.afterDamage = true;
  return trouble ? { heads, problem: trouble } : { heads };
}

function whyNoEntry(value: JsonObject): string {
  return typeof value["type"] === "string" ? "an entry without an id" : "an object without a type";
}

/** The head of a parsed line, or undefined if it is no entry. */
export function headOf(value: JsonObject, offset: number, length: number): EntryHead | undefined {
  const { type, id, parentId, timestamp, message, targetId } = value;
  if (typeof type !== "string" || typeof id !== "string") return undefined;
  const head: EntryHead = {
    type,
    id,
    parentId: typeof parentId === "string" ? parentId : null,
    offset,
    length,
    afterDamage: false,
  };
  if (typeof timestamp === "string") head.timestamp = timestamp;
  if (type === "message" && isRecord(message) && typeof message["role"] === "string") {
    head.role = message["role"];
  }
  if (type === "leaf" && (typeof targetId === "string" || targetId === null)) {
    head.targetId = targetId;
  }
  return head;
}

/** The entry whose bytes these are, or undefined if they hold none. */
export function parseEntry(bytes: Buffer): SessionEntry | undefined {
  const value = parseJson(bytes);
  return isRecord(value) ? soundEntry(value) : undefined;
}

/**
 * What reading a line gives that was just encoded. An entry in memory is made of its line, so that
 * it is what a later reading of the file will find, whatever the caller goes on to do with the
 * values that were handed in. The head's place is for the caller to fill in.
 */
export function readBack(line: string): { copy: SessionEntry; head: EntryHead } {
  const value: unknown = JSON.parse(line);
  const head = isRecord(value) ? headOf(value, 0, line.length - 1) : undefined;
  const copy = isRecord(value) ? soundEntry(value) : undefined;
  if (!head || !copy) throw new TypeError("an entry without a type or an id");
  return { copy, head };
}
