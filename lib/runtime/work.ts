import type { Timer } from "../agent/mod.ts";
import type { PromptRun } from "./prompt_run.ts";
import { RunningError } from "./running_error.ts";
import { withinGrace } from "./within_grace.ts";

export interface WorkPorts {
  /** What a piece of work goes by; it ends with the signal. */
  newRun(signal: AbortSignal): PromptRun;
  /** Told last of all, once per piece. */
  settled(aborted: boolean): Promise<void>;
  timer: Timer;
}

/**
 * The frame of all work of a conversation. Invariants: one piece at a time, aborted as one; whatever
 * ended it, what it left behind is put in order, and then it is told to have settled.
 */
export class WorkFrame {
  readonly #ports: WorkPorts;
  readonly #alongside = new Set<{ controller: AbortController; ended: Promise<void> }>();
  #current: { run: PromptRun; controller: AbortController; ended: Promise<void> } | undefined;

  constructor(ports: WorkPorts) {
    this.#ports = ports;
  }

  /** The run of what is being worked on. */
  get run(): PromptRun | undefined {
    return this.#current?.run;
  }

  /** Throws a `RunningError` if something is going on. */
  async start<T>(task: (run: PromptRun) => Promise<T>): Promise<T> {
    if (this.#current) {
      throw new RunningError(
        "Cannot start: something is going on. Abort it, or wait for it to end.",
      );
    }
    const controller = new AbortController();
    const ended = Promise.withResolvers<void>();
    const run = this.#ports.newRun(controller.signal);
    this.#current = { run, controller, ended: ended.promise };
    try {
      return await task(run);
    } finally {
      try {
        await run.finish();
      } finally {
        this.#current = undefined;
        try {
          await this.#ports.settled(controller.signal.aborted);
        } finally {
          ended.resolve();
        }
      }
    }
  }

  /** Does something that is no part of the work, but that `abort()` stops as well. */
  async alongside<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const ended = Promise.withResolvers<void>();
    const beside = { controller, ended: ended.promise };
    this.#alongside.add(beside);
    try {
      return await task(controller.signal);
    } finally {
      this.#alongside.delete(beside);
      ended.resolve();
    }
  }

  /** Resolves when the work has ended. */
  async abort(): Promise<void> {
    this.#current?.controller.abort();
    for (const { controller } of this.#alongside) controller.abort();
    await this.waitForIdle();
  }

  /** Like `abort()`, but what goes on alongside has ended, too, unless it does not heed the abort. */
  async abortAll(): Promise<void> {
    await this.abort();
    const beside = [...this.#alongside].map(({ ended }) => ended);
    if (beside.length === 0) return;
    await withinGrace(Promise.all(beside), AbortSignal.abort(), this.#ports.timer);
  }

  /** Resolves when nothing is being worked on. */
  async waitForIdle(): Promise<void> {
    while (this.#current) await this.#current.ended;
  }
}
