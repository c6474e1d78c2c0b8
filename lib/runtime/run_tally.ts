/** What one prompt used, all its runs, retries, compactions and summaries included. */
import type { ModelError, RunEnd } from "../agent/mod.ts";
import {
  addUsage,
  type AssistantMessage,
  type Message,
  noUsage,
  type SessionError,
  type StopReason,
  textOf,
  type Usage,
} from "../session/mod.ts";

/** How a prompt ended. */
export interface RunOutcome {
  /** The text of the last answer; what there is of it, where it was cut. */
  text: string;
  /** The last answer, also one that failed. */
  message?: AssistantMessage;
  stopReason: StopReason;
  turns: number;
  /** Why there is no whole answer. */
  error?: ModelError | Error;
  aborted: boolean;
  /** Whether all that was said is in the session's file (or memory, where that is the session). */
  saved: boolean;
  saveError?: SessionError;
  usage: Usage;
  retries: number;
  compactions: number;
  /** The prompt was a command, or was taken by an extension: no model was asked. */
  taken: boolean;
}

/** Counts while a prompt is worked on. */
export class RunTally {
  usage: Usage = noUsage();
  turns = 0;
  retries = 0;
  compactions = 0;
  saveError: SessionError | undefined;

  addMessage(message: Message): void {
    if (message.role === "assistant") this.addUsage(message.usage);
  }

  addUsage(usage: Usage | undefined): void {
    if (usage) this.usage = addUsage(this.usage, usage);
  }

  outcome(end: RunEnd | undefined): RunOutcome {
    const message = end?.last;
    const error = end?.error ?? this.saveError;
    return {
      text: message ? textOf(message.content) : "",
      ...(message ? { message } : {}),
      stopReason: end?.aborted ? "aborted" : message?.stopReason ?? (error ? "error" : "stop"),
      turns: this.turns,
      ...(error ? { error } : {}),
      aborted: end?.aborted ?? false,
      saved: this.saveError === undefined,
      ...(this.saveError ? { saveError: this.saveError } : {}),
      usage: this.usage,
      retries: this.retries,
      compactions: this.compactions,
      taken: end === undefined && !error,
    };
  }
}
