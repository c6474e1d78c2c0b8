import type { BranchSummaryFailure } from "./branch_summary.ts";
import type { CompactionFailure } from "./compact.ts";

type Failure = CompactionFailure | BranchSummaryFailure;

/** What was wrong; see `CompactionError`. */
export type CompactionErrorCode =
  | "nothing_to_compact"
  | "nothing_to_summarize"
  | "oversized"
  | "window_too_small"
  | "model_error"
  | "empty"
  | "reasoning_only"
  | "cut"
  | "tool_call"
  | "too_long";

/**
 * Nothing was compacted, or no summary of a branch was written; the session is as it was. With
 * `model_error` the `cause` is what the model call failed with.
 *
 * @example
 * ```ts
 * import { CompactionError, createAgentSession, replayModel } from "bough";
 *
 * const { session } = await createAgentSession({ model: replayModel({ messages: [] }) });
 * try {
 *   await session.compact();
 * } catch (error) {
 *   if (error instanceof CompactionError) console.log(error.code); // nothing_to_compact
 * }
 * await session.dispose();
 * ```
 */
export class CompactionError extends Error {
  override readonly name = "CompactionError";
  readonly code: CompactionErrorCode;

  constructor(code: CompactionErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}

/** A failure as an error; undefined for an abort, which is none. */
export function compactionError(failure: Failure): CompactionError | undefined {
  if (failure.code === "aborted") return undefined;
  const cause = "error" in failure ? failure.error : undefined;
  return new CompactionError(failure.code, failure.message, { cause });
}
