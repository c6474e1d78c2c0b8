/**
 * The lines of a fork: a path, as it stands in its file. Lines are copied as bytes, so that nothing
 * that this code does not know is lost; only where something is left out links are made anew.
 */
import { Buffer } from "node:buffer";
import type { EntryHead } from "./codec.ts";
import { encodeEntry } from "./codec.ts";
import type { SessionEntry } from "./entry.ts";
import { textOf } from "./message.ts";
import { parseJson } from "./sound.ts";
import { type PathLines, type SessionStorage, unknownEntry } from "./storage.ts";
import { makeEntry, type MemoryEnvironment } from "./storage_env.ts";
import { isRecord, type JsonObject } from "./record.ts";

/** Where to fork. */
export interface ForkPoint {
  /** The last entry of the fork, or the first one not in it; by default the leaf. */
  entryId?: string;
  /** Whether the entry is part of the fork (`at`, the default) or what stands before it. */
  position?: "before" | "at";
}

/** What a fork is made of. */
export interface ForkPlan {
  /**
   * The fork's entries, encoded, in pieces of bounded size. With `isPassing`, a piece holds only until
   * the next is asked for, which saves the memory for each.
   */
  chunks(options?: { isPassing: boolean }): Generator<Buffer>;
  /** Whether a person or a model has said something in it. */
  isSaid: boolean;
  /** The text of the message that the fork stops before, to be edited. */
  editorText?: string;
}

/** Plans a fork of a session. @throws SessionError `unknown_entry`. */
export function planFork(
  storage: SessionStorage,
  { entryId, position = "at" }: ForkPoint,
  environment: MemoryEnvironment,
): ForkPlan {
  const name = storage.file ?? storage.header.id;
  const target = entryId === undefined ? undefined : storage.entry(entryId);
  if (entryId !== undefined && !target) throw unknownEntry(entryId, name);
  const lines = storage.lines(entryId ?? storage.leafId);
  if (target && position === "before") lines.heads.pop();
  const copy = new PathCopy(lines);
  const labels = copy.missingLabels(storage.labels, environment);
  const editorText = target && position === "before" ? textToEdit(target) : undefined;
  return {
    chunks: (options) => copy.chunks(labels, options?.isPassing === true),
    isSaid: lines.heads.some((head) =>
      head.type === "message" && (head.role === "user" || head.role === "assistant")
    ),
    ...editorText === undefined ? {} : { editorText },
  };
}

function textToEdit(entry: SessionEntry): string | undefined {
  if (entry.type === "custom_message") return textOf(entry.content);
  if (entry.type !== "message") return undefined;
  const { message } = entry;
  return message.role === "user" || message.role === "custom" ? textOf(message.content) : undefined;
}

/** A line of a fork: bytes of the source, or a line made anew. */
type CopiedLine = { start: number; end: number } | { line: Buffer };

const LF = Buffer.from("\n");
const CHUNK_SIZE = 1024 * 1024;

/** A path that is being copied. */
class PathCopy {
  readonly #lines: PathLines;
  readonly #kept: EntryHead[] = [];
  readonly #copied: CopiedLine[] = [];
  /** Labels as the copied lines set them. */
  readonly #labels = new Map<string, string>();
  #lastId: string | null = null;
  /** The name that the copied lines give. */
  #name: unknown;

  constructor(lines: PathLines) {
    this.#lines = lines;
    let onPath: ReadonlySet<string> | undefined;
    const isOnPath = (id: string) => (onPath ??= idsOf(lines.heads)).has(id);
    const dropped = new Map<string, string>();
    let waiting: string[] = [];
    for (const head of lines.heads) {
      const value = mayPointAway(head) ? this.#parse(head) : undefined;
      if (value && pointsAway(value, isOnPath)) {
        waiting.push(head.id);
        continue;
      }
      for (const id of waiting) dropped.set(id, head.id);
      waiting = [];
      if (value?.["type"] === "label") this.#noteLabel(value);
      if (value?.["type"] === "session_info") this.#name = value["name"] || undefined;
      const compaction = value?.["type"] === "compaction" ? value : undefined;
      this.#copy(head, compaction && changedCompaction(compaction, dropped, this.#name));
    }
  }

