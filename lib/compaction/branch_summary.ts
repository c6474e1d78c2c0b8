import { noUsage, type Usage } from "../session/mod.ts";
import type { SummaryOptions } from "./compact.ts";
import { fileBlocks, type FileLists, fileLists } from "./files.ts";
import { compactionBudget, type CompactionSettings } from "./settings.ts";
import { summarize, type SummaryFailure } from "./summarize.ts";
import type { BranchContext } from "./tokens.ts";
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
  /** Where the branches part: what came after it is summarized. null: all of the branch. */
  ancestorId: string | null;
  /** How much of the branch is read, in tokens; by default what the window leaves. */
  budgetTokens?: number;
}

/**
 * Summarizes the end of a branch that is left, of what the model read there; `context` is that of
 * the leaf that is left. The newest messages come first within the budget; older ones that do not
 * fit are left out.
 */
export async function summarizeBranch(
  context: BranchContext,
  options: BranchSummaryOptions,
): Promise<BranchSummaryOutcome> {
  const { instructions } = options;
  const { contextWindow, maxTokens } = options.model.facts;
  const budget = compactionBudget(options.settings, {
    contextWindow,
    maxTokens,
    overheadTokens: 0,
  });
  const ancestor = context.branch.findIndex((entry) => entry.id === options.ancestorId);
  const left = new Set(context.branch.slice(ancestor + 1).map((entry) => entry.id));
  const items = context.items.filter((item) => left.has(item.entry.id));
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
  }, options);
  if (!outcome.ok) return outcome;
  const details = fileLists(items);
  const blocks = fileBlocks(details, Math.floor(budget.summaryTokens / 4));
  const branchSummary = { summary: outcome.text + blocks, details, usage: outcome.usage };
  return { ok: true, branchSummary };
}
