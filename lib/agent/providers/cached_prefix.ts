/** Which prompts a provider keeps, and whether a short question keeps them. */
import type { ThinkingLevel } from "../../session/mod.ts";
import type { ModelFacts } from "../model.ts";
import { anthropicThinking } from "./effort.ts";

/**
 * Whether a request that asks for a single token reads the same cached prompt as one that asks for a
 * whole answer. Not where thinking takes a budget: that does not fit in, and without it Anthropic
 * takes the messages for others. Nor where nothing says that the provider has a cache.
 */
export function canKeepPromptCached(facts: ModelFacts, level: ThinkingLevel): boolean {
  if (facts.api !== "anthropic-messages") return facts.cost.cacheRead > 0;
  const { thinking: short } = anthropicThinking(facts.id, level, 1);
  const { thinking: whole } = anthropicThinking(facts.id, level, facts.maxTokens);
  return JSON.stringify(short) === JSON.stringify(whole);
}
