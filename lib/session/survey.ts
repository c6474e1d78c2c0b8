/**
 * A full reading of a session file, for `verify` and `repair`: every line is parsed, and of each
 * entry only what links it to others is kept. So memory grows with the number of entries, not with
 * what they hold.
 */
import { isUtf8 } from "node:buffer";
import type { Buffer } from "node:buffer";
import type { ByteSource } from "./byte_source.ts";
import { type EntryHead, headOf } from "./codec.ts";
import type { Damage } from "./entry.ts";
import { linesForward, type LineSpan } from "./lines.ts";
import { type LineProblem, recordsIn } from "./salvage.ts";
import { isRecord, type JsonObject } from "./record.ts";

/** An entry and what it refers to. */
export interface SurveyedEntry {
  head: EntryHead;
  /** 1 for the first line. */
  line: number;
  /** Its text has bytes that are no UTF-8; they read as U+FFFD. */
  badText: boolean;
  /** It is the entry before it once more, byte for byte. */
  repeats: boolean;
  /** The entry that a label, an edit or a compaction names. */
  target?: string;
  /** The calls of an answer that a model gets results for. */
  calls?: { id: string; name: string }[];
  /** The call that a tool result answers. */
  answers?: string;
}

/** A line that is not simply one entry. */
export interface SurveyedProblem {
  kind: Damage["kind"];
  reason: string;
  line: number;
  offset: number;
  length: number;
}

/** Where a header was found. */
export interface SurveyedHeader {
  value: JsonObject;
  line: number;
  offset: number;
  length: number;
  /** Entries stand before it. */
  late: boolean;
}

/** All that a full reading finds, in file order. */
export interface Survey {
  size: number;
  lines: number;
  header: SurveyedHeader | undefined;
  entries: SurveyedEntry[];
  problems: SurveyedProblem[];
}

/** Reads a session file from its first byte to its last. */
export function surveySession(source: ByteSource): Survey {
  const surveyor = new Surveyor(source.size);
  for (const span of linesForward(source)) {
    surveyor.line(source.read(span.start, span.end), span);
  }
  return surveyor.survey;
}

class Surveyor {
  readonly survey: Survey;
  #afterDamage = false;
  /** The bytes of the last entry, to know a line that was written twice. */
  #last: Buffer | undefined;

  constructor(size: number) {
    this.survey = { size, lines: 0, header: undefined, entries: [], problems: [] };
  }

  line(bytes: Buffer, span: LineSpan): void {
    this.survey.lines++;
    const { records, problem } = recordsIn(bytes);
    const troubles = problem ? [problem] : [];
    const first = this.survey.entries.length;
    for (const { value, offset, length } of records) {
      const record = bytes.subarray(offset, offset + length);
      const place = { offset: span.start + offset, length };
      const trouble = value["type"] === "session"
        ? this.#header(value, place)
        : this.#entry(value, place, record);
      if (trouble) troubles.push(trouble);
    }
    const entry = this.survey.entries[first];
    if (entry) entry.head.afterDamage = this.#afterDamage || troubles.length > 0;
    // As the reader has it: what comes after a line with any damage comes after damage.
    if (entry || troubles.length > 0) this.#afterDamage = troubles.length > 0;
    for (const { kind, reason } of troubles) {
      this.survey.problems.push({
        kind: kind === "unreadable" && !span.terminated ? "torn" : kind,
        reason,
        line: this.survey.lines,
        offset: span.start,
        length: span.end - span.start,
      });
    }
  }

  #header(value: JsonObject, place: Place): LineProblem | undefined {
    if (typeof value["id"] !== "string") {
      return { kind: "header", reason: "a header without an id" };
    }
    if (this.survey.header) return { kind: "header", reason: "a second header" };
    const late = this.survey.entries.length > 0;
    this.survey.header = { value, line: this.survey.lines, late, ...place };
    return undefined;
  }

  #entry(value: JsonObject, place: Place, record: Buffer): LineProblem | undefined {
    const head = headOf(value, place.offset, place.length);
    if (!head) {
      const reason = typeof value["type"] === "string"
        ? "an entry without an id"
        : "an object without a type";
      return { kind: "unreadable", reason };
    }
    this.survey.entries.push({
      head,
      line: this.survey.lines,
      badText: !isUtf8(record),
      repeats: this.#last?.equals(record) === true,
      ...referencesOf(value),
    });
    this.#last = record;
    return undefined;
  }
}

interface Place {
  offset: number;
  length: number;
}

function referencesOf(value: JsonObject): Pick<SurveyedEntry, "target" | "calls" | "answers"> {
  switch (value["type"]) {
    case "label":
    case "context_edit":
      return { target: typeof value["targetId"] === "string" ? value["targetId"] : "" };
    case "compaction": {
      const first = value["firstKeptEntryId"];
      // "" and the compaction's own id mean that nothing before it is kept.
      if (typeof first !== "string" || first === "" || first === value["id"]) return {};
      return Array.isArray(value["retainedTail"]) ? {} : { target: first };
    }
    case "message":
      return isRecord(value["message"]) ? messageReferences(value["message"]) : {};
    default:
      return {};
  }
}

function messageReferences(message: JsonObject): Pick<SurveyedEntry, "calls" | "answers"> {
  const { role, content, stopReason, toolCallId } = message;
  if (role === "toolResult") return typeof toolCallId === "string" ? { answers: toolCallId } : {};
  // The calls of an answer that failed or was stopped never go to a model.
  const isSent = role === "assistant" && stopReason !== "error" && stopReason !== "aborted";
  if (!isSent || !Array.isArray(content)) return {};
  const calls = content.flatMap((block: unknown) =>
    isRecord(block) && block["type"] === "toolCall" && typeof block["id"] === "string"
      ? [{ id: block["id"], name: typeof block["name"] === "string" ? block["name"] : "" }]
      : []
  );
  return calls.length > 0 ? { calls } : {};
}
