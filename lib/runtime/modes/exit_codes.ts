/** What a run ends with; the same in every output (`docs/cli.md`, "Exit codes"). */
import { ModelError, type ModelErrorCode } from "../../agent/mod.ts";
import { CompactionError, type CompactionErrorCode } from "../../compaction/mod.ts";
import { SessionError, type SessionErrorCode } from "../../session/mod.ts";
import { ConfigError } from "../config/errors.ts";
import type { ExitCode } from "../command_line/exit_code.ts";

const MODEL_ERRORS: Record<ModelErrorCode, ExitCode> = {
  rate_limited: 1,
  overloaded: 1,
  dropped: 1,
  timed_out: 1,
  context_overflow: 1,
  bad_key: 3,
  quota: 1,
  bad_request: 1,
  refused: 1,
  unknown_model: 3,
  unreachable: 1,
};

const SESSION_ERRORS: Record<SessionErrorCode, ExitCode> = {
  not_found: 4,
  ambiguous: 4,
  not_a_session: 4,
  newer_version: 4,
  busy: 5,
  // Code 9 is for a run that answered; the result decides that.
  write_failed: 4,
  unknown_entry: 4,
  bad_id: 2,
  directory_gone: 4,
  // Ours to prevent.
  closed: 70,
};

const COMPACTION_ERRORS: Record<CompactionErrorCode, ExitCode> = {
  nothing_to_compact: 2,
  nothing_to_summarize: 2,
  oversized: 1,
  model_error: 1,
  empty: 1,
  reasoning_only: 1,
  cut: 1,
  tool_call: 1,
  too_long: 1,
  window_too_small: 1,
};

/** The command line asks for something that cannot be done; exit 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The exit code of what was thrown; 70 for what nobody expected. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError) return 2;
  if (error instanceof ModelError) return MODEL_ERRORS[error.code];
  if (error instanceof CompactionError) {
    const { cause, code } = error;
    return cause instanceof ModelError ? MODEL_ERRORS[cause.code] : COMPACTION_ERRORS[code];
  }
  if (error instanceof SessionError) return SESSION_ERRORS[error.code];
  if (error instanceof ConfigError) return 3;
  return 70;
}
