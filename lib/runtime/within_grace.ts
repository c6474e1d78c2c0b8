import { AbortGrace, type OVERDUE, type Timer } from "../agent/mod.ts";

/** Awaits one value of foreign code; `OVERDUE` if it does not heed the signal's abort in time. */
export async function withinGrace<T>(
  value: T | Promise<T>,
  signal: AbortSignal,
  timer: Timer,
): Promise<T | typeof OVERDUE> {
  const grace = new AbortGrace(signal, timer);
  try {
    return await grace.race(value);
  } finally {
    grace.end();
  }
}
