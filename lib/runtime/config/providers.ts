/** The providers there are: the built-in ones, the presets, and what `models.json` makes of them. */
import * as path from "node:path";
import type { CompletionsCompat, ModelApi, ModelFacts } from "../../agent/mod.ts";
import type { FileSystem, JsonObject } from "../../session/mod.ts";
import { ConfigError, type ConfigWarning } from "./errors.ts";
import { contentError, type JsonFileOptions, readJsonFile } from "./json_file.ts";
import type { ModelEntry, ProviderEntry } from "./models_schema.ts";
import { nearestNames } from "./nearest.ts";
import { BUILT_IN_PROVIDERS, PRESETS, type ProviderPreset, UNKNOWN_MODEL } from "./presets.ts";

/** Someone who answers requests, as configured. Keys and headers are not resolved yet. */
export interface Provider {
  readonly name: string;
  /** The wire format of its models, where a model does not say another. */
  readonly api: ModelApi;
  /** That of a model of which nothing is known. */
  readonly apiElsewhere: ModelApi;
  /** Set by the user: goes before what the catalogue says. */
  readonly apiOfAll?: ModelApi;
  readonly baseUrl: string;
  /** The environment variable that may hold another base URL; not asked if the user set one. */
  readonly baseUrlVariable?: string;
  readonly keyVariable: string;
  /** From `models.json`; see `Secrets`. */
  readonly key?: string;
  /** Whether requests without a key make sense. */
  readonly needsKey: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** Peculiarities of a server that speaks `openai-completions`. */
  readonly compat: CompletionsCompat;
  /** The catalogue has models of it. */
  readonly builtIn: boolean;
  readonly defaultModel?: string;
  /** The models that the user named. */
  readonly models: readonly ModelFacts[];
}

function keyVariable(name: string): string {
  return `${name.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}_API_KEY`;
}

