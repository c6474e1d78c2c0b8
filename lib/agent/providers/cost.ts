import type { Cost, Usage } from "../../session/mod.ts";
import type { ModelCost, ModelFacts } from "../model.ts";

const MILLION = 1_000_000;

/** What the tokens of one call cost, in US dollars; a long input may fall into a dearer tier. */
export function costOf(facts: Pick<ModelFacts, "cost">, usage: Omit<Usage, "cost">): Cost {
  const price = priceFor(facts.cost, usage.input + usage.cacheRead + usage.cacheWrite);
  const input = usage.input * price.input / MILLION;
  const output = usage.output * price.output / MILLION;
  const cacheRead = usage.cacheRead * price.cacheRead / MILLION;
  const cacheWrite = usage.cacheWrite * price.cacheWrite / MILLION;
  return { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite };
}

function priceFor(cost: ModelCost, inputTokens: number): Omit<ModelCost, "tiers"> {
  let price: Omit<ModelCost, "tiers"> = cost;
  let bound = -1;
  for (const tier of cost.tiers ?? []) {
    if (inputTokens > tier.inputTokensAbove && tier.inputTokensAbove > bound) {
      price = tier;
      bound = tier.inputTokensAbove;
    }
  }
  return price;
}