  /** Labels on the path that its own lines do not set, as lines that do. */
  missingLabels(
    labels: ReadonlyMap<string, string>,
    environment: MemoryEnvironment,
  ): Buffer[] {
    const lines: Buffer[] = [];
    if (labels.size + this.#labels.size === 0) return lines;
    const ids = idsOf(this.#kept);
    for (const targetId of new Set([...labels.keys(), ...this.#labels.keys()])) {
      const label = labels.get(targetId);
      if (!ids.has(targetId) || this.#labels.get(targetId) === label) continue;
      const body = { type: "label" as const, targetId, ...label === undefined ? {} : { label } };
      const entry = makeEntry(body, this.#lastId, environment, (id) => ids.has(id));
      ids.add(entry.id);
      this.#lastId = entry.id;
      lines.push(Buffer.from(encodeEntry(entry)));
    }
    return lines;
  }

  /** The bytes of all lines: neighbours in the source in one piece, small pieces put together. */
  *chunks(more: readonly Buffer[], isPassing: boolean): Generator<Buffer> {
    const scratch = isPassing ? Buffer.allocUnsafe(CHUNK_SIZE) : undefined;
    let small: Buffer[] = [];
    let size = 0;
    for (const piece of this.#pieces(more, scratch)) {
      if (size > 0 && size + piece.length > CHUNK_SIZE) {
        yield Buffer.concat(small);
        small = [];
        size = 0;
      }
      if (piece.length < CHUNK_SIZE) {
        small.push(piece);
        size += piece.length;
      } else yield piece;
    }
    if (size > 0) yield Buffer.concat(small);
  }

  *#pieces(more: readonly Buffer[], scratch: Buffer | undefined): Generator<Buffer> {
    for (const copied of this.#copied) {
      if ("line" in copied) yield copied.line;
      else {
        for (let at = copied.start; at < copied.end; at += CHUNK_SIZE) {
          const end = Math.min(copied.end, at + CHUNK_SIZE);
          // A smaller piece waits to go out with others.
          const goesOut = end - at === CHUNK_SIZE;
          yield this.#lines.source.read(at, end, goesOut ? scratch : undefined);
        }
        yield LF;
      }
    }
    yield* more;
  }

  #copy(head: EntryHead, changed: JsonObject | undefined): void {
    const { id, parentId, offset, length } = head;
    if (changed || parentId !== this.#lastId) {
      const value = changed ?? this.#parse({ offset, length });
      const { type, id, timestamp, ...rest } = value;
      const line = { type, id, parentId: this.#lastId, timestamp, ...withoutParent(rest) };
      this.#copied.push({ line: Buffer.from(`${JSON.stringify(line)}\n`) });
    } else {
      const last = this.#copied.at(-1);
      if (last && "end" in last && last.end + 1 === offset) last.end = offset + length;
      else this.#copied.push({ start: offset, end: offset + length });
    }
    this.#kept.push(head);
    this.#lastId = id;
  }

  #parse({ offset, length }: { offset: number; length: number }): JsonObject {
    const value = parseJson(this.#lines.source.read(offset, offset + length));
    return isRecord(value) ? value : {};
  }

  #noteLabel({ targetId, label }: JsonObject): void {
    if (typeof targetId !== "string") return;
    if (typeof label === "string" && label !== "") this.#labels.set(targetId, label);
    else this.#labels.delete(targetId);
  }
}

function idsOf(heads: readonly EntryHead[]): Set<string> {
  return new Set(heads.map(({ id }) => id));
}

function withoutParent({ parentId: _parentId, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** Only these tell of other entries in ways that must hold within the fork. */
function mayPointAway({ type }: EntryHead): boolean {
  return type === "label" || type === "context_edit" || type === "compaction" ||
    type === "session_info";
}

/** Whether a line is about an entry that is not part of the fork. */
function pointsAway({ type, targetId }: JsonObject, isOnPath: (id: string) => boolean): boolean {
  return (type === "label" || type === "context_edit") &&
    !(typeof targetId === "string" && isOnPath(targetId));
}

/**
 * A compaction as it must be in the fork, or undefined if it is: if its first kept entry was left
 * out, it keeps from the next one on; its checkpoint tells the name that the path gives.
 */
function changedCompaction(
  value: JsonObject,
  dropped: ReadonlyMap<string, string>,
  name: unknown,
): JsonObject | undefined {
  const { firstKeptEntryId: kept, checkpoint } = value;
  const next = typeof kept === "string" ? dropped.get(kept) : undefined;
  const isRenamed = isRecord(checkpoint) && (checkpoint["name"] || undefined) !== name;
  if (next === undefined && !isRenamed) return undefined;
  return {
    ...value,
    ...next === undefined ? {} : { firstKeptEntryId: next },
    ...isRenamed ? { checkpoint: { ...checkpoint, name } } : {},
  };
}
