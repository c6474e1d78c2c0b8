/** A clock that a test moves: nothing really waits. */
import type { Timer } from "../../lib/agent/mod.ts";

/**
 * Every sleep ends at once, having moved the clock; what was slept is recorded. Whatever is ready
 * goes first, as it would while somebody really slept.
 */
export class InstantTimer implements Timer {
  readonly slept: number[] = [];
  #now: number;

  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    this.slept.push(ms);
    this.#now += ms;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Sleeps end when the test says so, or when their signal aborts. */
export class HeldTimer implements Timer {
  /** How long each sleep was to be, in the order in which they began. */
  readonly slept: number[] = [];
  #sleepers: (() => void)[] = [];
  #waiting: { n: number; resolve: () => void }[] = [];
  #started = 0;
  readonly #now: number;

  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.slept.push(ms);
    this.#started++;
    for (const each of this.#waiting) if (this.#started >= each.n) each.resolve();
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      this.#sleepers.push(resolve);
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /** Resolves when the n-th sleep has begun. */
  sleeping(n: number): Promise<void> {
    if (this.#started >= n) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ n, resolve }));
  }

  /** Ends the sleeps that there are. */
  wake(): void {
    for (const resolve of this.#sleepers.splice(0)) resolve();
  }
}
