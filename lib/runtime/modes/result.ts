/** The result object of a run (`docs/cli.md`, "stdout and stderr"): the same in every output. */
import { MODEL_ERROR_FATE, ModelError } from "../../agent/mod.ts";
import { CompactionError } from "../../compaction/mod.ts";
import { reasonOf, SessionError, type StopReason, type Usage } from "../../session/mod.ts";
import type { ExitCode } from "../command_line/exit_code.ts";
import { ConfigError } from "../config/errors.ts";
import { UsageError } from "./exit_codes.ts";
import type { StopCause } from "./stop.ts";

export interface ResultError {
  /** A code of the failing part, or of the limit that was reached. */
  readonly code: string;
  readonly message: string;
  /** The HTTP status, where there was one. */
  readonly status?: number;
  /** Whether the same call may work later. */
  readonly retryable: boolean;
}

/** What a run came to. */
export interface RunResult {
  readonly type: "result";
  readonly version: 1;
  readonly ok: boolean;
  readonly exitCode: ExitCode;
  /** The last answer, as far as it went. */
  readonly text: string;
  /** With `--schema`: the answer as a value. */
  readonly structured: unknown;
  readonly sessionId: string | null;
  readonly sessionFile: string | null;
  readonly leafId: string | null;
  readonly saved: boolean;
  readonly model: { readonly provider: string; readonly id: string } | null;
  readonly stopReason: StopReason | null;
  readonly turns: number;
  readonly durationMs: number;
  /** Of this run, its retries and compactions included. */
  readonly usage: Usage;
  /** Of all runs so far. */
  readonly totals: { readonly branch: Usage; readonly session: Usage };
  /** Tool calls that were refused. */
  readonly denied: readonly { readonly toolCallId: string; readonly toolName: string }[];
  readonly retries: number;
  readonly compactions: number;
  readonly error: ResultError | null;
  /** Nothing came on stdin in the time that it was given. */
  readonly stdin?: "timed out";
}

/** What went wrong, for programs. */
export function resultError(error: unknown): ResultError {
  const message = reasonOf(error);
  if (error instanceof ModelError) {
    return {
      code: error.code,
      message,
      ...(error.status === undefined ? {} : { status: error.status }),
      retryable: MODEL_ERROR_FATE[error.code].retry,
    };
  }
  if (error instanceof CompactionError) {
    const { cause, code } = error;
    const retryable = cause instanceof ModelError && MODEL_ERROR_FATE[cause.code].retry;
    return { code, message, retryable };
  }
  if (error instanceof SessionError) {
    return { code: error.code, message, retryable: error.code === "busy" };
  }
  if (error instanceof ConfigError) return { code: error.code, message, retryable: false };
  return { code: error instanceof UsageError ? "usage" : "bug", message, retryable: false };
}

/** The same for a run that was stopped. `goOn` says how to go on with what was done, if one can. */
export function stopError(cause: StopCause, goOn: string): ResultError {
  switch (cause.kind) {
    case "signal":
      return {
        code: cause.signal,
        message: `Cannot finish: stopped by ${cause.signal}${goOn}`,
        retryable: true,
      };
    case "limit":
      return { code: `limit_${cause.limit}`, message: `${cause.message}${goOn}`, retryable: true };
    case "pipe":
      return {
        code: "SIGPIPE",
        message: `Cannot finish: the reader of stdout is gone${goOn}`,
        retryable: true,
      };
    case "output":
      return {
        code: "output",
        message: `Cannot write to stdout: ${cause.error.message}${goOn}`,
        retryable: false,
      };
  }
}
