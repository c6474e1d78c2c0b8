/**
 * Questions that a log answers from its end, reading no further than the answer. To be asked within
 * `LogReader.settle`.
 */
import { BackwardBytes } from "./byte_search.ts";
import type { EntryHead } from "./codec.ts";
import {
  addSettings,
  type ContextSettings,
  firstKept,
  isCheckpoint,
  isSettled,
  settingsOfEntry,
  settled,
} from "./context.ts";
import type { Checkpoint, SessionEntry } from "./entry.ts";
import type { LogReader } from "./log_reader.ts";
import { addUsage, noUsage, type Usage } from "./message.ts";
import { checkpointTotals, mayHaveUsage, usageInLine, type UsageTotals } from "./usage_totals.ts";

/** The last name given, on whatever branch; a compaction's checkpoint knows the one before it. */
export function findName(reader: LogReader): string | undefined {
  for (const head of reader.headsBackward()) {
    if (head.type !== "session_info" && head.type !== "compaction") continue;
    const [entry] = reader.read([head]);
    if (entry?.type === "session_info") return entry.name || undefined;
    if (entry?.type === "compaction" && isCheckpoint(entry.checkpoint)) {
      return entry.checkpoint.name || undefined;
    }
  }
  return undefined;
}

/** The heads that a context is made of, leaf first: no further than the first kept entry. */
export function contextHeads(reader: LogReader, leafId: string): EntryHead[] {
  const heads: EntryHead[] = [];
  let ruling: number | undefined;
  let kept: string | undefined;
  for (const head of reader.ancestors(leafId)) {
    heads.push(head);
    if (ruling !== undefined) {
      if (head.id === kept) return heads;
    } else if (head.type === "compaction") {
      ruling = heads.length;
      const [entry] = reader.read([head]);
      kept = entry?.type === "compaction" ? firstKept(entry) : undefined;
      if (kept === undefined) return heads;
    }
  }
  if (ruling === undefined) return heads;
  // Nothing is kept, if the path that says so holds: its lines must be what their heads say.
  reader.read(heads.toReversed());
  return heads.slice(0, ruling);
}

/**
 * The settings at the end of a path: from its context's entries, then from heads further up (a
 * broken line up there is not noticed; a compaction's checkpoint makes the walk needless).
 */
export function findSettings(
  reader: LogReader,
  { leafId, entries }: { leafId: string; entries: readonly SessionEntry[] },
): ContextSettings {
  const found: Partial<ContextSettings> = {};
  for (let at = entries.length - 1; at >= 0 && !isSettled(found); at--) {
    const entry = entries[at];
    if (entry) addSettings(found, settingsOfEntry(entry));
  }
  if (isSettled(found)) return settled(found);
  let passed = 0;
  let isLookedFor = false;
  for (const head of reader.ancestors(leafId)) {
    if (passed++ < entries.length) continue;
    if (!isLookedFor && !reader.complete && found.model !== undefined) {
      isLookedFor = true;
      // Pi's compactions have no checkpoint, and where nobody chose a level there is none to be found.
      if (!reader.holdsUpTo(head, LEVEL_MARKS)) break;
    }
    if (!mayName(head, found)) continue;
    for (const entry of reader.read([head])) addSettings(found, settingsOfEntry(entry));
    if (isSettled(found)) break;
  }
  return settled(found);
}

/**
 * One of these stands in every line that names a thinking level. Not in what people and models say:
 * inside a string a backslash would stand before the second quote.
 */
const LEVEL_MARKS = ['"thinking_level_change"', '"checkpoint"'];

/** Whether an entry of this head may name settings that are still open. */
function mayName(head: EntryHead, found: Partial<ContextSettings>): boolean {
  switch (head.type) {
    case "model_change":
      return found.model === undefined;
    case "message":
      return found.model === undefined && (head.role ?? "assistant") === "assistant";
    case "thinking_level_change":
      return found.thinkingLevel === undefined;
    default:
      return head.type === "compaction";
  }
}

/**
 * What the path to a leaf used, and what all entries did.
 *
 * @param sessionId A checkpoint that was copied from another session knows nothing of this one.
 */
export function usageTotals(
  reader: LogReader,
  leafId: string | null,
  sessionId: string,
): UsageTotals {
  const usages = new LineUsages(reader);
  const path = leafId === null ? [] : reader.ancestors(leafId);
  return {
    branch: usages.sum(path, (checkpoint) => checkpointTotals(checkpoint, "branch", sessionId)),
    session: usages.sum(
      reader.headsBackward(),
      (checkpoint) => checkpointTotals(checkpoint, "session", sessionId),
    ),
  };
}

/** The usages that lines tell, each read once. */
class LineUsages {
  readonly #reader: LogReader;
  readonly #bytes: BackwardBytes;
  /** By the offset of the line. */
  readonly #known = new Map<number, Usage | undefined>();

  constructor(reader: LogReader) {
    this.#reader = reader;
    this.#bytes = new BackwardBytes(reader.source);
  }

  /** Adds up usages, newest first, down to a checkpoint that knows the rest. */
  sum(
    heads: Iterable<EntryHead>,
    known: (checkpoint: Checkpoint | undefined) => Usage | undefined,
  ): Usage {
    let sum = noUsage();
    for (const head of heads) {
      if (!mayHaveUsage(head)) continue;
      const usage = this.#of(head);
      if (usage) sum = addUsage(sum, usage);
      if (head.type !== "compaction") continue;
      const [entry] = this.#reader.read([head]);
      const before = entry?.type === "compaction" ? known(entry.checkpoint) : undefined;
      if (before) return addUsage(sum, before);
    }
    return sum;
  }

  #of(head: EntryHead): Usage | undefined {
    const known = this.#known.get(head.offset);
    if (known || this.#known.has(head.offset)) return known;
    const usage = usageInLine(this.#bytes.line(head));
    this.#known.set(head.offset, usage);
    return usage;
  }
}
