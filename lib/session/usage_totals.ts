/** What the model calls of a session used. */
import type { Buffer } from "node:buffer";
import { type EntryHead, parseEntry } from "./codec.ts";
import type { Checkpoint, SessionEntry } from "./entry.ts";
import { addUsage, noUsage, type Usage } from "./message.ts";
import { objectEnd } from "./salvage.ts";
import { parseJson } from "./sound.ts";
import { isRecord } from "./record.ts";

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
      break;
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

/** The usage that a line tells, without parsing what a model said where there is only one. */
export function usageInLine(bytes: Buffer): Usage | undefined {
  const first = bytes.indexOf(USAGE);
  if (first === -1) return undefined;
  const at = first + USAGE.length;
  if (bytes.indexOf(USAGE, at) === -1) {
    const text = bytes.toString("latin1", at, Math.min(bytes.length, at + USAGE_MAX));
    // Its costs stand last, as a rule.
    const costsEnd = text.indexOf("}}") + 2;
    const usage = usageIn(bytes.subarray(at, at + costsEnd)) ??
      usageIn(bytes.subarray(at, at + (text.startsWith("{") ? objectEnd(text, 0) ?? 0 : 0)));
    if (usage) return usage;
  }
  const entry = parseEntry(bytes);
  return entry && usageOf(entry);
}

/** A usage with costs: an extension's details may hold something of that name. */
function usageIn(bytes: Buffer): Usage | undefined {
  const usage = parseJson(bytes);
  return isRecord(usage) && isRecord(usage["cost"]) ? soundUsage(usage) : undefined;
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
