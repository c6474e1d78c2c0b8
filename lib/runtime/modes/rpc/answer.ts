/** The answers to commands (`docs/rpc.md`): one record for each. */
import { ModelError } from "../../../agent/mod.ts";
import { reasonOf, SessionError } from "../../../session/mod.ts";
import { ConfigError } from "../../config/errors.ts";
import { RunningError } from "../../running_error.ts";
import { resultError } from "../result.ts";
import type { CommandId, Refusal } from "./command.ts";

/** Why a command was not done: a code of the failing part, or one of these. */
export type AnswerErrorCode =
  | Refusal["code"]
  /** Something is going on, and the command cannot be done meanwhile. */
  | "running"
  /** Nothing is going on that it could be about. */
  | "idle"
  | "aborted"
  | "shutting_down"
  /** It cannot be done, for a reason that the message tells. */
  | "failed"
  | "bug";

/** What a command came to. */
export type Outcome =
  | { readonly success: true; readonly data?: unknown }
  | {
    readonly success: false;
    readonly error: { readonly code: string; readonly message: string };
  };

/** The answer to a command. */
export type Answer =
  & { readonly type: "response"; readonly id?: CommandId; readonly command: string | null }
  & Outcome;

/** A command cannot be done as things are. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly code: AnswerErrorCode;

  constructor(code: AnswerErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Whether what was thrown is nobody's fault but ours. */
export function isBug(error: unknown): boolean {
  return !(error instanceof Error) || error instanceof TypeError || error instanceof RangeError ||
    error instanceof ReferenceError;
}

/** What was thrown, as a client is told of it. */
export function failure(error: unknown): Outcome {
  const message = reasonOf(error);
  if (error instanceof CommandError) {
    return { success: false, error: { code: error.code, message } };
  }
  if (error instanceof RunningError) return { success: false, error: { code: "running", message } };
  const isOfAPart = error instanceof SessionError || error instanceof ModelError ||
    error instanceof ConfigError;
  const code = isOfAPart ? resultError(error).code : isBug(error) ? "bug" : "failed";
  return { success: false, error: { code, message } };
}
