/** Older versions of the format to today's: pure functions from bytes to bytes. */
import { Buffer } from "node:buffer";
import type { ByteSource } from "./byte_source.ts";
import { SESSION_VERSION } from "./entry.ts";
import { hash32 } from "./hash.ts";
import type { HeaderReading } from "./header.ts";
import { linesForward } from "./lines.ts";
import { recordsIn } from "./salvage.ts";
import { isRecord, type JsonObject } from "./record.ts";

/** A line of the old file; `value` where it is one JSON object. */
interface OldLine {
  bytes: Buffer;
  value?: JsonObject;
}

/**
 * The lines of an older session as today's version. A line that needs no change, and one that
 * cannot be read, keeps its bytes; each line stays a line.
 */
export function upgradeLog(source: ByteSource, reading: HeaderReading): Buffer {
  const lines = oldLines(source, reading.end);
  if (reading.header.version < 2) linkByOrder(lines);
  const chunks = [
    source.read(0, reading.offset),
    encode({ ...reading.raw, version: SESSION_VERSION }),
  ];
  for (const { bytes, value } of lines) {
    const upgraded = value && renameHookMessage(value, reading.header.version < 2);
    chunks.push(upgraded ? encode(upgraded) : Buffer.concat([bytes, Buffer.from("\n")]));
  }
  return Buffer.concat(chunks);
}

function encode(value: JsonObject): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

function oldLines(source: ByteSource, from: number): OldLine[] {
  const lines: OldLine[] = [];
  for (const span of linesForward(source, from)) {
    const bytes = source.read(span.start, span.end);
    const { records, problem } = recordsIn(bytes);
    const value = records[0]?.value;
    lines.push(value && !problem ? { bytes, value } : { bytes });
  }
  return lines;
}

/** Version 1 has no ids: an entry's parent is the one before it. */
function linkByOrder(lines: OldLine[]): void {
  const ids = new Set<string>();
  /** By the number of its line, blank ones not counted; the header is 0. */
  const idOfLine: (string | undefined)[] = [undefined];
  let parentId: string | null = null;
  for (const line of lines) {
    if (line.bytes.toString("latin1").trim() === "") continue;
    const { value } = line;
    if (!value || typeof value["type"] !== "string") {
      idOfLine.push(undefined);
      continue;
    }
    const { type, id: oldId, parentId: oldParent, timestamp, ...rest } = value;
    const id = typeof oldId === "string" && !ids.has(oldId)
      ? oldId
      : newId(`${idOfLine.length}:${line.bytes.toString("latin1")}`, ids);
    const parent: unknown = oldParent === undefined ? parentId : oldParent;
    line.value = { type, id, parentId: parent, timestamp, ...rest };
    ids.add(id);
    idOfLine.push(id);
    parentId = id;
  }
  for (const { value } of lines) {
    if (value?.["type"] === "compaction") nameFirstKept(value, idOfLine);
  }
}

/** An id that depends on the line alone, so that two readers agree. */
function newId(line: string, taken: ReadonlySet<string>): string {
  for (let seed = 0;; seed++) {
    const id = hash32(line, seed);
    if (!taken.has(id)) return id;
  }
}

/** Where a compaction's kept entries begin: a line's number in version 1, an id since. */
function nameFirstKept(compaction: JsonObject, idOfLine: readonly (string | undefined)[]): void {
  const line = compaction["firstKeptEntryIndex"];
  delete compaction["firstKeptEntryIndex"];
  if (typeof line !== "number" || line < 1) return;
  const id = idOfLine.find((known, at) => at >= line && known !== undefined);
  if (id !== undefined) compaction["firstKeptEntryId"] = id;
}

/** Version 2's role `hookMessage` is `custom` today. @returns undefined if nothing changes. */
function renameHookMessage(value: JsonObject, changed: boolean): JsonObject | undefined {
  const { message } = value;
  if (value["type"] !== "message" || !isRecord(message) || message["role"] !== "hookMessage") {
    return changed ? value : undefined;
  }
  return { ...value, message: { ...message, role: "custom" } };
}
