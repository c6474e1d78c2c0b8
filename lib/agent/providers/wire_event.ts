import type { Answer } from "./answer.ts";
import { record } from "./json.ts";
import type { SseEvent } from "./sse.ts";

/**
 * An event's data as an object; undefined if it is nothing to read: `null`, no object, or an event
 * of a name that does not count in the format and whose data is no JSON. Broken data in an event that
 * counts is a failure: a piece of the answer is lost.
 */
export function parseEvent(
  event: SseEvent,
  counts: (name: string) => boolean,
  answer: Answer,
): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(event.data);
  } catch (cause) {
    if (event.name !== "" && !counts(event.name)) return undefined;
    if (event.data.trim() === "[DONE]") return undefined;
    if (!(cause instanceof SyntaxError)) throw cause;
    throw answer.failure("dropped", "the stream holds an event that is no JSON");
  }
  return typeof value === "object" && value !== null ? record(value) : undefined;
}
