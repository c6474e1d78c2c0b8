/** Waiting for a session that another writer has. */
import { SessionError } from "./errors.ts";
import { type Clock, systemClock } from "./ports.ts";

/** How long to wait for a lock, and what to tell meanwhile. */
export interface WaitOptions {
  /** How long to wait in all; absent: until it is free. */
  timeoutMs?: number;
  /** Ends the wait; the call then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Called once, when the first attempt found the session busy. */
  onBusy?: (error: SessionError) => void;
  clock?: Clock;
  sleep?: (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;
  /** From 0 to 1. */
  random?: () => number;
}

const FIRST_DELAY_MS = 20;
const DELAY_MAX_MS = 250;

async function sleepFor(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  const { setTimeout: delay } = await import("node:timers/promises");
  try {
    await delay(delayMs, undefined, signal ? { signal } : {});
  } catch (error) {
    // The platform's own AbortError hides the reason that the caller gave.
    signal?.throwIfAborted();
    throw error;
  }
}

/**
 * Makes an attempt that needs a session's lock, again and again while it rejects with `busy`: at
 * short and growing intervals, at most 250 ms, drawn at random so that several waiting processes do
 * not keep step.
 *
 * @throws the last `busy` error when the time is over; every other error of the attempt at once.
 *
 * @example
 * ```ts
 * import { JsonlSessionRepo, waitForLock } from "bough";
 *
 * const repo = new JsonlSessionRepo({ sessionsDir: "sessions" });
 * const first = await repo.create({ cwd: "/tmp" });
 * await first.appendMessage({ role: "user", content: "Hello", timestamp: Date.now() });
 * const { file = "" } = first;
 * const second = await waitForLock(() => repo.open(file, { access: "write" }), {
 *   timeoutMs: 30_000,
 *   onBusy: ({ holder }) => {
 *     console.log("waiting for process", holder?.pid);
 *     void first.close(); // here the other writer is this program itself
 *   },
 * });
 * await second.close();
 * ```
 */
export async function waitForLock<T>(
  attempt: () => T | Promise<T>,
  options: WaitOptions = {},
): Promise<T> {
  const { timeoutMs = Infinity, signal, onBusy } = options;
  const { clock = systemClock, sleep = sleepFor, random = Math.random } = options;
  const deadline = clock.now() + timeoutMs;
  for (let attempts = 0;; attempts++) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof SessionError) || error.code !== "busy") throw error;
      const remainingMs = deadline - clock.now();
      if (remainingMs <= 0) throw error;
      if (attempts === 0) onBusy?.(error);
      const delayMs = Math.min(FIRST_DELAY_MS * 1.5 ** attempts, DELAY_MAX_MS);
      await sleep(Math.min(delayMs * (0.5 + random() / 2), remainingMs), signal);
    }
  }
}
