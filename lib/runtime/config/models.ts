/** The models that can be asked, and the choice among them. */
import { catalogueModel, loadCatalogue, type Model, type ModelFacts } from "../../agent/mod.ts";
import type { ThinkingLevel } from "../../session/mod.ts";
import { ConfigError } from "./errors.ts";
import { ConfiguredModel } from "./configured_model.ts";
import type { Keys, KeyStatus } from "./keys.ts";
import {
  ambiguousModel,
  exactMatches,
  matchingModels,
  modelKey,
  partialMatches,
  readings,
  unknownModelError,
} from "./model_query.ts";
import { BUILT_IN_PROVIDERS } from "./presets.ts";
import {
  checkedUrl,
  type Provider,
  providerFrom,
  requireProvider,
  unknownModel,
} from "./providers.ts";
import type { Settings } from "./settings_defaults.ts";

/** What was asked for, as the command line or a caller has it. */
export interface ModelWish {
  /** `[provider/]id[:thinking]`, a unique part of an id, or `replay:FILE`. */
  readonly model?: string;
  readonly provider?: string;
  /** For this run and the provider of the chosen model. */
  readonly apiKey?: string;
  /** The same. */
  readonly baseUrl?: string;
}

export interface ModelChoice {
  readonly facts: ModelFacts;
  /** If the wish ended in one. */
  readonly thinkingLevel?: ThinkingLevel;
}

/** Makes the adapter of a model: loads the SDK, resolves the key. */
export type Connect = (facts: ModelFacts, provider: Provider, baseUrl: string) => Promise<Model>;

export interface ModelRegistryOptions {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly keys: Keys;
  readonly settings: Settings;
  /** The value of an environment variable. */
  readonly variable: (name: string) => string | undefined;
  readonly connect: Connect;
  /** Makes the model that answers from a recorded session. */
  readonly connectReplay: (facts: ModelFacts) => Promise<Model>;
}

const REPLAY = "replay";

