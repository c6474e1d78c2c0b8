import type { ModelError } from "../model.ts";
import { record } from "./json.ts";
import type { SseEvent } from "./sse.ts";

/**
 * An event's data as an object; undefined if it is nothing to read: `null`, no object, or an event
 * of a name that the format does not know and whose data is no JSON. Broken data in an event that
 * counts is a failure: a piece of the answer is lost.
 */
export function parseEvent(
  event: SseEvent,
  known: readonly string[],
  failure: (cause: unknown) => ModelError,
): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(event.data);
  } catch (cause) {
    if (event.name !== "" && !known.includes(event.name)) return undefined;
    if (event.data.trim() === "[DONE]") return undefined;
    throw failure(new Error("the stream broke off: it holds an event that is no JSON", { cause }));
  }
  return typeof value === "object" && value !== null ? record(value) : undefined;
}
