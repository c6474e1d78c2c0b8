/**
 * Questions that a log answers from its end, reading no further than the answer. To be asked within
 * `LogReader.settle`.
 */
import type { Buffer } from "node:buffer";
import { type EntryHead, parseEntry } from "./codec.ts";
import {
  addSettings,
  type ContextSettings,
  firstKept,
  isCheckpoint,
  isSettled,
  settingsOfEntry,
  settled,
} from "./context.ts";
import type { SessionEntry } from "./entry.ts";
import type { LogReader } from "./log_reader.ts";
import { addUsage, noUsage, type Usage } from "./message.ts";
import {
  checkpointTotals,
  mayHaveUsage,
  usageInLine,
  usageOf,
  type UsageTotals,
} from "./usage_totals.ts";

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
  const inPassing = totalsInPassing(reader, leafId, sessionId);
  if (inPassing) return inPassing;
  const sumOf = (heads: Iterable<EntryHead>, of: keyof UsageTotals) => {
    const sum = new UsageSum(of, sessionId);
    for (const head of heads) {
      if (mayHaveUsage(head)) sum.add(head, reader.bytes(head));
      if (sum.isWhole) break;
    }
    return sum.total;
  };
  return {
    branch: sumOf(leafId === null ? [] : reader.ancestors(leafId), "branch"),
    session: sumOf(reader.headsBackward(), "session"),
  };
}

/**
 * The same in one pass over the bytes, which remembers nothing. Undefined for a file whose lines do
 * not tell the path by themselves, since it has `leaf` entries, damage or parents that are missing.
 */
function totalsInPassing(
  reader: LogReader,
  leafId: string | null,
  sessionId: string,
): UsageTotals | undefined {
  const branch = new UsageSum("branch", sessionId);
  const session = new UsageSum("session", sessionId);
  /** The next entry of the path upwards. */
  let awaited = leafId;
  for (const line of reader.passing()) {
    if (!line || line.head.type === "leaf") return undefined;
    const { head, bytes } = line;
    const isOnPath = head.id === awaited;
    if (isOnPath) awaited = head.parentId;
    if (!mayHaveUsage(head)) continue;
    if (isOnPath) branch.add(head, bytes);
    session.add(head, bytes);
    if (session.isWhole && (branch.isWhole || awaited === null)) break;
  }
  if (awaited !== null && !branch.isWhole) return undefined;
  return { branch: branch.total, session: session.total };
}

/** Adds up usages, newest first, down to a checkpoint that knows the rest. */
class UsageSum {
  readonly #of: keyof UsageTotals;
  readonly #sessionId: string;
  #total = noUsage();
  #isWhole = false;

  constructor(of: keyof UsageTotals, sessionId: string) {
    this.#of = of;
    this.#sessionId = sessionId;
  }

  get total(): Usage {
    return this.#total;
  }

  /** Whether nothing further up counts. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  add(head: EntryHead, bytes: Buffer): void {
    if (this.#isWhole) return;
    // A compaction may bring messages of others, with usages of theirs.
    const isSimple = head.type !== "compaction" &&
      (head.type !== "message" || head.role !== undefined);
    const entry = isSimple ? undefined : parseEntry(bytes);
    const usage = entry ? usageOf(entry) : usageInLine(bytes);
    if (usage) this.#total = addUsage(this.#total, usage);
    const before = entry?.type === "compaction"
      ? checkpointTotals(entry.checkpoint, this.#of, this.#sessionId)
      : undefined;
    if (!before) return;
    this.#total = addUsage(this.#total, before);
    this.#isWhole = true;
  }
}
