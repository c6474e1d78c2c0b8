import type { ModelError } from "../agent/mod.ts";
import type { AssistantMessage } from "../session/mod.ts";

/** Providers count a few tokens of their own, so a full window is reported as a little less. */
const FULL = 0.98;

/**
 * Whether a request was too long for the model: the provider refused it, or the answer was cut
 * because question and answer together filled the window. An answer cut by its own limit, and a
 * rate limit that speaks of tokens, are no overflow.
 */
export function isOverflow(
  answer: AssistantMessage,
  error: ModelError | undefined,
  contextWindow: number,
): boolean {
  if (error) return error.code === "context_overflow";
  if (answer.stopReason !== "length" || contextWindow <= 0) return false;
  const { input, output, cacheRead, cacheWrite } = answer.usage;
  return input + output + cacheRead + cacheWrite >= contextWindow * FULL;
}