/** What is assumed of a model that nobody described (`docs/configuration.md`, "Unknown models"). */
export function unknownModel(provider: Provider, id: string, api = provider.api): ModelFacts {
  return {
    provider: provider.name,
    id,
    name: id,
    api,
    ...UNKNOWN_MODEL,
    reasoning: false,
    input: ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
}

function modelFacts(provider: Provider, entry: ModelEntry): ModelFacts {
  const base = unknownModel(provider, entry.id, entry.api);
  const { tiers, input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = entry.cost ?? {};
  return {
    ...base,
    name: entry.name ?? base.name,
    contextWindow: entry.contextWindow ?? base.contextWindow,
    maxTokens: entry.maxTokens ?? base.maxTokens,
    reasoning: entry.reasoning ?? base.reasoning,
    input: entry.input ?? base.input,
    cost: { input, output, cacheRead, cacheWrite, ...(tiers ? { tiers } : {}) },
  };
}

function fromPreset(name: string, preset: ProviderPreset, builtIn: boolean): Provider {
  return {
    name,
    api: preset.api,
    apiElsewhere: preset.apiElsewhere ?? preset.api,
    baseUrl: preset.baseUrl,
    ...(preset.baseUrlVariable ? { baseUrlVariable: preset.baseUrlVariable } : {}),
    keyVariable: preset.keyVariable ?? keyVariable(name),
    needsKey: preset.keyVariable !== undefined,
    headers: {},
    compat: {},
    builtIn,
    ...(preset.defaultModel ? { defaultModel: preset.defaultModel } : {}),
    models: [],
  };
}

/** Undefined if neither the entry nor what is known beforehand says where the provider is. */
function fromEntry(name: string, entry: ProviderEntry): Provider | undefined {
  const builtIn = Object.hasOwn(BUILT_IN_PROVIDERS, name);
  const presetName = entry.preset ?? name;
  const preset = Object.hasOwn(PRESETS, presetName) ? PRESETS[presetName] : undefined;
  const known = builtIn && !entry.preset ? BUILT_IN_PROVIDERS[name] : preset;
  const baseUrl = entry.baseUrl ?? known?.baseUrl;
  if (baseUrl === undefined) return undefined;
  const fallback = fromPreset(name, known ?? { api: "openai-completions", baseUrl }, builtIn);
  const { baseUrlVariable: _, ...withoutVariable } = fallback;
  const provider: Provider = {
    ...(entry.baseUrl === undefined ? fallback : withoutVariable),
    api: entry.api ?? (entry.baseUrl === undefined ? fallback.api : fallback.apiElsewhere),
    apiElsewhere: entry.api ?? fallback.apiElsewhere,
    ...(entry.api === undefined ? {} : { apiOfAll: entry.api }),
    baseUrl,
    needsKey: fallback.needsKey || entry.apiKey !== undefined,
    ...(entry.apiKey === undefined ? {} : { key: entry.apiKey }),
    headers: entry.headers ?? {},
    compat: entry.compat ?? {},
  };
  return { ...provider, models: (entry.models ?? []).map((model) => modelFacts(provider, model)) };
}

/** Providers as `models.json` describes them. `refuse` makes the error for what is wrong. */
async function readProviders(
  raw: JsonObject,
  refuse: (problem: string) => ConfigError,
): Promise<{ providers: Provider[]; unknown: readonly string[] }> {
  const { checkModels } = await import("./models_schema.ts");
  const { providers, problems, unknown } = checkModels(raw);
  if (problems.length > 0) throw refuse(problems.join("; "));
  const completed = Object.entries(providers).map(([name, entry]) => {
    const provider = fromEntry(name, entry);
    if (provider) return provider;
    const presets = Object.keys(PRESETS).join(", ");
    throw refuse(`providers.${name}: expected "baseUrl", or a "preset" (${presets})`);
  });
  return { providers: completed, unknown };
}

/** One provider from its description; `ConfigError` `bad_models` if that is wrong. */
export async function providerFrom(name: string, entry: unknown): Promise<Provider> {
  const refuse = (problem: string) =>
    new ConfigError("bad_models", `Cannot add the provider ${name}: ${problem}`);
  const { providers, unknown } = await readProviders({ providers: { [name]: entry } }, refuse);
  const [provider] = providers;
  if (unknown.length > 0) throw refuse(`unknown ${unknown.join(", ")}`);
  if (!provider) throw refuse("its name cannot be used");
  return provider;
}

/** All providers by name: the built-in ones, those of `<home>/models.json`, the presets. */
export async function loadProviders(
  { home, fs }: { home: string; fs?: FileSystem },
): Promise<{ providers: ReadonlyMap<string, Provider>; warnings: ConfigWarning[] }> {
  const file = path.join(home, "models.json");
  const options: JsonFileOptions = {
    file,
    what: "models",
    code: "bad_models",
    ...(fs ? { fs } : {}),
  };
  const raw = readJsonFile(options);
  const own = raw
    ? await readProviders(raw, (problem) => contentError(options, problem))
    : { providers: [], unknown: [] };
  const known = (presets: Readonly<Record<string, ProviderPreset>>, builtIn: boolean) =>
    Object.entries(presets).map(([name, preset]) => fromPreset(name, preset, builtIn));
  const names = new Set(own.providers.map(({ name }) => name));
  const presets = known(PRESETS, false).filter(({ name }) => !names.has(name));
  const all = [...known(BUILT_IN_PROVIDERS, true), ...own.providers, ...presets];
  return {
    providers: new Map(all.map((provider) => [provider.name, provider])),
    warnings: own.unknown.map((name) => ({ file, message: `Unknown key "${name}" in ${file}` })),
  };
}

/** The provider of that name, or a `ConfigError` `unknown_provider` that names the nearest. */
export function requireProvider(
  name: string,
  providers: ReadonlyMap<string, Provider>,
): Provider {
  const provider = providers.get(name);
  if (provider) return provider;
  const [near] = nearestNames(name, providers.keys());
  const known = [...providers.keys()].join(", ");
  throw new ConfigError(
    "unknown_provider",
    `Cannot use the provider "${name}": it is not known` +
      (near === undefined ? "." : `; did you mean "${near}"?`) +
      ` Known are ${known}; others are described in models.json`,
  );
}

/** The text itself, if it can be a base URL; else a `ConfigError` `bad_base_url`. */
export function checkedUrl(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text;
  const message =
    `Cannot use the base URL "${text}": expected one that starts with http:// or https://`;
  throw new ConfigError("bad_base_url", message);
}
