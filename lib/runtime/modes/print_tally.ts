/** What a run of print mode came to, over all its prompts. */
import type { Timer } from "../../agent/mod.ts";
import { addUsage, noUsage, SessionError, type Usage } from "../../session/mod.ts";
import type { AgentSession } from "../agent_session.ts";
import type { ExitCode } from "../command_line/exit_code.ts";
import type { AgentSessionEvent } from "../event.ts";
import type { RunOutcome } from "../run_tally.ts";
import { exitCodeOf } from "./exit_codes.ts";
import { type ResultError, resultError, type RunResult, stopError } from "./result.ts";
import { type StopCause, stopExitCode } from "./stop.ts";
import type { Structured } from "./structured.ts";

type Place = Pick<RunResult, "sessionId" | "sessionFile" | "leafId" | "model" | "totals">;

const NOWHERE: Place = {
  sessionId: null,
  sessionFile: null,
  leafId: null,
  model: null,
  totals: { branch: noUsage(), session: noUsage() },
};

/** Adds up the outcomes of the prompts, and makes the result of them. */
export class PrintTally {
  /** What was thrown, if something was. */
  failure: unknown;
  structured: Structured | undefined;
  stdinTimedOut = false;
  readonly #timer: Timer;
  readonly #startedAt: number;
  #last: RunOutcome | undefined;
  #usage: Usage = noUsage();
  #turns = 0;
  #retries = 0;
  #compactions = 0;
  /** Whether a message of this run is in the session: it is written before it is told. */
  #isSaid = false;
  readonly #denied: { toolCallId: string; toolName: string }[] = [];
  #place = NOWHERE;

  constructor(timer: Timer) {
    this.#timer = timer;
    this.#startedAt = timer.now();
  }

  observe(event: AgentSessionEvent): void {
    if (event.type === "message_end") this.#isSaid = true;
    if (event.type !== "tool_execution_end" || !event.denied) return;
    this.#denied.push({ toolCallId: event.toolCallId, toolName: event.toolName });
  }

  add(outcome: RunOutcome): void {
    this.#last = outcome;
    this.#usage = addUsage(this.#usage, outcome.usage);
    this.#turns += outcome.turns;
    this.#retries += outcome.retries;
    this.#compactions += outcome.compactions;
  }

  get text(): string {
    return this.#last?.text ?? "";
  }

  /** What went wrong, as it was thrown or reported. */
  get cause(): unknown {
    return this.failure ?? this.#last?.error;
  }

  /** Whether the last prompt has a whole answer that is saved. */
  get isAnswered(): boolean {
    const last = this.#last;
    return last !== undefined && !last.error && !last.aborted && last.stopReason !== "length";
  }

  /** Notes where the session is. Counting its totals reads the whole file. */
  async note(session: AgentSession, options: { totals: boolean }): Promise<void> {
    const { provider, id } = session.model.facts;
    const stored = session.session;
    this.#place = {
      ...NOWHERE,
      sessionId: stored.id,
      sessionFile: stored.file ?? null,
      leafId: stored.leafId,
      model: { provider, id },
    };
    if (!options.totals) return;
    const { branch, session: all } = await stored.usageTotals();
    this.#place = { ...this.#place, totals: { branch, session: all } };
  }

  /** What stands on stdout in text, if there is an answer. */
  answer(result: RunResult): string | undefined {
    if (this.structured) {
      return result.exitCode === 0 ? JSON.stringify(result.structured) : undefined;
    }
    return result.exitCode === 0 || result.exitCode === 7 || result.exitCode === 9
      ? result.text
      : undefined;
  }

  result(cause: StopCause | undefined): RunResult {
    const { exitCode, error } = this.#end(cause);
    return {
      type: "result",
      version: 1,
      ok: exitCode === 0,
      exitCode,
      text: this.text,
      structured: this.structured?.ok ? this.structured.value : null,
      ...this.#place,
      saved: this.#isSaved,
      stopReason: this.#last?.stopReason ?? null,
      turns: this.#turns,
      durationMs: Math.max(0, this.#timer.now() - this.#startedAt),
      usage: this.#usage,
      denied: this.#denied,
      retries: this.#retries,
      compactions: this.#compactions,
      error,
      ...(this.stdinTimedOut ? { stdin: "timed out" } : {}),
    };
  }

  get #isSaved(): boolean {
    return this.#isSaid && this.#place.sessionFile !== null && (this.#last?.saved ?? false);
  }

  /** Which of the things that ended it counts: what was thrown, what stopped it, how it answered. */
  #end(cause: StopCause | undefined): { exitCode: ExitCode; error: ResultError | null } {
    if (cause) {
      const goOn = this.#isSaved
        ? `; what was done is saved, go on with --session ${this.#place.sessionId}`
        : "";
      return { exitCode: stopExitCode(cause), error: stopError(cause, goOn) };
    }
    const last = this.#last;
    const error = this.cause;
    if (error !== undefined) {
      const isAnswered = last !== undefined && last.text !== "" && last.stopReason !== "toolUse";
      const isUnsaved = error instanceof SessionError && error.code === "write_failed";
      return failed(isAnswered && isUnsaved ? 9 : exitCodeOf(error), error);
    }
    if (last?.stopReason === "length") return { exitCode: 7, error: CUT };
    if (this.structured && !this.structured.ok) {
      return { exitCode: 8, error: misfit(this.structured.problem) };
    }
    return { exitCode: 0, error: null };
  }
}

function failed(exitCode: ExitCode, error: unknown): { exitCode: ExitCode; error: ResultError } {
  return { exitCode, error: resultError(error) };
}

const CUT: ResultError = {
  code: "cut",
  message:
    "The answer was cut at the model's output limit; ask for the rest with --continue, or for less",
  retryable: false,
};

function misfit(problem: string): ResultError {
  return {
    code: "schema",
    message: `Cannot give an answer that fits the schema: ${problem}`,
    retryable: true,
  };
}
