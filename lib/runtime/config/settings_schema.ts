/** The check of a settings file. Loaded only when there is one: zod takes its time. */
import * as z from "zod";
import { THINKING_LEVELS } from "../../session/mod.ts";
import { isJsonObject, type JsonObject } from "./json_file.ts";
import type { SettingsPatch } from "./settings_defaults.ts";

const flag = z.boolean().nullish();
const text = z.string().min(1).nullish();
const texts = z.array(z.string().min(1)).nullish();
const count = z.int().nonnegative().nullish();
const tokens = z.int().positive().nullish();
/** A timer's limit: a longer one would fire at once. */
const milliseconds = z.int().nonnegative().max(2_147_483_647).nullish();
const queueMode = z.enum(["one-at-a-time", "all"]).nullish();
const compactionFields = { enabled: flag, reserveTokens: tokens, keepRecentTokens: tokens };

const settingsSchema = z.object({
  defaultProvider: text,
  defaultModel: text,
  defaultThinkingLevel: z.enum(THINKING_LEVELS).nullish(),
  enabledModels: texts,
  steeringMode: queueMode,
  followUpMode: queueMode,
  sessionDir: text,
  durability: z.enum(["turn", "entry", "none"]).nullish(),
  shellPath: text,
  compaction: z.object({
    ...compactionFields,
    models: z.record(z.string(), z.object(compactionFields)).nullish(),
  }).nullish(),
  retry: z.object({
    enabled: flag,
    maxRetries: count,
    baseDelayMs: milliseconds,
    maxDelayMs: milliseconds,
    fallbackModels: texts,
    provider: z.object({ timeoutMs: milliseconds, maxRetryDelayMs: milliseconds }).nullish(),
  }).nullish(),
  cacheWarming: z.object({ enabled: flag, intervalMs: milliseconds }).nullish(),
  hideThinking: flag,
  extensions: texts,
  skills: texts,
  prompts: texts,
});

/** What a settings file holds, and what in it was wrong (with its path) or unknown. */
export interface CheckedSettings {
  readonly patch: SettingsPatch;
  readonly problems: readonly string[];
  readonly unknown: readonly string[];
}

/** Zod's words without its prefix: "expected number, received string". */
export function problemText(issue: z.core.$ZodIssue): string {
  const what = issue.message.replace(/^Invalid (?:input|option): /, "");
  return `${issue.path.map(String).join(".")}: ${what}`;
}

/** The paths of what stands in `raw` and not in `known`, its copy with the known fields only. */
export function unknownPaths(raw: JsonObject, known: JsonObject, prefix = ""): string[] {
  return Object.entries(raw).flatMap(([name, value]) => {
    if (!Object.hasOwn(known, name)) return [prefix + name];
    const below = known[name];
    if (!isJsonObject(value) || !isJsonObject(below)) return [];
    return unknownPaths(value, below, `${prefix}${name}.`);
  });
}

/** Checks the object of a settings file. */
export function checkSettings(raw: JsonObject): CheckedSettings {
  const result = settingsSchema.safeParse(raw);
  if (!result.success) {
    return { patch: {}, problems: result.error.issues.map(problemText), unknown: [] };
  }
  return { patch: result.data, problems: [], unknown: unknownPaths(raw, result.data) };
}

function leaves(schema: unknown, path: string): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return leaves(schema.unwrap(), path);
  }
  if (!(schema instanceof z.ZodObject)) return [path];
  return Object.entries(schema.shape).flatMap(([name, field]) =>
    leaves(field, path === "" ? name : `${path}.${name}`)
  );
}

/** The path of each setting, as `docs/configuration.md` lists them. */
export function settingNames(): string[] {
  return leaves(settingsSchema, "");
}
