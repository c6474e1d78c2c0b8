/** Numbers for people. */
import * as path from "node:path";
import type { SessionStats } from "../../stats.ts";
import type { ModelFacts } from "../../../agent/mod.ts";
import type { ThinkingLevel, Usage } from "../../../session/mod.ts";

/** `950`, `1.2k`, `35k`, `1.2M`. */
export function shortCount(count: number): string {
  if (count < 1_000) return `${count}`;
  const [value, unit] = count < 999_500 ? [count / 1_000, "k"] : [count / 1_000_000, "M"];
  return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${unit}`;
}

/** US dollars; small sums with as many digits as tell something. */
export function money(usd: number): string {
  return usd === 0 || usd >= 1 ? `$${usd.toFixed(2)}` : `$${usd.toFixed(usd < 0.01 ? 4 : 3)}`;
}

/** A model as a person names it; of a recording the file alone. */
export function modelName({ provider, id }: { provider: string; id: string }): string {
  return provider === "replay" ? `replay:${path.basename(id)}` : `${provider}/${id}`;
}

/** Model, use of the context, tokens and cost: what stands below an answer. */
export function statusText(
  facts: ModelFacts,
  thinkingLevel: ThinkingLevel,
  stats: SessionStats,
): string {
  const { context, branch } = stats;
  const thinking = thinkingLevel === "off" ? "" : `:${thinkingLevel}`;
  return [
    `${modelName(facts)}${thinking}`,
    contextText(context),
    usageText(branch),
    money(branch.cost.total),
  ].join(" · ");
}

export function contextText({ tokens, window, percent }: SessionStats["context"]): string {
  return percent === undefined
    ? `${shortCount(tokens)} tokens of context`
    : `${percent < 10 ? percent : Math.round(percent)}% of ${shortCount(window)}`;
}

export function usageText({ input, output, cacheRead, cacheWrite }: Usage): string {
  const cache = cacheRead + cacheWrite > 0 ? ` (${shortCount(cacheRead)} cached)` : "";
  return `${shortCount(input + cacheRead + cacheWrite)} in${cache} ${shortCount(output)} out`;
}
