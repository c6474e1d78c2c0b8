/** What a compaction would do, before a model is asked. Pure. */
import type { CompactionEntry, ContextItem, Message } from "../session/mod.ts";
import { findCut, turnStart } from "./cut.ts";
import { type NewestRequest, newestRequest } from "./request.ts";
import {
  type CompactionBudget,
  compactionBudget,
  type CompactionSettings,
  type ModelWindow,
} from "./settings.ts";
import { type BranchContext, contextTokens, estimateItems, estimateMessage } from "./tokens.ts";

/** Why a context is compacted. */
export type CompactionReason = "manual" | "threshold" | "overflow";

/** Something that is too big to be compacted. */
export interface Oversized {
  /** The entry to drop or edit; absent where it is the system prompt and the tools. */
  entryId?: string;
  what: string;
  tokens: number;
}

export interface CompactionPlan {
  /** The first entry that stays as it is. */
  firstKeptEntryId: string;
  /** The summary that is brought up to date, with the entry that holds it. */
  previous?: CompactionEntry;
  /** What is summarized. */
  history: readonly ContextItem[];
  /** The first part of a turn that the cut falls into: it gets a summary of its own. */
  turn: readonly ContextItem[];
  kept: readonly ContextItem[];
  /** The newest user message, where it is not among what is kept: repeated beside the summary. */
  request?: NewestRequest;
  /** The size of the context as it is now. */
  tokensBefore: number;
  /** What stays, word for word: `kept` and `request`. */
  keptTokens: number;
  /** Set where more than the budget is kept because a single thing is larger than it. */
  oversized?: Oversized;
  budget: CompactionBudget;
}

export type PlanFailure =
  | { code: "nothing_to_compact"; message: string }
  | { code: "oversized"; message: string; oversized: Oversized };

export type PlanOutcome = { ok: true; plan: CompactionPlan } | { ok: false; failure: PlanFailure };

export interface PlanOptions {
  settings: CompactionSettings;
  window: ModelWindow;
  reason: CompactionReason;
}

/**
 * Plans the compaction of a branch's context. A second compaction goes on from what the first one
 * kept. At most half of the conversation is kept, however small it is reckoned, when a person asked
 * for the compaction, or when the estimates must be too low: the provider refused the context, or
 * reported it over the threshold.
 */
export function planCompaction(context: BranchContext, options: PlanOptions): PlanOutcome {
  const { items } = context;
  const { window, reason } = options;
  const budget = compactionBudget(options.settings, window);
  const previous = previousCompaction(items);
  if (previous && reason === "manual" && !hasNews(context, previous)) {
    return nothing("the branch was compacted already, and nothing was added since");
  }
  const start = items[0]?.message.role === "compactionSummary" ? 1 : 0;
  const tokensBefore = contextTokens(context, window.overheadTokens).tokens;
  const half = Math.min(budget.keepTokens, Math.floor(estimateItems(items.slice(start)) / 2));
  let choice = chooseCut(context, start, reason === "threshold" ? budget.keepTokens : half);
  if (!choice && tokensBefore > budget.limitTokens) choice = chooseCut(context, start, half);
  if (!choice) {
    return tokensBefore > budget.limitTokens
      ? tooBig(largest(items, undefined), window, budget)
      : nothing("the conversation is short enough to be kept as it is");
  }
  const { cut, request } = choice;
  const kept = items.slice(cut);
  const keptTokens = estimateItems(kept) + (request?.tokens ?? 0);
  const oversized = keptTokens > budget.keepTokens ? largest(kept, request) : undefined;
  if (window.overheadTokens + keptTokens + budget.summaryTokens > budget.windowTokens) {
    return tooBig(oversized, window, budget);
  }
  // Where nothing follows a retained tail, nothing is kept: the earlier compaction, which adds
  // nothing to a later one's context, then stands for the boundary.
  const boundary = kept[0]?.entry ?? previous;
  if (!boundary) return nothing("the conversation is empty");
  const turn = turnStart(items, start, cut);
  const plan: CompactionPlan = {
    firstKeptEntryId: boundary.id,
    history: items.slice(start, turn),
    turn: items.slice(turn, cut),
    kept,
    tokensBefore,
    keptTokens,
    budget,
    ...(previous && { previous }),
    ...(request && { request }),
    ...(oversized && { oversized }),
  };
  return { ok: true, plan };
}

/**
 * The cut, if one leaves something to summarize. A user message that it leaves behind is repeated,
 * and takes its room from what else is kept.
 */
function chooseCut(
  context: BranchContext,
  start: number,
  keepTokens: number,
): { cut: number; request?: NewestRequest } | undefined {
  const { items } = context;
  const cut = findCut(items, start, keepTokens);
  // What is never sent (failed answers) is nothing to summarize.
  if (cut === undefined || estimateItems(items.slice(start, cut)) === 0) return undefined;
  if (items.slice(cut).some(({ message }) => message.role === "user")) return { cut };
  const request = newestRequest(context);
  if (!request) return { cut };
  return {
    cut: findCut(items, start, Math.max(0, keepTokens - request.tokens)) ?? cut,
    request,
  };
}

function previousCompaction(items: readonly ContextItem[]): CompactionEntry | undefined {
  const entry = items[0]?.entry;
  return entry?.type === "compaction" ? entry : undefined;
}

function hasNews({ items, branch }: BranchContext, previous: CompactionEntry): boolean {
  const at = branch.findLastIndex((entry) => entry.id === previous.id);
  const later = new Set(branch.slice(at + 1).map((entry) => entry.id));
  return items.some(({ entry }) => later.has(entry.id));
}

function nothing(reason: string): PlanOutcome {
  const message = `Cannot compact: ${reason}.`;
  return { ok: false, failure: { code: "nothing_to_compact", message } };
}

function largest(
  items: readonly ContextItem[],
  request: NewestRequest | undefined,
): Oversized | undefined {
  let found: Oversized | undefined = request && {
    entryId: request.entryId,
    what: "the newest user message",
    tokens: request.tokens,
  };
  for (const { entry, message } of items) {
    const tokens = estimateMessage(message);
    if (found && tokens <= found.tokens) continue;
    found = { entryId: entry.id, what: nameOf(message), tokens };
  }
  return found;
}

function nameOf(message: Message): string {
  switch (message.role) {
    case "user":
      return "a user message";
    case "assistant":
      return "an answer of the model";
    case "toolResult":
      return `a result of the tool ${message.toolName}`;
    case "bashExecution":
      return "a shell command's output";
    case "custom":
      return `a message of the kind ${message.customType}`;
    case "branchSummary":
      return "the summary of a branch";
    case "compactionSummary":
      return "the last compaction's summary";
    case "system":
      return "a system message";
  }
}

function tooBig(
  message: Oversized | undefined,
  { overheadTokens }: ModelWindow,
  budget: CompactionBudget,
): PlanOutcome {
  const oversized = message && message.tokens > overheadTokens
    ? message
    : { what: "the system prompt with the tools", tokens: overheadTokens };
  const place = oversized.entryId === undefined ? "" : ` (entry ${oversized.entryId})`;
  const remedy = oversized.entryId === undefined
    ? "Use fewer tools, a shorter system prompt, or a model with a larger window."
    : "Drop that entry from the context, or use a model with a larger window.";
  return {
    ok: false,
    failure: {
      code: "oversized",
      message: `Cannot compact: ${oversized.what}${place} takes about ${oversized.tokens} of the ` +
        `${budget.windowTokens} tokens of the model's window, and has to stay. ${remedy}`,
      oversized,
    },
  };
}
