import type { Timer } from "./timer.ts";

/** How long whoever is told to stop may take before the run goes on without. */
const ABORT_GRACE_MS = 1_200;

/** Says that what was awaited had not come when the grace after an abort was over. */
export const OVERDUE: unique symbol = Symbol("overdue");

/**
 * Awaits foreign code that ought to heed an abort, and lets go of it if it does not. For one value
 * after the other, until `end()`, which leaves nothing behind.
 */
export class AbortGrace {
  readonly #ended = new AbortController();
  #isOver = false;
  #letGo: () => void = () => {};

  constructor(signal: AbortSignal, timer: Timer) {
    void this.#watch(signal, timer);
  }

  /** The value, or `OVERDUE` once it has not come in time. */
  race<T>(value: T | Promise<T>): Promise<T | typeof OVERDUE> {
    // Not Promise.race: it would keep a reaction for each value on one long-lived promise.
    return new Promise((resolve, reject) => {
      this.#letGo = () => resolve(OVERDUE);
      Promise.resolve(value).then(resolve, reject);
      if (this.#isOver) resolve(OVERDUE);
    });
  }

  end(): void {
    this.#ended.abort();
  }

  async #watch(signal: AbortSignal, timer: Timer): Promise<void> {
    await whenAborted(signal, this.#ended.signal);
    await timer.sleep(ABORT_GRACE_MS, this.#ended.signal);
    this.#isOver = true;
    this.#letGo();
  }
}

/** Resolves when the signal aborts; once `ended` has aborted it is not listened to any more. */
function whenAborted(signal: AbortSignal, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true, signal: ended });
  });
}
