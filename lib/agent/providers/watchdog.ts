import type { Timer } from "../timer.ts";

/** Why a request was given up. */
export type StopCause = "aborted" | "idle" | "closed";

/** Says that the watched request was stopped before the awaited value came. */
export const STOPPED: unique symbol = Symbol("stopped");

/**
 * Watches one request: its `signal` aborts with the caller's, or when something was awaited for
 * `idleMs` and did not come.
 * Nothing that is awaited through `race` can outlast it, whatever the transport does about a signal.
 */
export class Watchdog {
  readonly #controller = new AbortController();
  readonly #timer: Timer;
  readonly #callerSignal: AbortSignal;
  readonly #onAbort = () => this.#stop("aborted");
  readonly #stopped: Promise<typeof STOPPED>;
  #resolveStopped: (value: typeof STOPPED) => void = () => {};
  #idleMs: number;
  #lastSign: number;
  #cause: StopCause | undefined;
  /** Whether anything is awaited: a slow listener's time is not the provider's silence. */
  #waiting = false;

  constructor(options: { signal: AbortSignal; idleMs: number; timer: Timer }) {
    this.#timer = options.timer;
    this.#idleMs = options.idleMs;
    this.#lastSign = options.timer.now();
    this.#callerSignal = options.signal;
    this.#stopped = new Promise((resolve) => this.#resolveStopped = resolve);
    if (options.signal.aborted) {
      this.#stop("aborted");
    } else {
      options.signal.addEventListener("abort", this.#onAbort, { once: true });
      void this.#watch();
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get cause(): StopCause | undefined {
    return this.#cause;
  }

  /** The value, or `STOPPED` as soon as the request is given up. */
  async race<T>(value: Promise<T>): Promise<T | typeof STOPPED> {
    this.#restart();
    this.#waiting = true;
    try {
      return await Promise.race([value, this.#stopped]);
    } finally {
      this.#waiting = false;
    }
  }

  /** Ends the request and leaves nothing behind. */
  close(): void {
    this.#stop("closed");
    this.#callerSignal.removeEventListener("abort", this.#onAbort);
  }

  #restart(): void {
    this.#lastSign = this.#timer.now();
  }

  #stop(cause: StopCause): void {
    if (this.#cause !== undefined) return;
    this.#cause = cause;
    this.#controller.abort();
    this.#resolveStopped(STOPPED);
  }

  async #watch(): Promise<void> {
    while (this.#cause === undefined) {
      if (!this.#waiting) this.#restart();
      const leftMs = this.#lastSign + this.#idleMs - this.#timer.now();
      if (leftMs <= 0) return this.#stop("idle");
      await this.#timer.sleep(leftMs, this.#controller.signal);
    }
  }
}
