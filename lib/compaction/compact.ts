/** A compaction from plan to entry: what is older gives way to a summary. */
import { addUsage, noUsage, type Usage } from "../session/mod.ts";
import { fileBlocks, type FileLists, fileLists, withoutFileBlocks } from "./files.ts";
import {
  type CompactionPlan,
  type CompactionReason,
  type Oversized,
  planCompaction,
  type PlanFailure,
} from "./plan.ts";
import { requestBlock } from "./request.ts";
import type { CompactionSettings } from "./settings.ts";
import { type AskOptions, summarize, type SummaryFailure, type SummaryJob } from "./summarize.ts";
import type { BranchContext } from "./tokens.ts";
import { transcript } from "./transcript.ts";

/** What a compaction entry is made of. */
export interface CompactionResult {
  summary: string;
  firstKeptEntryId: string;
  tokensBefore: number;
  details: FileLists;
  usage: Usage;
}

export type CompactionFailure = PlanFailure | SummaryFailure;

/** `usage` is what the calls cost, also in vain. */
export type CompactionOutcome =
  | { ok: true; compaction: CompactionResult; oversized?: Oversized }
  | { ok: false; failure: CompactionFailure; usage: Usage };

export interface SummaryOptions extends AskOptions {
  /** What the person wants of the summary. */
  instructions?: string;
}

export interface CompactOptions extends SummaryOptions {
  settings: CompactionSettings;
  /** System prompt and tools (`estimateOverhead`). */
  overheadTokens: number;
  reason: CompactionReason;
}

/** Plans and carries out a compaction. Nothing is written: that is the caller's part. */
export async function compact(
  context: BranchContext,
  options: CompactOptions,
): Promise<CompactionOutcome> {
  const { contextWindow, maxTokens } = options.model.facts;
  const planned = planCompaction(context, {
    settings: options.settings,
    window: { contextWindow, maxTokens, overheadTokens: options.overheadTokens },
    reason: options.reason,
  });
  if (!planned.ok) return { ...planned, usage: noUsage() };
  return await carryOut(planned.plan, options);
}

/**
 * Has the summaries of a plan written and puts the result together: summary, first part of the turn,
 * newest user message, files. Fails as a whole if one summary fails.
 */
export async function carryOut(
  plan: CompactionPlan,
  options: SummaryOptions,
): Promise<CompactionOutcome> {
  const texts: string[] = [];
  let usage = noUsage();
  for (const job of summaryJobs(plan, options.instructions)) {
    const outcome = await summarize(job, options);
    usage = addUsage(usage, outcome.usage);
    if (!outcome.ok) return { ok: false, failure: outcome.failure, usage };
    texts.push(job.kind === "turn" ? `${TURN_HEADING}\n\n${outcome.text}` : outcome.text);
  }
  if (plan.request) texts.push(requestBlock(plan.request));
  const details = fileLists([...plan.history, ...plan.turn], plan.previous?.details);
  const compaction: CompactionResult = {
    summary: texts.join("\n\n") + fileBlocks(details, Math.floor(plan.budget.summaryTokens / 4)),
    firstKeptEntryId: plan.firstKeptEntryId,
    tokensBefore: plan.tokensBefore,
    details,
    usage,
  };
  return { ok: true, compaction, ...(plan.oversized && { oversized: plan.oversized }) };
}

const TURN_HEADING = "# The turn in progress, first part";

/**
 * A split turn gets a summary of its own, unless there is nothing else to summarize: then it alone
 * does, and brings an earlier summary up to date.
 */
function summaryJobs(plan: CompactionPlan, instructions: string | undefined): SummaryJob[] {
  const { history, turn, previous, request, budget } = plan;
  const previousSummary = previous && withoutFileBlocks(previous.summary);
  const shared = {
    ...(request && { request: request.text }),
    ...(instructions !== undefined && { instructions }),
  };
  const pieces = (items: CompactionPlan["history"]) =>
    transcript(items.map((item) => item.message));
  const whole = turn.length === 0 || history.length === 0;
  const first: SummaryJob = {
    kind: history.length === 0 && previous === undefined ? "turn" : "history",
    pieces: pieces(whole ? [...history, ...turn] : history),
    summaryTokens: whole ? budget.summaryTokens : Math.ceil(budget.summaryTokens * 2 / 3),
    ...(previousSummary !== undefined && { previousSummary }),
    ...shared,
  };
  if (whole) return [first];
  const summaryTokens = Math.ceil(budget.summaryTokens / 3);
  return [first, { kind: "turn", pieces: pieces(turn), summaryTokens, ...shared }];
}
