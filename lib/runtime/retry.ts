/** When and how a failed model call is tried again. */
import { MODEL_ERROR_FATE, ModelError } from "../agent/mod.ts";

/** Retry settings; times are in milliseconds. */
export interface RetrySettings {
  enabled: boolean;
  /** How often a model is asked again after its first failure. */
  maxRetries: number;
  /** The first wait; each further one is twice as long. */
  baseDelayMs: number;
  /** The longest wait of our own choosing. */
  maxDelayMs: number;
  /** The longest wait that a server may ask for; a longer one ends the attempts at once. */
  maxRetryDelayMs: number;
}

export const DEFAULT_RETRY: Readonly<RetrySettings> = {
  enabled: true,
  maxRetries: 3,
  baseDelayMs: 2_000,
  maxDelayMs: 60_000,
  maxRetryDelayMs: 60_000,
};

/** A share of the wait, up to this, is added at random, so that many clients do not come at once. */
const JITTER = 0.25;

/** `error` is what to tell: a wait that is too long is named in it. */
export type RetryDecision =
  | { kind: "wait"; delayMs: number }
  | { kind: "give_up"; error: ModelError };

/**
 * Decides about the `attempt`-th retry (1 for the first). A server's `retry-after` is the shortest
 * wait; without one the waits double. `random` is in [0, 1).
 */
export function decideRetry(
  error: ModelError,
  attempt: number,
  settings: RetrySettings,
  random: () => number,
): RetryDecision {
  const isWorthIt = settings.enabled && MODEL_ERROR_FATE[error.code].retry;
  if (!isWorthIt || attempt > settings.maxRetries) return { kind: "give_up", error };
  const growing = Math.min(settings.maxDelayMs, settings.baseDelayMs * 2 ** (attempt - 1));
  const wanted = error.retryAfterMs ?? 0;
  if (wanted > settings.maxRetryDelayMs) {
    return { kind: "give_up", error: namingTheWait(error, wanted, settings.maxRetryDelayMs) };
  }
  const [least, most] = wanted > 0
    ? [wanted, settings.maxRetryDelayMs]
    : [growing, settings.maxDelayMs];
  return { kind: "wait", delayMs: Math.min(most, Math.round(least * (1 + JITTER * random()))) };
}

function namingTheWait(error: ModelError, waitMs: number, maxMs: number): ModelError {
  const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
  const message = `${error.message} The server asks for a wait of ${seconds(waitMs)}; at most ` +
    `${seconds(maxMs)} are waited (setting retry.provider.maxRetryDelayMs).`;
  return new ModelError(error.code, message, {
    cause: error,
    retryAfterMs: waitMs,
    ...(error.status === undefined ? {} : { status: error.status }),
  });
}
