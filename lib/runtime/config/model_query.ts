/** From what a person writes for a model to the model. */
import type { ModelFacts } from "../../agent/mod.ts";
import { THINKING_LEVELS, type ThinkingLevel } from "../../session/mod.ts";
import { ConfigError } from "./errors.ts";
import { nearestNames } from "./nearest.ts";

/** A model as it was written: `[provider/]id[:thinking]`, which can be read in more than one way. */
export interface ModelName {
  /** The name without the thinking level. */
  readonly name: string;
  readonly thinkingLevel?: ThinkingLevel;
}

export function modelKey({ provider, id }: { provider: string; id: string }): string {
  return `${provider}/${id}`;
}

/**
 * The ways to read a name, the likelier first: a model's id may itself have a colon (`qwen3:8b`), so
 * the whole comes before the one that takes its end for a thinking level.
 */
export function readings(query: string): ModelName[] {
  const colon = query.lastIndexOf(":");
  const suffix = query.slice(colon + 1);
  const thinkingLevel = THINKING_LEVELS.find((level) => level === suffix);
  if (colon < 1 || thinkingLevel === undefined) return [{ name: query }];
  return [{ name: query }, { name: query.slice(0, colon), thinkingLevel }];
}

/** The models that a name means exactly: `provider/id` before `id`, case counting less than both. */
export function exactMatches(name: string, models: readonly ModelFacts[]): ModelFacts[] {
  const wanted = name.toLowerCase();
  const tests: ((model: ModelFacts) => boolean)[] = [
    (model) => modelKey(model) === name,
    (model) => model.id === name,
    (model) => modelKey(model).toLowerCase() === wanted,
    (model) => model.id.toLowerCase() === wanted,
  ];
  for (const test of tests) {
    const found = models.filter(test);
    if (found.length > 0) return found;
  }
  return [];
}

/** The models that a part of a name leads to. One whose id ends in it goes before its dated copies. */
export function partialMatches(part: string, models: readonly ModelFacts[]): ModelFacts[] {
  const wanted = part.toLowerCase();
  const containing = models.filter((model) => modelKey(model).toLowerCase().includes(wanted));
  const ending = containing.filter((model) => model.id.toLowerCase().endsWith(wanted));
  return ending.length === 1 ? ending : containing;
}

const SHOWN_MAX = 8;

/** Several models fit, and nothing says which is meant. */
export function ambiguousModel(query: string, models: readonly ModelFacts[]): ConfigError {
  const names = models.map(modelKey);
  const more = names.length > SHOWN_MAX ? ` and ${names.length - SHOWN_MAX} more` : "";
  const list = names.slice(0, SHOWN_MAX).join(", ");
  return new ConfigError(
    "ambiguous_model",
    `Cannot choose the model "${query}": it may be ${list}${more}; write more of its name`,
  );
}

/** No model fits. */
export function unknownModelError(query: string, models: readonly ModelFacts[]): ConfigError {
  const wanted = readings(query).at(-1)?.name ?? query;
  const words = models.flatMap((model) => [modelKey(model), model.id]);
  const near = nearestNames(wanted, words, 6)
    .flatMap((word) => models.filter((model) => model.id === word || modelKey(model) === word))
    .map(modelKey);
  const nearest = [...new Set(near)].slice(0, 3);
  const hint = nearest.length > 0
    ? `did you mean ${nearest.join(" or ")}?`
    : '"bough models" lists those that are known';
  return new ConfigError(
    "unknown_model",
    `Cannot use the model "${query}": it is not known; ${hint} ` +
      "(any other id works with --base-url, or described in models.json)",
  );
}

/** The models whose `provider/id` or id fits one of the patterns; `*` stands for any part. */
export function matchingModels(
  patterns: readonly string[],
  models: readonly ModelFacts[],
): ModelFacts[] {
  const found = patterns.flatMap((pattern) => {
    const literal = pattern.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const whole = new RegExp(`^${literal.join(".*")}$`, "i");
    return models.filter((model) => whole.test(model.id) || whole.test(modelKey(model)));
  });
  return [...new Set(found)];
}
