import { type AssistantMessage, noUsage } from "../session/mod.ts";
import type { ModelFacts } from "./model.ts";

/** An answer of which nothing has come yet. `timestamp` is in ms since the epoch. */
export function openingMessage(facts: ModelFacts, timestamp: number): AssistantMessage {
  return {
    role: "assistant",
    content: [],
    api: facts.api,
    provider: facts.provider,
    model: facts.id,
    usage: noUsage(),
    stopReason: "stop",
    timestamp,
  };
}
