import { expect, test } from "bun:test";
import { SessionError } from "../../lib/session/errors.ts";
import { waitForLock, type WaitOptions } from "../../lib/session/wait_for_lock.ts";

const busy = () => new SessionError("busy", "Cannot write s.jsonl: another process is writing it");

/** Time that passes only by sleeping. */
class FakeTime {
  nowMs = 0;
  readonly slept: number[] = [];
  options(more: WaitOptions = {}): WaitOptions {
    return {
      clock: { now: () => this.nowMs },
      sleep: (delayMs) => {
        this.slept.push(delayMs);
        this.nowMs += delayMs;
        return Promise.resolve();
      },
      random: () => 1,
      ...more,
    };
  }
}

test("waitForLock() tries again at growing intervals until the session is free", async () => {
  const time = new FakeTime();
  const told: string[] = [];
  let attempts = 0;
  const result = await waitForLock(() => {
    if (++attempts < 10) throw busy();
    return "free";
  }, time.options({ onBusy: (error) => told.push(error.code) }));
  expect(result).toBe("free");
  expect(told).toEqual(["busy"]);
  expect(time.slept).toEqual([20, 30, 45, 67.5, 101.25, 151.875, 227.8125, 250, 250]);
});

test("waitForLock() gives up with the last busy error when the time is over", async () => {
  const time = new FakeTime();
  const error = busy();
  await expect(waitForLock(() => Promise.reject(error), time.options({ timeoutMs: 100 })))
    .rejects.toBe(error);
  expect(time.nowMs).toBe(100);
});

test("waitForLock() with no time at all makes one attempt", async () => {
  const time = new FakeTime();
  let attempts = 0;
  await expect(waitForLock(() => {
    attempts++;
    throw busy();
  }, time.options({ timeoutMs: 0 }))).rejects.toThrow("Cannot write s.jsonl");
  expect([attempts, time.slept]).toEqual([1, []]);
});

test("waitForLock() passes every other error on at once", async () => {
  const time = new FakeTime();
  const error = new SessionError("not_found", "Cannot open s.jsonl: it is not there");
  await expect(waitForLock(() => Promise.reject(error), time.options())).rejects.toBe(error);
  expect(time.slept).toEqual([]);
});

test("waitForLock() ends with the signal's reason", async () => {
  const controller = new AbortController();
  const reason = new Error("stop");
  const waiting = waitForLock(() => {
    throw busy();
  }, { signal: controller.signal, onBusy: () => queueMicrotask(() => controller.abort(reason)) });
  await expect(waiting).rejects.toBe(reason);
  await expect(waitForLock(() => "never", { signal: controller.signal })).rejects.toBe(reason);
});
