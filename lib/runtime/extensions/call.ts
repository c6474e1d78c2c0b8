/** Calls into foreign code: whatever it does, short of blocking the process, the call ends. */
import type { Timer } from "../../agent/mod.ts";

/** How long a call may go on after its run was aborted. */
const ABORT_GRACE_MS = 500;

export interface CallLimit {
  limitMs: number;
  timer: Timer;
  /** Aborts what the call belongs to. */
  signal: AbortSignal | undefined;
  /** Settles when the call has its answer from a person: that wait does not count. */
  question?: () => Promise<unknown> | undefined;
}

export type CallOutcome =
  | { kind: "returned"; value: unknown }
  | { kind: "threw"; error: unknown }
  | { kind: "hung" }
  | { kind: "aborted" };

/** Calls a function; its signal aborts with the limit's, and when the call is given up. */
export async function callWithin(
  call: (signal: AbortSignal) => unknown,
  limit: CallLimit,
): Promise<CallOutcome> {
  const givenUp = new AbortController();
  const ended = new AbortController();
  const signal = limit.signal ? AbortSignal.any([limit.signal, givenUp.signal]) : givenUp.signal;
  try {
    const outcome = await Promise.race([settle(() => call(signal)), tooLong(limit, ended.signal)]);
    if (outcome.kind === "hung") givenUp.abort();
    return outcome;
  } finally {
    ended.abort();
  }
}

async function settle(call: () => unknown): Promise<CallOutcome> {
  try {
    return { kind: "returned", value: await call() };
  } catch (error) {
    return { kind: "threw", error };
  }
}

/** Resolves when a call has taken too long; without counting once it has ended. */
async function tooLong(limit: CallLimit, ended: AbortSignal): Promise<CallOutcome> {
  const { timer, limitMs, signal, question } = limit;
  const hurry = signal ? AbortSignal.any([signal, ended]) : ended;
  await timer.sleep(limitMs, hurry);
  for (let open = question?.(); open && !hurry.aborted; open = question?.()) {
    await Promise.allSettled([open]);
    await timer.sleep(limitMs, hurry);
  }
  if (!signal?.aborted) return { kind: "hung" };
  await timer.sleep(ABORT_GRACE_MS, ended);
  return { kind: "aborted" };
}
