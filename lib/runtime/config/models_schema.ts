/** The check of `models.json`. Loaded only when there is one: zod takes its time. */
import * as z from "zod";
import { isJsonObject, type JsonObject } from "./json_file.ts";
import { PRESETS } from "./presets.ts";
import { problemText } from "./zod_problem.ts";

const text = z.string().min(1);
const api = z.enum(["anthropic-messages", "openai-responses", "openai-completions"]);
const tokens = z.int().positive();
const price = z.number().nonnegative();
const prices = { input: price, output: price, cacheRead: price, cacheWrite: price };

const modelSchema = z.object({
  id: text,
  name: text.optional(),
  api: api.optional(),
  contextWindow: tokens.optional(),
  maxTokens: tokens.optional(),
  reasoning: z.boolean().optional(),
  input: z.array(z.enum(["text", "image"])).min(1).optional(),
  cost: z.object({
    ...z.object(prices).partial().shape,
    tiers: z.array(z.object({ inputTokensAbove: tokens, ...prices })).optional(),
  }).optional(),
});

const flag = z.boolean().exactOptional();
const compatSchema = z.object({
  maxTokensField: z.enum(["max_tokens", "max_completion_tokens"]).exactOptional(),
  supportsDeveloperRole: flag,
  supportsReasoningEffort: flag,
  supportsUsageInStreaming: flag,
  supportsPromptCacheKey: flag,
  requiresAlternation: flag,
});

const providerSchema = z.object({
  preset: z.enum(Object.keys(PRESETS)).optional(),
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
  api: api.optional(),
  apiKey: text.optional(),
  headers: z.record(z.string(), z.string()).optional(),
  compat: compatSchema.optional(),
  models: z.array(modelSchema).optional(),
});

/** A name stands before the "/" of `provider/id`. */
const providerName = z.string().regex(/^[^\s/:]+$/, 'expected a name without blanks, "/" and ":"');

const modelsSchema = z.object({ providers: z.record(providerName, providerSchema).default({}) });

/** A provider in `models.json`, as it stands there. */
export type ProviderEntry = z.infer<typeof providerSchema>;

/** A model in `models.json`, as it stands there. */
export type ModelEntry = z.infer<typeof modelSchema>;

export interface CheckedModels {
  readonly providers: Readonly<Record<string, ProviderEntry>>;
  readonly problems: readonly string[];
  readonly unknown: readonly string[];
}

/** The paths of what stands in `raw` and not in `known`, its copy with the known fields only. */
function unknownPaths(raw: JsonObject, known: JsonObject, prefix = ""): string[] {
  return Object.entries(raw).flatMap(([name, value]) => {
    if (!Object.hasOwn(known, name)) return [prefix + name];
    const below = known[name];
    if (!isJsonObject(value) || !isJsonObject(below)) return [];
    return unknownPaths(value, below, `${prefix}${name}.`);
  });
}

/** Checks the object of a `models.json`. */
export function checkModels(raw: JsonObject): CheckedModels {
  const result = modelsSchema.safeParse(raw);
  if (!result.success) {
    return { providers: {}, problems: result.error.issues.map(problemText), unknown: [] };
  }
  return {
    providers: result.data.providers,
    problems: [],
    unknown: unknownPaths(raw, result.data),
  };
}
