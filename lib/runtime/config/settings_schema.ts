/** The check of a settings file. Loaded only when there is one. */
import * as z from "zod/mini";
import { type JsonObject, THINKING_LEVELS } from "../../session/mod.ts";
import type { SettingsPatch } from "./settings_defaults.ts";
import { expected, oneOf, problemText, unknownPaths } from "./file_schema.ts";

/** The longest that a timer can be set to; a longer one would fire at once. */
const TIMER_MS_MAX = 2_147_483_647;

/** Null takes a setting back to its default. */
const flag = z.nullish(z.boolean(expected("a boolean")));
const name = z.string(expected("a string")).check(z.minLength(1, expected("a string")));
const text = z.nullish(name);
const texts = z.nullish(z.array(name, expected("a list")));
const count = z.nullish(wholeNumber(0));
const tokens = z.nullish(wholeNumber(1));
const milliseconds = z.nullish(wholeNumber(0, TIMER_MS_MAX));
/** With none at all, every request would have failed before it was sent. */
const patience = z.nullish(wholeNumber(1, TIMER_MS_MAX));
const queueMode = z.nullish(oneOf("one-at-a-time", "all"));
const compactionFields = { enabled: flag, reserveTokens: tokens, keepRecentTokens: tokens };

const settingsSchema = z.object({
  defaultProvider: text,
  defaultModel: text,
  defaultThinkingLevel: z.nullish(oneOf(...THINKING_LEVELS)),
  enabledModels: texts,
  steeringMode: queueMode,
  followUpMode: queueMode,
  sessionDir: text,
  durability: z.nullish(oneOf("turn", "entry", "none")),
  shellPath: text,
  compaction: group({
    ...compactionFields,
    models: z.nullish(z.record(z.string(), group(compactionFields), expected("an object"))),
  }),
  retry: group({
    enabled: flag,
    maxRetries: count,
    baseDelayMs: milliseconds,
    maxDelayMs: milliseconds,
    fallbackModels: texts,
    provider: group({ timeoutMs: patience, maxRetryDelayMs: milliseconds }),
  }),
  cacheWarming: group({ enabled: flag, intervalMs: milliseconds }),
  hideThinking: flag,
  extensions: texts,
  skills: texts,
  prompts: texts,
});

function wholeNumber(least: number, most?: number) {
  const range = expected(
    `a whole number from ${most === undefined ? `${least} on` : `${least} to ${most}`}`,
  );
  return z.int(range).check(z.minimum(least, range), z.maximum(most ?? Infinity, range));
}

function group<T extends z.core.$ZodShape>(fields: T) {
  return z.nullish(z.object(fields, expected("an object")));
}

/** What a settings file holds, and what in it was wrong (with its path) or unknown. */
export interface CheckedSettings {
  readonly patch: SettingsPatch;
  readonly problems: readonly string[];
  readonly unknown: readonly string[];
}

/** Checks the object of a settings file. */
export function checkSettings(raw: JsonObject): CheckedSettings {
  const result = settingsSchema.safeParse(raw);
  if (!result.success) {
    return { patch: {}, problems: result.error.issues.map(problemText), unknown: [] };
  }
  return { patch: result.data, problems: [], unknown: unknownPaths(raw, result.data) };
}

/** The path of each setting, as `docs/configuration.md` lists them. */
export function settingNames(): string[] {
  return leaves(settingsSchema, "");
}

function leaves(schema: unknown, path: string): string[] {
  if (schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable) {
    return leaves(schema.def.innerType, path);
  }
  if (!(schema instanceof z.ZodMiniObject)) return [path];
  return Object.entries(schema.shape).flatMap(([name, field]) =>
    leaves(field, path === "" ? name : `${path}.${name}`)
  );
}
