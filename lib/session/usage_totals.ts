/** What the model calls of a session used. */
import type { Buffer } from "node:buffer";
import { type EntryHead, parseEntry } from "./codec.ts";
import type { Checkpoint, SessionEntry } from "./entry.ts";
import { addUsage, noUsage, type Usage } from "./message.ts";
import { objectEnd } from "./salvage.ts";
import { isRecord, parseJson } from "./sound.ts";

/** Answers, retries, compactions, summaries and other calls, added up. */
export interface UsageTotals {
  /** Of the path to the leaf. */
  branch: Usage;
  /** Of all branches. */
  session: Usage;
}

/** What the call that an entry came of used; undefined if it came of none. */
export function usageOf(entry: SessionEntry): Usage | undefined {
  switch (entry.type) {
    case "message":
      return entry.message.role === "assistant" ? soundUsage(entry.message.usage) : undefined;
    case "usage":
    case "compaction":
    case "branch_summary":
      return soundUsage(entry.usage);
    case "model_change":
    case "thinking_level_change":
    case "custom":
    case "custom_message":
    case "context_edit":
    case "label":
    case "session_info":
    case "leaf":
      return undefined;
  }
  return undefined;
}

/** Whether an entry of this head may have a usage. */
export function mayHaveUsage({ type, role }: EntryHead): boolean {
  return type === "message"
    ? (role ?? "assistant") === "assistant"
    : type === "usage" || type === "compaction" || type === "branch_summary";
}

/** `"usage":` and its object, which is short. */
const USAGE = '"usage":';
const USAGE_MAX = 1000;

/** The usage that a line tells: its last one, without parsing what a model said. */
export function usageInLine(bytes: Buffer): Usage | undefined {
  const at = bytes.lastIndexOf(USAGE) + USAGE.length;
  if (at < USAGE.length) return undefined;
  const text = bytes.subarray(at, at + USAGE_MAX).toString("latin1");
  // Its costs stand last, as a rule.
  for (
    const end of [text.indexOf("}}") + 2, text.startsWith("{") ? objectEnd(text, 0) : undefined]
  ) {
    const usage = end === undefined ? undefined : parseJson(bytes.subarray(at, at + end));
    // An extension's details may hold something of that name.
    if (isRecord(usage) && isRecord(usage["cost"])) return soundUsage(usage);
  }
  const entry = parseEntry(bytes);
  return entry && usageOf(entry);
}

/**
 * The totals that a checkpoint took for the entries above it. Those of a whole session hold only in
 * the session that they were taken in: a fork has the entry, too.
 */
export function checkpointTotals(
  checkpoint: Checkpoint | undefined,
  of: keyof UsageTotals,
  sessionId: string,
): Usage | undefined {
  const totals: unknown = checkpoint?.totals;
  if (!isRecord(totals) || (of === "session" && totals["sessionId"] !== sessionId)) {
    return undefined;
  }
  return soundUsage(totals[of]);
}

/** A usage out of a file: what is no number there counts nothing. */
function soundUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const cost = isRecord(value["cost"]) ? value["cost"] : {};
  const number = (found: unknown) =>
    typeof found === "number" && Number.isFinite(found) ? found : 0;
  return {
    input: number(value["input"]),
    output: number(value["output"]),
    cacheRead: number(value["cacheRead"]),
    cacheWrite: number(value["cacheWrite"]),
    totalTokens: number(value["totalTokens"]),
    cost: {
      input: number(cost["input"]),
      output: number(cost["output"]),
      cacheRead: number(cost["cacheRead"]),
      cacheWrite: number(cost["cacheWrite"]),
      total: number(cost["total"]),
    },
  };
}

/** The usage of entries that are in memory. */
export function usageOfEntries(entries: readonly SessionEntry[]): Usage {
  let sum = noUsage();
  for (const entry of entries) {
    const usage = usageOf(entry);
    if (usage) sum = addUsage(sum, usage);
  }
  return sum;
}
