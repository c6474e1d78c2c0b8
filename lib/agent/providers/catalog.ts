/** The models that are known without any settings. */
import { type ModelCost, ModelError, type ModelFacts } from "../model.ts";
import { list, record, text } from "./json.ts";

/**
 * The built-in catalogue (Anthropic and OpenAI). Read when it is asked for, not before.
 *
 * @example
 * ```ts
 * import { loadCatalogue } from "bough";
 *
 * for (const { provider, id } of await loadCatalogue()) console.log(`${provider}/${id}`);
 * ```
 */
export async function loadCatalogue(): Promise<readonly ModelFacts[]> {
  return Object.entries(await loadProviders()).flatMap(([provider, models]) =>
    list(models).map((model) => factsOf(provider, record(model)))
  );
}

/**
 * What the built-in catalogue says of the model with exactly this provider and id; undefined if it
 * has none. Only this one is looked at.
 */
export async function catalogueModel(
  provider: string,
  id: string,
): Promise<ModelFacts | undefined> {
  const providers = await loadProviders();
  const models = Object.hasOwn(providers, provider) ? list(providers[provider]) : [];
  const found = models.find((model) => record(model)["id"] === id);
  return found === undefined ? undefined : factsOf(provider, record(found));
}

async function loadProviders(): Promise<Readonly<Record<string, unknown>>> {
  const { default: providers } = await import("./models.json", { with: { type: "json" } });
  return providers;
}

/**
 * What the built-in catalogue says of a model, by `provider/id`. Rejects with a `ModelError`
 * `unknown_model`.
 *
 * @example
 * ```ts
 * import { modelFacts } from "bough";
 *
 * const facts = await modelFacts("anthropic/claude-haiku-4-5");
 * console.log(facts.contextWindow); // 200000
 * ```
 */
export async function modelFacts(name: string): Promise<ModelFacts> {
  const slash = name.indexOf("/");
  const facts = await catalogueModel(name.slice(0, slash), name.slice(slash + 1));
  if (facts) return facts;
  const advice = 'write "provider/id", or give the facts yourself';
  throw new ModelError(
    "unknown_model",
    `Cannot find the model ${name} in the catalogue: ${advice}`,
  );
}

function factsOf(provider: string, model: Record<string, unknown>): ModelFacts {
  const input = list(model["input"]);
  return {
    provider,
    id: text(model["id"]),
    name: text(model["name"]),
    api: text(model["api"]),
    contextWindow: Number(model["contextWindow"]),
    maxTokens: Number(model["maxTokens"]),
    reasoning: model["reasoning"] === true,
    input: input.includes("image") ? ["text", "image"] : ["text"],
    cost: costOf(record(model["cost"])),
  };
}

function costOf(cost: Record<string, unknown>): ModelCost {
  const prices = pricesOf(cost);
  const tiers = list(cost["tiers"]).map((tier) => ({
    inputTokensAbove: Number(record(tier)["inputTokensAbove"]),
    ...pricesOf(record(tier)),
  }));
  return tiers.length > 0 ? { ...prices, tiers } : prices;
}

function pricesOf(cost: Record<string, unknown>) {
  return {
    input: Number(cost["input"]),
    output: Number(cost["output"]),
    cacheRead: Number(cost["cacheRead"]),
    cacheWrite: Number(cost["cacheWrite"]),
  };
}
