/** `--timeout`, `--max-turns` and `--max-cost`: watched from outside the run, which they stop. */
import type { Timer } from "../../agent/mod.ts";
import type { Usage } from "../../session/mod.ts";
import type { Limits } from "../command_line/run_options.ts";
import type { AgentSessionEvent } from "../event.ts";
import type { StopCause } from "./stop.ts";

type LimitReached = Extract<StopCause, { kind: "limit" }>;

function reached(limit: LimitReached["limit"], what: string): LimitReached {
  return { kind: "limit", limit, message: `Cannot finish within the limit: ${what}` };
}

function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(3))} s`;
}

/** Counts what a run uses, all its prompts together, and stops it when a limit is reached. */
export class LimitWatch {
  readonly #limits: Limits;
  readonly #stop: (cause: LimitReached) => void;
  #turns = 0;
  #costUsd = 0;

  constructor(limits: Limits, stop: (cause: LimitReached) => void) {
    this.#limits = limits;
    this.#stop = stop;
  }

  /** Starts the time; it runs until the signal aborts. */
  async start(timer: Timer, signal: AbortSignal): Promise<void> {
    const { timeoutMs } = this.#limits;
    if (timeoutMs === undefined) return;
    await timer.sleep(timeoutMs, signal);
    if (!signal.aborted) this.#stop(reached("time", `--timeout ${seconds(timeoutMs)} is over`));
  }

  /** Counts what an event tells. A limit that the last answer of all reaches stops nothing. */
  observe(event: AgentSessionEvent): void {
    if (event.type === "message_end" && event.message.role === "assistant") {
      this.#addCost(event.message.usage);
      // A model that costs too much must not first run its tools.
      if (event.message.stopReason !== "stop") this.#checkCost();
    } else if (event.type === "compaction_end") {
      this.#addCost(event.result?.usage);
    } else if (event.type === "entry_appended" && event.entry.type === "usage") {
      this.#addCost(event.entry.usage);
    } else if (event.type === "turn_start") {
      this.#checkCost();
    } else if (event.type === "turn_end") {
      const { stopReason } = event.message;
      if (stopReason === "error" || stopReason === "aborted") return;
      this.#turns++;
      if (event.toolResults.length > 0) this.#checkTurns();
    }
  }

  /** Whether a next prompt may start; stops the run if not. */
  checkBeforePrompt(): void {
    this.#checkCost();
    this.#checkTurns();
  }

  #addCost(usage: Usage | undefined): void {
    this.#costUsd += usage?.cost.total ?? 0;
  }

  #checkCost(): void {
    const { maxCostUsd } = this.#limits;
    if (maxCostUsd === undefined || this.#costUsd < maxCostUsd) return;
    this.#stop(reached("cost", `--max-cost ${maxCostUsd} USD is spent`));
  }

  #checkTurns(): void {
    const { maxTurns } = this.#limits;
    if (maxTurns === undefined || this.#turns < maxTurns) return;
    this.#stop(reached("turns", `--max-turns ${maxTurns} is used up`));
  }
}
