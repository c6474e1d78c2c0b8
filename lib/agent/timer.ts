/** The port to the clock. */

/** Tells the time and waits; a test gives one that does not really wait. */
export interface Timer {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Waits `ms` milliseconds, or until the signal aborts, whichever is first. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's own clock. */
export const systemTimer: Timer = {
  now: () => Date.now(),
  sleep(ms, signal) {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timeout);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timeout = setTimeout(done, ms);
      signal?.addEventListener("abort", done, { once: true });
    });
  },
};
