import { ModelError, type Timer } from "../agent/mod.ts";
import type { CallWithRetry } from "../compaction/mod.ts";
import type { AgentSessionEvent } from "./event.ts";
import { decideRetry, type RetrySettings } from "./retry.ts";

/** Tries the model call of a summary again, by the rules that hold for answers. */
export function retrySummary(
  ports: {
    retry: RetrySettings;
    emit(event: AgentSessionEvent): Promise<void>;
    timer: Timer;
    random: () => number;
  },
  signal: AbortSignal,
): CallWithRetry {
  const { emit, random, retry, timer } = ports;
  return async (call) => {
    let answer = await call();
    for (let attempt = 1;; attempt++) {
      const failed = answer.error instanceof ModelError ? answer.error : undefined;
      const decision = failed && decideRetry(failed, attempt, retry, random);
      if (!failed || decision?.kind !== "wait" || signal.aborted) {
        if (attempt > 1) {
          await emit({ type: "summarization_retry_finished", success: answer.error === undefined });
        }
        return decision?.kind === "give_up" ? { ...answer, error: decision.error } : answer;
      }
      await emit({
        type: "summarization_retry_scheduled",
        attempt,
        maxAttempts: retry.maxRetries,
        delayMs: decision.delayMs,
        errorMessage: failed.message,
      });
      await timer.sleep(decision.delayMs, signal);
      if (signal.aborted) continue;
      await emit({ type: "summarization_retry_attempt_start", attempt });
      answer = await call();
    }
  };
}
