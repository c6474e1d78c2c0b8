/** A session's tree, each entry shortened: what a drawing of the whole needs, at little cost. */
import { Buffer } from "node:buffer";
import type { ByteSource } from "./byte_source.ts";
import { type EntryHead, parseEntry } from "./codec.ts";
import type { SessionEntry } from "./entry.ts";
import { parsePrefix } from "./prefix.ts";
import { soundEntry } from "./sound.ts";
import type { EntryIndex } from "./tree.ts";
import { isRecord } from "./record.ts";

/** An entry in an outline. */
export interface OutlineEntry {
  /**
   * The entry as its line's first bytes tell it: texts may be cut, what follows them may be missing.
   * A line that breaks off further on is not noticed here; reading its branch shows that.
   */
  excerpt: SessionEntry;
  /** Where its parent stands in the outline; undefined for a root. */
  parent: number | undefined;
  label?: string;
}

/** All entries in the order in which they were written; `leaf` entries are none. */
export interface Outline {
  entries: OutlineEntry[];
  /** Where the leaf stands in `entries`. */
  leaf: number | undefined;
}

/** How much of a line is looked at, in bytes. */
const EXCERPT_BYTES = 480;
const BLOCK_BYTES = 256 * 1024;

/** Puts an outline together. `excerptAt` reads an entry by its position in the index. */
export function outlineOf(
  index: EntryIndex,
  labels: ReadonlyMap<string, string>,
  excerptAt: (position: number) => SessionEntry | undefined,
): Outline {
  const entries: OutlineEntry[] = [];
  /** Where the entry at a position of the index stands in the outline. */
  const places: (number | undefined)[] = [];
  for (let position = 0; position < index.size; position++) {
    const head = index.head(position);
    const excerpt = head.type === "leaf" ? undefined : excerptAt(position);
    places.push(excerpt && entries.length);
    if (!excerpt) continue;
    const label = labels.get(head.id);
    entries.push(
      label === undefined ? { excerpt, parent: undefined } : { excerpt, parent: undefined, label },
    );
  }
  const placeOf = (position: number | undefined) =>
    position === undefined ? undefined : places[position];
  for (const [position, place] of places.entries()) {
    const entry = place === undefined ? undefined : entries[place];
    if (entry) entry.parent = placeOf(index.parent(position));
  }
  return { entries, leaf: placeOf(index.leaf) };
}

/** Reads excerpts from a source; neighbours in the file share what is read. */
export function excerpts(source: ByteSource): (head: EntryHead) => SessionEntry | undefined {
  let from = 0;
  let bytes = source.read(0, 0);
  const scratch = Buffer.allocUnsafe(BLOCK_BYTES);
  return (head) =>
    excerptOf(head, (start, end) => {
      if (start < from || end > from + bytes.length) {
        from = start;
        bytes = source.read(start, Math.max(end, start + BLOCK_BYTES), scratch);
      }
      return bytes.subarray(start - from, end - from);
    });
}

/** An entry by the first bytes of its line, or by all of them where those say too little. */
function excerptOf(
  { offset, length }: EntryHead,
  read: (start: number, end: number) => Buffer,
): SessionEntry | undefined {
  if (length <= EXCERPT_BYTES) return parseEntry(read(offset, offset + length));
  const value = parsePrefix(read(offset, offset + EXCERPT_BYTES));
  const entry = isRecord(value) ? soundEntry(value) : undefined;
  return entry && tellsEnough(entry) ? entry : parseEntry(read(offset, offset + length));
}

/** Whether there is something of it to show: an image or a thought may come before the text. */
function tellsEnough(entry: SessionEntry): boolean {
  if (entry.type !== "message") return entry.type !== "compaction" || entry.summary !== "";
  const { message } = entry;
  let tells = false;
  switch (message.role) {
    case "bashExecution":
      tells = message.command !== "";
      break;
    case "toolResult":
      tells = message.toolName !== "" && message.content.length > 0;
      break;
    case "user":
    case "assistant":
    case "custom":
    case "system":
      tells = typeof message.content === "string"
        ? message.content !== ""
        : message.content.some((block) => block.type === "text" || block.type === "toolCall");
  }
  return tells;
}
