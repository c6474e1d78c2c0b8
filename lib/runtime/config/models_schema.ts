/** The check of `models.json`. Loaded only when there is one: zod takes its time. */
import * as z from "zod/mini";
import { PRESETS } from "./presets.ts";
import { expected, oneOf, problemText, unknownPaths } from "./file_schema.ts";
import type { JsonObject } from "../../session/mod.ts";

const text = z.string(expected("a string")).check(z.minLength(1, expected("a string")));
const api = oneOf("anthropic-messages", "openai-responses", "openai-completions");
const tokens = z.int(expected("a whole number from 1 on")).check(
  z.minimum(1, expected("a whole number from 1 on")),
);
const price = z.number(expected("a number from 0 on")).check(
  z.minimum(0, expected("a number from 0 on")),
);
const flag = z.boolean(expected("a boolean"));
const prices = { input: price, output: price, cacheRead: price, cacheWrite: price };
const inputs = z.array(oneOf("text", "image"), expected("a list")).check(
  z.minLength(1, expected("a list that is not empty")),
);
const url = z.url({ protocol: /^https?$/, ...expected("an address with http:// or https://") });
/** A name stands before the "/" of `provider/id`. */
const providerName = z.string().check(
  z.regex(/^[^\s/:]+$/, 'expected a name without blanks, "/" and ":"'),
);

const modelSchema = z.object({
  id: text,
  name: z.optional(text),
  api: z.optional(api),
  contextWindow: z.optional(tokens),
  maxTokens: z.optional(tokens),
  reasoning: z.optional(flag),
  input: z.optional(inputs),
  cost: z.optional(z.object({
    ...z.partial(z.object(prices)).shape,
    tiers: z.optional(
      z.array(z.object({ inputTokensAbove: tokens, ...prices }, expected("an object"))),
    ),
  }, expected("an object"))),
}, expected("an object"));

const compatSchema = z.object({
  maxTokensField: z.exactOptional(oneOf("max_tokens", "max_completion_tokens")),
  supportsDeveloperRole: z.exactOptional(flag),
  supportsReasoningEffort: z.exactOptional(flag),
  supportsUsageInStreaming: z.exactOptional(flag),
  supportsPromptCacheKey: z.exactOptional(flag),
  requiresAlternation: z.exactOptional(flag),
}, expected("an object"));

const providerSchema = z.object({
  preset: z.optional(oneOf(...Object.keys(PRESETS))),
  baseUrl: z.optional(url),
  api: z.optional(api),
  apiKey: z.optional(text),
  headers: z.optional(z.record(z.string(), z.string(expected("a string")), expected("an object"))),
  compat: z.optional(compatSchema),
  models: z.optional(z.array(modelSchema, expected("a list"))),
}, expected("an object"));

const modelsSchema = z.object({
  providers: z._default(z.record(providerName, providerSchema, expected("an object")), {}),
});

/** A provider in `models.json`, as it stands there. */
export type ProviderEntry = z.infer<typeof providerSchema>;

/** A model in `models.json`, as it stands there. */
export type ModelEntry = z.infer<typeof modelSchema>;

export interface CheckedModels {
  readonly providers: Readonly<Record<string, ProviderEntry>>;
  readonly problems: readonly string[];
  readonly unknown: readonly string[];
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
