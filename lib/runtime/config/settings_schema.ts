/**
 * The check of a settings file: one shape for each setting, as data. By hand, since nearly every run
 * has such a file, and loading zod and building its schemas took a fifth of a short one.
 */
import { THINKING_LEVELS } from "../../session/mod.ts";
import { describeJson, isJsonObject, type JsonObject } from "./json_file.ts";
import type { Settings, SettingsPatch } from "./settings_defaults.ts";

/** What a value must be. Null is always allowed: it takes a setting back to its default. */
type Shape =
  | { readonly kind: "boolean" }
  | { readonly kind: "text" }
  | { readonly kind: "texts" }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  /** A whole number. */
  | { readonly kind: "number"; readonly least: number; readonly most?: number }
  | { readonly kind: "group"; readonly fields: Readonly<Record<string, Shape>> }
  /** Groups under names of the user's own. */
  | { readonly kind: "groups"; readonly each: Shape };

type KindOf<T> = T extends boolean ? "boolean"
  : T extends number ? "number"
  : T extends string ? "text" | "choice"
  : T extends readonly unknown[] ? "texts"
  : string extends keyof T ? "groups"
  : "group";

/** The shapes of a group's settings: each setting must have one, and of its own kind. */
type Fields<T> = { readonly [K in keyof T]-?: Shape & { kind: KindOf<NonNullable<T[K]>> } };

/** The longest that a timer can be set to; a longer one would fire at once. */
const TIMER_MS_MAX = 2_147_483_647;

const FLAG = { kind: "boolean" } as const;
const TEXT = { kind: "text" } as const;
const TEXTS = { kind: "texts" } as const;
const COUNT = { kind: "number", least: 0 } as const;
const TOKENS = { kind: "number", least: 1 } as const;
const MILLISECONDS = { kind: "number", least: 0, most: TIMER_MS_MAX } as const;

function oneOf<T extends string>(...choices: readonly T[]) {
  return { kind: "choice", choices } as const;
}

function group<T>(fields: Fields<T>) {
  return { kind: "group", fields } as const;
}

const COMPACTION = { enabled: FLAG, reserveTokens: TOKENS, keepRecentTokens: TOKENS };

const SETTINGS: Fields<Settings> = {
  defaultProvider: TEXT,
  defaultModel: TEXT,
  defaultThinkingLevel: oneOf(...THINKING_LEVELS),
  enabledModels: TEXTS,
  steeringMode: oneOf("one-at-a-time", "all"),
  followUpMode: oneOf("one-at-a-time", "all"),
  sessionDir: TEXT,
  durability: oneOf("turn", "entry", "none"),
  shellPath: TEXT,
  compaction: group<Settings["compaction"]>({
    ...COMPACTION,
    models: { kind: "groups", each: { kind: "group", fields: COMPACTION } },
  }),
  retry: group<Settings["retry"]>({
    enabled: FLAG,
    maxRetries: COUNT,
    baseDelayMs: MILLISECONDS,
    maxDelayMs: MILLISECONDS,
    fallbackModels: TEXTS,
    provider: group<Settings["retry"]["provider"]>({
      timeoutMs: MILLISECONDS,
      maxRetryDelayMs: MILLISECONDS,
    }),
  }),
  cacheWarming: group<Settings["cacheWarming"]>({ enabled: FLAG, intervalMs: MILLISECONDS }),
  hideThinking: FLAG,
  extensions: TEXTS,
  skills: TEXTS,
  prompts: TEXTS,
};

const SETTINGS_SHAPE: Shape = { kind: "group", fields: SETTINGS };

/** What a settings file holds, and what in it was wrong (with its path) or unknown. */
export interface CheckedSettings {
  readonly patch: SettingsPatch;
  readonly problems: readonly string[];
  readonly unknown: readonly string[];
}

/** One check; collects what is wrong and what is unknown. */
class Check {
  readonly problems: string[] = [];
  readonly unknown: string[] = [];

  /** Returns what of a value is known; what is wrong with it becomes a problem. */
  value(value: unknown, shape: Shape, at: string): unknown {
    if (value === null) return value;
    switch (shape.kind) {
      case "boolean":
        return typeof value === "boolean" ? value : this.#not("a boolean", value, at);
      case "text":
        return this.#text(value, at);
      case "texts":
        if (!Array.isArray(value)) return this.#not("a list", value, at);
        return value.map((item: unknown, index) => this.#text(item, `${at}.${index}`));
      case "choice": {
        if (shape.choices.some((choice) => choice === value)) return value;
        const choices = shape.choices.map((choice) => JSON.stringify(choice)).join(", ");
        return this.#not(`one of ${choices}`, value, at);
      }
      case "number":
        return this.#number(value, shape, at);
      case "group":
        return this.#entries(
          value,
          at,
          (name) => Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined,
        );
      case "groups":
        return this.#entries(value, at, () => shape.each);
    }
  }

  #entries(value: unknown, at: string, shapeOf: (name: string) => Shape | undefined): unknown {
    if (!isJsonObject(value)) return this.#not("an object", value, at);
    const known: [string, unknown][] = [];
    for (const [name, below] of Object.entries(value)) {
      const path = at === "" ? name : `${at}.${name}`;
      const shape = shapeOf(name);
      if (shape) known.push([name, this.value(below, shape, path)]);
      else this.unknown.push(path);
    }
    // Not by assignment: a file may hold the name "__proto__".
    return Object.fromEntries(known);
  }

  #text(value: unknown, at: string): unknown {
    return typeof value === "string" && value !== "" ? value : this.#not("a string", value, at);
  }

  #number(value: unknown, { least, most }: { least: number; most?: number }, at: string): unknown {
    const fits = Number.isSafeInteger(value) && Number(value) >= least &&
      Number(value) <= (most ?? Infinity);
    const range = most === undefined ? `${least} on` : `${least} to ${most}`;
    return fits ? value : this.#not(`a whole number from ${range}`, value, at);
  }

  #not(wanted: string, value: unknown, at: string): undefined {
    this.problems.push(`${at}: expected ${wanted}, found ${shown(value)}`);
    return undefined;
  }
}

/** What was found, for a person. */
function shown(value: unknown): string {
  if (value === "") return "an empty string";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string" && value.length <= 40) return JSON.stringify(value);
  return describeJson(value);
}

/** Whether what a check lets through is a patch: `SETTINGS` has a shape for each of its settings. */
function isPatch(value: unknown, { problems }: Check): value is SettingsPatch {
  return isJsonObject(value) && problems.length === 0;
}

/** Checks the object of a settings file. */
export function checkSettings(raw: JsonObject): CheckedSettings {
  const check = new Check();
  const known = check.value(raw, SETTINGS_SHAPE, "");
  if (!isPatch(known, check)) return { patch: {}, problems: check.problems, unknown: [] };
  return { patch: known, problems: [], unknown: check.unknown };
}

/** The path of each setting, as `docs/configuration.md` lists them. */
export function settingNames(): string[] {
  return leaves(SETTINGS_SHAPE, "");
}

function leaves(shape: Shape, path: string): string[] {
  if (shape.kind !== "group") return [path];
  return Object.entries(shape.fields).flatMap(([name, field]) =>
    leaves(field, path === "" ? name : `${path}.${name}`)
  );
}
