import { type ContextItem, noUsage, type SessionEntry, type Usage } from "../session/mod.ts";
import type { SummaryOptions } from "./compact.ts";
import { fileBlocks, type FileLists, fileLists } from "./files.ts";
import { compactionBudget, type CompactionSettings } from "./settings.ts";
import { summarize, type SummaryFailure } from "./summarize.ts";
import { newestPieces, transcript } from "./transcript.ts";

/** What a branch summary entry is made of. */
export interface BranchSummaryResult {
  summary: string;
  details: FileLists;
  usage: Usage;
}

export type BranchSummaryFailure =
  | SummaryFailure
  | { code: "nothing_to_summarize"; message: string };

/** `usage` is what the calls cost, also in vain. */
export type BranchSummaryOutcome =
  | { ok: true; branchSummary: BranchSummaryResult }
  | { ok: false; failure: BranchSummaryFailure; usage: Usage };

export interface BranchSummaryOptions extends SummaryOptions {
  settings: CompactionSettings;
  /** The context of the branch, up to the leaf that is left. */
  items: readonly ContextItem[];
  /** The entries of the branch that are left: those after the common ancestor. */
  entries: readonly SessionEntry[];
  /** How much of the branch is read, in tokens; by default what the window leaves. */
  budgetTokens?: number;
}

/**
 * Summarizes the end of a branch that is left, of what the model read there. The newest messages
 * come first within the budget; older ones that do not fit are left out.
 */
export async function summarizeBranch(
  options: BranchSummaryOptions,
): Promise<BranchSummaryOutcome> {
  const { model, signal, retry, instructions } = options;
  const { contextWindow, maxTokens } = model.facts;
  const budget = compactionBudget(options.settings, {
    contextWindow,
    maxTokens,
    overheadTokens: 0,
  });
  const left = new Set(options.entries.map((entry) => entry.id));
  const items = options.items.filter((item) => left.has(item.entry.id));
  const pieces = transcript(items.map((item) => item.message));
  if (pieces.length === 0) {
    const message = "Cannot summarize the branch: nothing was said on it.";
    return { ok: false, failure: { code: "nothing_to_summarize", message }, usage: noUsage() };
  }
  const tokensMax = options.budgetTokens ?? budget.limitTokens - budget.summaryTokens;
  const outcome = await summarize({
    kind: "branch",
    pieces: newestPieces(pieces, tokensMax),
    summaryTokens: budget.summaryTokens,
    ...(instructions !== undefined && { instructions }),
  }, { model, signal, ...(retry && { retry }) });
  if (!outcome.ok) return outcome;
  const details = fileLists(items);
  const blocks = fileBlocks(details, Math.floor(budget.summaryTokens / 4));
  const branchSummary = { summary: outcome.text + blocks, details, usage: outcome.usage };
  return { ok: true, branchSummary };
}