function replayFacts(file: string): ModelFacts {
  return {
    provider: REPLAY,
    id: file,
    name: `replay of ${file}`,
    api: REPLAY,
    contextWindow: 1_000_000,
    maxTokens: 1_000_000,
    reasoning: true,
    input: ["text", "image"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
}

/** The catalogue, `models.json`, the keys and the settings, seen as models. */
export class ModelRegistry {
  readonly #options: ModelRegistryOptions;
  readonly #providers: Map<string, Provider>;
  readonly #baseUrls = new Map<string, string>();
  /** Undefined until somebody looks a model up. */
  #models: readonly ModelFacts[] | undefined;

  constructor(options: ModelRegistryOptions) {
    this.#options = options;
    this.#providers = new Map(options.providers);
  }

  /** All known models: the catalogue's and those that `models.json` names. */
  async list(): Promise<readonly ModelFacts[]> {
    return this.#models ??= this.#join(await loadCatalogue());
  }

  #join(catalogue: readonly ModelFacts[]): ModelFacts[] {
    const known = new Map<string, ModelFacts>();
    for (const facts of catalogue) known.set(modelKey(facts), this.#configured(facts));
    for (const facts of [...this.#providers.values()].flatMap(({ models }) => models)) {
      known.set(modelKey(facts), facts);
    }
    return [...known.values()];
  }

  /** A model of the catalogue, as it is asked here. */
  #configured(facts: ModelFacts): ModelFacts {
    return { ...facts, api: this.#providers.get(facts.provider)?.apiOfAll ?? facts.api };
  }

  /** The model whose `provider/id` this is. All others are left alone: most runs need no more. */
  async #listed(key: string): Promise<ModelFacts | undefined> {
    const slash = key.indexOf("/");
    const provider = key.slice(0, slash);
    const id = key.slice(slash + 1);
    const own = this.#providers.get(provider)?.models.findLast((model) => model.id === id);
    if (own) return own;
    const facts = await catalogueModel(provider, id);
    return facts && this.#configured(facts);
  }

  /**
   * Takes one more provider, described as in `models.json`; it stands in for one of the same name.
   * Throws `ConfigError` `bad_models` if the description is wrong.
   */
  async addProvider(name: string, entry: unknown): Promise<void> {
    this.#providers.set(name, await providerFrom(name, entry));
    this.#models = undefined;
  }

  /** Whether requests to the provider can be sent, as far as can be told without running a command. */
  usable(provider: string): boolean {
    const found = this.#providers.get(provider);
    return provider === REPLAY || (found !== undefined && this.#options.keys.usable(found));
  }

  /** The names of all providers: the built-in ones, those of `models.json`, the presets. */
  providerNames(): string[] {
    return [...this.#providers.keys()];
  }

  /** What is known of a provider's key, never the key. Throws `ConfigError` `unknown_provider`. */
  keyStatus(provider: string): KeyStatus {
    return this.#options.keys.status(requireProvider(provider, this.#providers));
  }

  /** Resolves a provider's key, running its command. Throws `ConfigError` `no_key`, `unknown_provider`. */
  async requireKey(provider: string): Promise<void> {
    await this.#options.keys.require(requireProvider(provider, this.#providers));
  }

  /** The models to cycle through: `enabledModels`, else all that can be asked. */
  async enabled(): Promise<readonly ModelFacts[]> {
    const models = (await this.list()).filter(({ provider }) => this.usable(provider));
    const { enabledModels } = this.#options.settings;
    return enabledModels.length === 0 ? models : matchingModels(enabledModels, models);
  }

  /**
   * Chooses the model for a wish, and keeps its key and base URL for this provider. Without a model:
   * that of the settings, else the default one of the first provider with a key. Throws a
   * `ConfigError`: `unknown_model`, `ambiguous_model`, `unknown_provider`, `no_model`, `no_key`,
   * `bad_base_url`.
   */
  async choose(wish: ModelWish): Promise<ModelChoice> {
    const choice = wish.model === undefined
      ? await this.#byDefault(wish)
      : await this.#byName(wish.model, wish);
    this.give(choice.facts.provider, wish);
    return choice;
  }

  /** Keeps a key and a base URL for a provider. Throws a `ConfigError` `bad_base_url`. */
  give(provider: string, { apiKey, baseUrl }: Pick<ModelWish, "apiKey" | "baseUrl">): void {
    if (apiKey !== undefined) this.#options.keys.give(provider, apiKey);
    if (baseUrl !== undefined) this.#baseUrls.set(provider, checkedUrl(baseUrl));
  }

  async #byName(query: string, wish: ModelWish): Promise<ModelChoice> {
    // As it is asked for, and as it is shown and stored.
    const replay = /^replay[:/]([^]+)$/.exec(query);
    if (replay?.[1] !== undefined) return { facts: replayFacts(replay[1]) };
    if (wish.provider !== undefined) requireProvider(wish.provider, this.#providers);
    const [whole] = readings(query);
    const exact = whole && await this.#listed(whole.name);
    if (exact && (wish.provider ?? exact.provider) === exact.provider) {
      return choiceOf(exact, whole.thinkingLevel);
    }
    const models = (await this.list())
      .filter(({ provider }) => wish.provider === undefined || wish.provider === provider);
    for (const match of [exactMatches, partialMatches]) {
      for (const reading of readings(query)) {
        const found = this.#preferred(match(reading.name, models));
        if (found.length > 1) throw ambiguousModel(query, found);
        if (found[0]) return choiceOf(found[0], reading.thinkingLevel);
      }
    }
    const unlisted = this.#unlisted(query, wish);
    if (unlisted) return unlisted;
    throw unknownModelError(query, models);
  }

  /** Of several, those of the settings' provider, else those that can be asked; else all. */
  #preferred(models: ModelFacts[]): ModelFacts[] {
    if (models.length < 2) return models;
    const { defaultProvider } = this.#options.settings;
    const chosen = models.filter(({ provider }) => provider === defaultProvider);
    if (chosen.length > 0) return chosen;
    const usable = models.filter(({ provider }) => this.usable(provider));
    return usable.length > 0 ? usable : models;
  }

  /** A model that nobody listed, of a provider that is not where the catalogue says it is. */
  #unlisted(query: string, wish: ModelWish): ModelChoice | undefined {
    const { settings } = this.#options;
    const { name, thinkingLevel } = readings(query).at(-1) ?? { name: query };
    const slash = name.indexOf("/");
    const prefix = slash > 0 ? this.#providers.get(name.slice(0, slash)) : undefined;
    const fallback = wish.baseUrl === undefined ? undefined : settings.defaultProvider ?? "openai";
    const named = wish.provider ?? (prefix ? prefix.name : fallback);
    const provider = named === undefined ? undefined : this.#providers.get(named);
    if (!provider) return undefined;
    const id = prefix === provider ? name.slice(slash + 1) : name;
    const elsewhere = this.#baseUrl(provider, wish.baseUrl) !==
      BUILT_IN_PROVIDERS[provider.name]?.baseUrl;
    if (id === "" || !elsewhere) return undefined;
    return choiceOf(unknownModel(provider, id, provider.apiElsewhere), thinkingLevel);
  }

  async #byDefault(wish: ModelWish): Promise<ModelChoice> {
    const { settings, keys } = this.#options;
    const { defaultModel, defaultProvider } = settings;
    const named = wish.provider ?? defaultProvider;
    if (defaultModel !== undefined && (wish.provider ?? defaultProvider) === defaultProvider) {
      return await this.#bySettings(defaultModel, {
        ...wish,
        ...(named ? { provider: named } : {}),
      });
    }
    if (named !== undefined) {
      return await this.#defaultOf(requireProvider(named, this.#providers), wish);
    }
    const candidates = [...this.#providers.values()].filter(hasModels);
    const first = wish.apiKey === undefined
      ? candidates.find((provider) => keys.usable(provider))
      : candidates[0];
    if (first) return await this.#defaultOf(first, wish);
    throw new ConfigError(
      "no_key",
      "Cannot choose a model: there is no key. Set ANTHROPIC_API_KEY or OPENAI_API_KEY, store a key " +
        'with "bough auth set anthropic", give one with --api-key, or name a model that needs none ' +
        "(--model ollama/<id>, or one from models.json)",
    );
  }

  async #bySettings(defaultModel: string, wish: ModelWish): Promise<ModelChoice> {
    try {
      return await this.#byName(defaultModel, wish);
    } catch (cause) {
      if (!(cause instanceof ConfigError)) throw cause;
      const message = `${cause.message}; the settings name it as defaultModel`;
      throw new ConfigError(cause.code, message, { cause });
    }
  }

  async #defaultOf(provider: Provider, wish: ModelWish): Promise<ModelChoice> {
    const id = provider.defaultModel ?? provider.models[0]?.id;
    if (id !== undefined) return await this.#byName(id, { ...wish, provider: provider.name });
    throw new ConfigError(
      "no_model",
      `Cannot choose a model of ${provider.name}: none is known; name one with --model, or list ` +
        "them in models.json",
    );
  }

  #baseUrl(provider: Provider, given = this.#baseUrls.get(provider.name)): string {
    const { baseUrlVariable } = provider;
    const variable = baseUrlVariable && this.#options.variable(baseUrlVariable);
    return given ?? (variable ? checkedUrl(variable) : provider.baseUrl);
  }

  /**
   * Makes sure that a model can be asked, as far as can be told without asking. Throws `ConfigError`
   * `no_key`, `unknown_provider`, `bad_base_url` or `bad_replay`.
   */
  async check(facts: ModelFacts): Promise<void> {
    if (facts.provider === REPLAY) {
      await this.#options.connectReplay(facts);
      return;
    }
    const provider = requireProvider(facts.provider, this.#providers);
    this.#baseUrl(provider);
    await this.#options.keys.require(provider);
  }

  /** The model with exactly this provider and id, if it can be asked. */
  async find(ref: { provider: string; modelId: string }): Promise<ModelFacts | undefined> {
    if (ref.provider === REPLAY) return replayFacts(ref.modelId);
    if (!this.usable(ref.provider)) return undefined;
    const key = modelKey({ provider: ref.provider, id: ref.modelId });
    return await this.#listed(key) ?? this.#unlisted(key, { provider: ref.provider })?.facts;
  }

  /** A model to ask. Nothing is loaded and no key is read before its first request. */
  create(facts: ModelFacts): Model {
    const { connect, connectReplay } = this.#options;
    if (facts.provider === REPLAY) {
      return new ConfiguredModel({ facts, connect: () => connectReplay(facts) });
    }
    const provider = requireProvider(facts.provider, this.#providers);
    return new ConfiguredModel({
      facts,
      connect: () => connect(facts, provider, this.#baseUrl(provider)),
      refusedAdvice: () => this.#options.keys.refusedAdvice(provider),
    });
  }
}

function hasModels({ defaultModel, models }: Provider): boolean {
  return defaultModel !== undefined || models.length > 0;
}

function choiceOf(facts: ModelFacts, thinkingLevel: ThinkingLevel | undefined): ModelChoice {
  return thinkingLevel === undefined ? { facts } : { facts, thinkingLevel };
}
