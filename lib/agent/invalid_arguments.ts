import type { ToolCall } from "../session/mod.ts";

/** Holds the raw text of arguments that were no valid JSON. `JSON.stringify` leaves it out. */
const INVALID_ARGUMENTS = Symbol("invalid arguments");

type MarkedCall = ToolCall & { [INVALID_ARGUMENTS]?: string };

/**
 * Remembers that a call's arguments came as text that is no JSON object. Such a call must not run;
 * what is stored of it are empty arguments, so that no later request carries the broken text. For
 * those who write a `Model` of their own.
 *
 * @example
 * ```ts
 * import { markInvalidArguments, type ToolCall } from "bough";
 *
 * const call: ToolCall = { type: "toolCall", id: "call-1", name: "read", arguments: {} };
 * markInvalidArguments(call, '{"path": "READ');
 * ```
 */
export function markInvalidArguments(call: ToolCall, raw: string): void {
  const marked: MarkedCall = call;
  marked[INVALID_ARGUMENTS] = raw;
}

/** The raw text that stood for a call's arguments, if it was no JSON object; else undefined. */
export function invalidArgumentsOf(call: ToolCall): string | undefined {
  const marked: MarkedCall = call;
  return marked[INVALID_ARGUMENTS];
}
