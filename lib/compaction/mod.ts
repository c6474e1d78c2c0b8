/** Keeps a conversation within a model's window. Knows sessions and models, no runtime. */
export {
  type BranchContext,
  type ContextTokens,
  contextTokens,
  estimateMessage,
  estimateOverhead,
  estimateText,
} from "./tokens.ts";
export {
  type CompactionBudget,
  compactionBudget,
  type CompactionConfig,
  type CompactionSettings,
  compactionSettings,
  DEFAULT_COMPACTION_SETTINGS,
  type ModelWindow,
  shouldCompact,
} from "./settings.ts";
export { isOverflow } from "./overflow.ts";
export {
  type CompactionPlan,
  type CompactionReason,
  type Oversized,
  planCompaction,
  type PlanFailure,
  type PlanOptions,
  type PlanOutcome,
} from "./plan.ts";
export {
  carryOut,
  compact,
  type CompactionFailure,
  type CompactionOutcome,
  type CompactionResult,
  type CompactOptions,
  type SummaryOptions,
} from "./compact.ts";
export {
  type BranchSummaryFailure,
  type BranchSummaryOptions,
  type BranchSummaryOutcome,
  type BranchSummaryResult,
  summarizeBranch,
} from "./branch_summary.ts";
export { CompactionError, compactionError, type CompactionErrorCode } from "./errors.ts";
export { type FileLists } from "./files.ts";
export {
  type AskOptions,
  type CallWithRetry,
  type ModelAnswer,
  summarize,
  type SummaryFailure,
  type SummaryFailureCode,
  type SummaryJob,
  type SummaryOutcome,
} from "./summarize.ts";
