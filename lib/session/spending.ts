/** What model calls took, one by one, over many sessions. */
import type { FileSystem } from "./file_system.ts";
import { entriesIn, lookInto, sessionLines } from "./catalog/session_lines.ts";
import type { ModelRef, SessionEntry } from "./entry.ts";
import type { Usage } from "./message.ts";
import { usageOf } from "./usage_totals.ts";

/** One model call. */
export interface Spending {
  /** The entry that it came to. */
  entryId: string;
  /** ISO 8601. */
  timestamp: string;
  /** The model that was asked; of a summary, the one of the conversation. */
  model: ModelRef | null;
  usage: Usage;
}

/** The model calls of a session file, in the order of the file; none if it cannot be read. */
export function spendingsIn(fs: FileSystem, file: string): Spending[] {
  return lookInto(fs, file, ({ source, start }) => {
    const spendings: Spending[] = [];
    let model: ModelRef | null = null;
    for (const { bytes } of sessionLines(source, start)) {
      if (!bytes.includes(USAGE) && !bytes.includes(MODEL_CHANGE)) continue;
      for (const { entry } of entriesIn(bytes)) {
        model = modelOf(entry) ?? model;
        const usage = usageOf(entry);
        if (!usage) continue;
        spendings.push({ entryId: entry.id, timestamp: entry.timestamp, model, usage });
      }
    }
    return spendings;
  }) ?? [];
}

/** A line has one of these if it tells what a call took, or which model is asked from there on. */
const USAGE = '"usage"';
const MODEL_CHANGE = '"model_change"';

function modelOf(entry: SessionEntry): ModelRef | undefined {
  if (entry.type === "model_change") return { provider: entry.provider, modelId: entry.modelId };
  if (entry.type === "usage") return { provider: entry.provider, modelId: entry.model };
  if (entry.type !== "message" || entry.message.role !== "assistant") return undefined;
  return { provider: entry.message.provider, modelId: entry.message.model };
}
