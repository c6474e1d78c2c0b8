import type { ModelFacts } from "../agent/mod.ts";
import type { ThinkingLevel } from "../session/mod.ts";

/** The level that a model can think at, nearest to the one wanted. */
export function clampThinkingLevel(level: ThinkingLevel, facts: ModelFacts): ThinkingLevel {
  return facts.reasoning ? level : "off";
}
