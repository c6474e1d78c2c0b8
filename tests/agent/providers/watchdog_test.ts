import { expect, test } from "bun:test";
import type { Timer } from "../../../lib/agent/mod.ts";
import { STOPPED, Watchdog } from "../../../lib/agent/providers/watchdog.ts";

/** Time moves when the test says so. */
class SteppedTimer implements Timer {
  #now = 0;
  #sleepers: { until: number; wake: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      this.#sleepers.push({ until: this.#now + ms, wake: resolve });
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  async advance(ms: number): Promise<void> {
    this.#now += ms;
    const due = this.#sleepers.filter(({ until }) => until <= this.#now);
    this.#sleepers = this.#sleepers.filter(({ until }) => until > this.#now);
    for (const { wake } of due) wake();
    for (let n = 0; n < 10; n++) await Promise.resolve();
  }
}

function watched(signal = new AbortController().signal) {
  const timer = new SteppedTimer();
  return { timer, watchdog: new Watchdog({ signal, idleMs: 100, timer }) };
}

const NEVER = new Promise<never>(() => {});

test("Watchdog stops a request when what is awaited does not come", async () => {
  const { timer, watchdog } = watched();
  const answer = watchdog.race(NEVER);
  await timer.advance(99);
  expect(watchdog.cause).toBeUndefined();
  await timer.advance(1);
  expect(await answer).toBe(STOPPED);
  expect([watchdog.cause, watchdog.signal.aborted]).toEqual(["idle", true]);
});

test("Watchdog counts from the last thing that came, and not while nothing is awaited", async () => {
  const { timer, watchdog } = watched();
  await watchdog.race(Promise.resolve("first"));
  await timer.advance(500);
  const second = watchdog.race(NEVER);
  await timer.advance(90);
  expect(watchdog.cause).toBeUndefined();
  await timer.advance(10);
  expect(await second).toBe(STOPPED);
});

test("Watchdog stops at once when the caller aborts, and says so", async () => {
  const abort = new AbortController();
  const { watchdog } = watched(abort.signal);
  const answer = watchdog.race(NEVER);
  abort.abort();
  expect(await answer).toBe(STOPPED);
  expect(watchdog.cause).toBe("aborted");
  expect(watched(abort.signal).watchdog.cause).toBe("aborted");
});

test("Watchdog leaves nothing running once it is closed", async () => {
  const abort = new AbortController();
  const { timer, watchdog } = watched(abort.signal);
  watchdog.close();
  await timer.advance(1_000);
  abort.abort();
  expect([watchdog.cause, watchdog.signal.aborted]).toEqual(["closed", true]);
});
