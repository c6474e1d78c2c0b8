import { expect, test } from "bun:test";
import { setKey } from "../../../lib/runtime/config/auth.ts";
import type { Environment } from "../../../lib/runtime/config/home.ts";
import { Keys } from "../../../lib/runtime/config/keys.ts";
import { ModelRegistry, type ModelWish } from "../../../lib/runtime/config/models.ts";
import { loadProviders, type Provider } from "../../../lib/runtime/config/providers.ts";
import { Secrets } from "../../../lib/runtime/config/secrets.ts";
import {
  defaultSettings,
  type SettingsPatch,
} from "../../../lib/runtime/config/settings_defaults.ts";
import { mergeSettings } from "../../../lib/runtime/config/settings_merge.ts";
import type { Model, ModelFacts } from "../../../lib/agent/mod.ts";
import { TempDirectory } from "../../support/temp.ts";

const MODELS = {
  providers: {
    ollama: { models: [{ id: "qwen3:8b", contextWindow: 32768 }, { id: "qwen3:14b" }] },
    lab: {
      baseUrl: "http://lab.local/v1",
      apiKey: "LAB_KEY",
      api: "openai-responses",
      models: [
        {
          id: "gpt-5",
          name: "Our gpt-5",
          cost: { input: 1 },
          reasoning: true,
          input: ["text", "image"],
        },
        { id: "ns/unique-model" },
      ],
    },
    anthropic: { baseUrl: "https://proxy.example/anthropic" },
  },
};

interface Connection {
  facts: ModelFacts;
  provider: Provider;
  baseUrl: string;
}

async function registry(
  temp: TempDirectory,
  { env = {}, settings = {}, models }: {
    env?: Environment;
    settings?: SettingsPatch;
    models?: unknown;
  } = {},
) {
  if (models !== undefined) temp.write("home/models.json", JSON.stringify(models));
  const secrets = new Secrets(env);
  const { home } = temp;
  const { providers, warnings } = await loadProviders({ home });
  const keys = new Keys({ home, secrets });
  const connections: Connection[] = [];
  const never: Model = {
    facts: undefined as never,
    async *stream() {},
  };
  return {
    keys,
    providers,
    warnings,
    connections,
    models: new ModelRegistry({
      providers,
      keys,
      settings: mergeSettings(defaultSettings(), settings),
      variable: (name) => secrets.variable(name),
      connect(facts, provider, baseUrl) {
        connections.push({ facts, provider, baseUrl });
        return Promise.resolve(never);
      },
      connectReplay: () => Promise.resolve(never),
    }),
  };
}

type Chosen = [key: string, thinkingLevel?: string] | string;

async function choose(models: ModelRegistry, wish: ModelWish): Promise<Chosen> {
  try {
    const { facts, thinkingLevel } = await models.choose(wish);
    const key = `${facts.provider}/${facts.id}`;
    return thinkingLevel === undefined ? [key] : [key, thinkingLevel];
  } catch (error) {
    return error instanceof Error && "code" in error ? `${error.code}: ${error.message}` : "?";
  }
}

const NAMES: [wish: ModelWish, chosen: Chosen][] = [
  [{ model: "anthropic/claude-opus-5" }, ["anthropic/claude-opus-5"]],
  [{ model: "claude-opus-5:high" }, ["anthropic/claude-opus-5", "high"]],
  [{ model: "CLAUDE-OPUS-5" }, ["anthropic/claude-opus-5"]],
  [{ model: "haiku-4-5" }, ["anthropic/claude-haiku-4-5"]],
  [{ model: "4.1-nano:off" }, ["openai/gpt-4.1-nano", "off"]],
  [{ model: "qwen3:8b" }, ["ollama/qwen3:8b"]],
  [{ model: "qwen3:8b:low" }, ["ollama/qwen3:8b", "low"]],
  [{ model: "ollama/llama4:70b" }, ["ollama/llama4:70b"]],
  [{ model: "llama4", provider: "ollama" }, ["ollama/llama4"]],
  [{ model: "8b", provider: "ollama" }, ["ollama/qwen3:8b"]],
  [{ model: "ns/unique-model" }, ["lab/ns/unique-model"]],
  [{ model: "openrouter/meta/llama:max" }, ["openrouter/meta/llama", "max"]],
  [{ model: "anthropic/claude-next" }, ["anthropic/claude-next"]],
  [{ model: "gpt-5", provider: "openai" }, ["openai/gpt-5"]],
  [{ model: "replay:some/file.jsonl" }, ["replay/some/file.jsonl"]],
  [{ model: "replay/some/file.jsonl" }, ["replay/some/file.jsonl"]],
  [{ provider: "anthropic" }, ["anthropic/claude-sonnet-5-5"]],
  [{ provider: "lab" }, ["lab/gpt-5"]],
  [{ model: "my-model", baseUrl: "http://localhost:1/v1" }, ["openai/my-model"]],
  [
    { model: "my-model", provider: "openai" },
    'unknown_model: Cannot use the model "my-model": it is not known; "bough models" lists those that are known (any other id works with --base-url, or described in models.json)',
  ],
  [
    { model: "openai/gtp-5.5" },
    'unknown_model: Cannot use the model "openai/gtp-5.5": it is not known; did you mean openai/gpt-5.5 or openai/gpt-5.1 or openai/gpt-5.2? (any other id works with --base-url, or described in models.json)',
  ],
  [
    { model: "qwen3" },
    'ambiguous_model: Cannot choose the model "qwen3": it may be ollama/qwen3:8b, ollama/qwen3:14b; write more of its name',
  ],
  [
    { model: "x", provider: "olama" },
    'unknown_provider: Cannot use the provider "olama": it is not known; did you mean "ollama"? Known are anthropic, openai, ollama, lab, llama.cpp, lmstudio, vllm, openrouter; others are described in models.json',
  ],
  [
    { provider: "openrouter" },
    "no_model: Cannot choose a model of openrouter: none is known; name one with --model, or list them in models.json",
  ],
  [
    { model: "gpt-5", provider: "openai", baseUrl: "localhost:1" },
    'bad_base_url: Cannot use the base URL "localhost:1": expected one that starts with http:// or https://',
  ],
];

for (const [wish, chosen] of NAMES) {
  test(`choose() of ${JSON.stringify(wish)}`, async () => {
    using temp = new TempDirectory();
    const { models } = await registry(temp, { models: MODELS });
    expect(await choose(models, wish)).toEqual(chosen);
  });
}

test("choose() lists some of many models that fit", async () => {
  using temp = new TempDirectory();
  const { models } = await registry(temp);
  const chosen = await choose(models, { model: "gpt" });
  expect(chosen).toStartWith(
    'ambiguous_model: Cannot choose the model "gpt": it may be openai/gpt-4, ',
  );
  expect(chosen).toMatch(/ and \d+ more; write more of its name$/);
});

test("choose() prefers the provider with a key, or that of the settings, for one id of two", async () => {
  using temp = new TempDirectory();
  const one = async (options: { env?: Environment; settings?: SettingsPatch }) => {
    const { models } = await registry(temp, { ...options, models: MODELS });
    return await choose(models, { model: "gpt-5" });
  };
  const [openai, lab] = [{ OPENAI_API_KEY: "k" }, { LAB_KEY: "k" }];
  expect([
    await one({ env: openai }),
    await one({ env: lab }),
    await one({ env: openai, settings: { defaultProvider: "lab" } }),
    await one({}),
    await one({ env: { ...openai, ...lab } }),
  ]).toEqual([
    ["openai/gpt-5"],
    ["lab/gpt-5"],
    ["lab/gpt-5"],
    ...Array(2).fill(
      'ambiguous_model: Cannot choose the model "gpt-5": it may be openai/gpt-5, lab/gpt-5; ' +
        "write more of its name",
    ),
  ]);
});

const DEFAULTS: [env: Environment, settings: SettingsPatch, wish: ModelWish, chosen: string][] = [
  [{ ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o" }, {}, {}, "anthropic/claude-sonnet-5-5"],
  [{ OPENAI_API_KEY: "o" }, {}, {}, "openai/gpt-6.2-sol"],
  [{}, {}, { apiKey: "k" }, "anthropic/claude-sonnet-5-5"],
  [{}, { defaultModel: "gpt-5.5" }, {}, "openai/gpt-5.5"],
  [{}, { defaultProvider: "openai", defaultModel: "o3" }, {}, "openai/o3"],
  [{}, { defaultProvider: "openai" }, {}, "openai/gpt-6.2-sol"],
  [
    {},
    { defaultProvider: "openai", defaultModel: "o3" },
    { provider: "anthropic" },
    "anthropic/claude-sonnet-5-5",
  ],
];

for (const [env, settings, wish, chosen] of DEFAULTS) {
  test(`choose() by default, with ${JSON.stringify(env)} and ${JSON.stringify(settings)}`, async () => {
    using temp = new TempDirectory();
    const { models } = await registry(temp, { env, settings });
    expect(await choose(models, wish)).toEqual([chosen]);
  });
}

test("choose() by default takes a local model of models.json if there is no key", async () => {
  using temp = new TempDirectory();
  const { models } = await registry(temp, {
    models: { providers: { local: { preset: "llama.cpp", models: [{ id: "m" }] } } },
  });
  expect(await choose(models, {})).toEqual(["local/m"]);
});

test("choose() without any key names the variables and the alternatives", async () => {
  using temp = new TempDirectory();
  const { models } = await registry(temp);
  expect(await choose(models, {})).toBe(
    "no_key: Cannot choose a model: there is no key. Set ANTHROPIC_API_KEY or OPENAI_API_KEY, store a " +
      'key with "bough auth set anthropic", give one with --api-key, or name a model that needs none ' +
      "(--model ollama/<id>, or one from models.json)",
  );
});

test("Keys: the option goes before the environment, auth.json and models.json", async () => {
  using temp = new TempDirectory();
  const providers = { lab: { baseUrl: "http://lab/v1", apiKey: "!echo from-models" } };
  const found: [source: string | undefined, key: string | undefined, advice: string][] = [];
  const look = async (env: Environment, given?: string) => {
    const { keys, providers: all } = await registry(temp, { env, models: { providers } });
    const lab = all.get("lab");
    if (!lab) throw new Error("there is no lab");
    if (given !== undefined) keys.give("lab", given);
    found.push([keys.source(lab), await keys.require(lab), keys.refusedAdvice(lab)]);
  };
  const { PATH } = process.env;
  await look({ PATH });
  await setKey({ home: temp.home, provider: "lab" }, "from-auth");
  await look({ PATH });
  await look({ LAB_API_KEY: "from-env" });
  await look({ LAB_API_KEY: "from-env" }, "given");
  expect(found).toEqual([
    [
      "models.json",
      "from-models",
      'It stands in models.json: correct it there, or store one with "bough auth set lab".',
    ],
    [
      "auth.json",
      "from-auth",
      'It stands in auth.json: store another one with "bough auth set lab".',
    ],
    [
      "environment",
      "from-env",
      "It stands in LAB_API_KEY: set another one there, or unset that and store one with " +
      '"bough auth set lab".',
    ],
    [
      "option",
      "given",
      "It was given with --api-key: give another one, or leave that out and store one with " +
      '"bough auth set lab".',
    ],
  ]);
});

test("choose() says that a wrong model stands in the settings", async () => {
  using temp = new TempDirectory();
  const { models } = await registry(temp, { settings: { defaultModel: "nope-9" } });
  const chosen = await choose(models, {});
  expect(chosen).toStartWith('unknown_model: Cannot use the model "nope-9": it is not known; ');
  expect(chosen).toEndWith("; the settings name it as defaultModel");
});

const KEYLESS: [provider: string, entry: unknown, message: string | undefined][] = [
  ["ollama", {}, undefined],
  ["lab", { baseUrl: "http://lab/v1" }, undefined],
  ["lab", { baseUrl: "http://lab/v1", apiKey: "EMPTY" }, undefined],
  ["openai", {}, "Cannot ask openai: there is no key for it. Set OPENAI_API_KEY, "],
  ["openrouter", {}, "Cannot ask openrouter: there is no key for it. Set OPENROUTER_API_KEY, "],
  [
    "my-lab",
    { baseUrl: "http://lab/v1", apiKey: "MY_SECRET" },
    "Cannot ask my-lab: there is no key for it; the environment variable MY_SECRET is not set. Set MY_LAB_API_KEY, ",
  ],
  [
    "lab",
    { baseUrl: "http://lab/v1", apiKey: "!exit 4" },
    'Cannot ask lab: there is no key for it; the command "exit 4" ended with exit code 4. Set ',
  ],
];

for (const [provider, entry, message] of KEYLESS) {
  test(`check() of ${provider} as ${JSON.stringify(entry)}`, async () => {
    using temp = new TempDirectory();
    const { models } = await registry(temp, { models: { providers: { [provider]: entry } } });
    const facts = { provider } as ModelFacts;
    if (message === undefined) expect(await models.check(facts)).toBeUndefined();
    else await expect(models.check(facts)).rejects.toThrow(message);
  });
}

const URLS: [env: Environment, models: unknown, wish: ModelWish, baseUrl: string][] = [
  [{}, undefined, { model: "openai/o3" }, "https://api.openai.com/v1"],
  [{ OPENAI_BASE_URL: "http://env/v1" }, undefined, { model: "openai/o3" }, "http://env/v1"],
  [{ ANTHROPIC_BASE_URL: "http://env" }, undefined, { model: "haiku-4-5" }, "http://env"],
  [
    { ANTHROPIC_BASE_URL: "http://env" },
    MODELS,
    { model: "haiku-4-5" },
    "https://proxy.example/anthropic",
  ],
  [{}, MODELS, { model: "haiku-4-5", baseUrl: "http://option" }, "http://option"],
  [{ OPENAI_BASE_URL: "http://env/v1" }, MODELS, { model: "lab/gpt-5" }, "http://lab.local/v1"],
];

for (const [env, file, wish, baseUrl] of URLS) {
  test(`create() asks at the right base URL (${JSON.stringify(env)}, ${JSON.stringify(file)}, ${JSON.stringify(wish)})`, async () => {
    using temp = new TempDirectory();
    const { models, connections } = await registry(temp, { env, models: file });
    const { facts } = await models.choose(wish);
    const request = { systemPrompt: "", messages: [], tools: [], thinkingLevel: "off" as const };
    await Array.fromAsync(models.create(facts).stream(request, new AbortController().signal));
    expect(connections.map((connection) => connection.baseUrl)).toEqual([baseUrl]);
  });
}

test("choose() describes unlisted models with safe assumptions and a wire format that servers have", async () => {
  using temp = new TempDirectory();
  const { models } = await registry(temp, {
    env: { OPENAI_BASE_URL: "http://localhost:1/v1" },
    models: MODELS,
  });
  const facts = await Promise.all(
    ["openai/mine", "openai/o3", "anthropic/mine", "lab/mine", "lab/gpt-5", "qwen3:8b"]
      .map(async (model) => (await models.choose({ model })).facts),
  );
  expect(facts.map(({ api }) => api)).toEqual([
    "openai-completions",
    "openai-responses",
    "anthropic-messages",
    "openai-responses",
    "openai-responses",
    "openai-completions",
  ]);
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  expect(facts[3]).toEqual({
    provider: "lab",
    id: "mine",
    name: "mine",
    api: "openai-responses",
    contextWindow: 128_000,
    maxTokens: 16_384,
    reasoning: false,
    input: ["text"],
    cost: free,
  });
  expect(facts[4]).toMatchObject({
    name: "Our gpt-5",
    reasoning: true,
    input: ["text", "image"],
    cost: { ...free, input: 1 },
  });
  expect(facts[5]?.contextWindow).toBe(32_768);
});

test("find() gives known models that can be asked", async () => {
  using temp = new TempDirectory();
  const { models } = await registry(temp, { env: { OPENAI_API_KEY: "k" }, models: MODELS });
  const refs = [
    ["openai", "o3"],
    ["openai", "o33"],
    ["anthropic", "claude-opus-5"],
    ["ollama", "anything"],
    ["gone", "x"],
    ["replay", "f.jsonl"],
  ] as const;
  const found = refs.map(([provider, modelId]) => models.find({ provider, modelId }));
  expect((await Promise.all(found)).map((facts) => facts?.id)).toEqual([
    "o3",
    undefined,
    undefined,
    "anything",
    undefined,
    "f.jsonl",
  ]);
});

test("enabled() gives the models that the patterns name, in their order, or all with a key", async () => {
  using temp = new TempDirectory();
  const env = { ANTHROPIC_API_KEY: "k" };
  const some = await registry(temp, {
    env,
    settings: { enabledModels: ["*opus-5*", "anthropic/*haiku-4-5", "o3"] },
  });
  const all = await registry(temp, { env });
  expect((await some.models.enabled()).map(({ id }) => id)).toEqual([
    "claude-opus-5",
    "claude-opus-5-5",
    "claude-haiku-4-5",
  ]);
  const providers = new Set((await all.models.enabled()).map(({ provider }) => provider));
  expect([...providers]).toEqual(["anthropic"]);
});

test("keyStatus() says whether and where there is a key", async () => {
  using temp = new TempDirectory();
  const { models } = await registry(temp, { env: { OPENAI_API_KEY: "k" }, models: MODELS });
  expect(models.providerNames().slice(0, 4)).toEqual(["anthropic", "openai", "ollama", "lab"]);
  expect(["anthropic", "openai", "ollama", "lab"].map((name) => models.keyStatus(name))).toEqual([
    { isNeeded: true, isUsable: false, variable: "ANTHROPIC_API_KEY" },
    { isNeeded: true, isUsable: true, variable: "OPENAI_API_KEY", source: "environment" },
    { isNeeded: false, isUsable: true, variable: "OLLAMA_API_KEY" },
    { isNeeded: true, isUsable: false, variable: "LAB_API_KEY", source: "models.json" },
  ]);
  expect(() => models.keyStatus("opnai")).toThrow('did you mean "openai"?');
});

test("addProvider() takes a provider as models.json describes it, or says what is wrong", async () => {
  using temp = new TempDirectory();
  const { models } = await registry(temp);
  await models.addProvider("late", { baseUrl: "http://late/v1", models: [{ id: "m" }] });
  expect(await choose(models, { model: "late/m" })).toEqual(["late/m"]);
  await expect(models.addProvider("bad", {})).rejects.toThrow(
    'Cannot add the provider bad: providers.bad: expected "baseUrl", or a "preset" (ollama, ',
  );
});

test("check() refuses a base URL from the environment that is none", async () => {
  using temp = new TempDirectory();
  const env = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "localhost:80" };
  const { models } = await registry(temp, { env });
  const { facts } = await models.choose({ model: "o3" });
  await expect(models.check(facts)).rejects.toThrow('Cannot use the base URL "localhost:80": ');
});

const BAD_FILES: [content: string, problem: string][] = [
  ["{", 'line 1, column 2: expected a name in double quotes or "}", found the end of the file'],
  ['{"providers":{"x":{}}}', 'providers.x: expected "baseUrl", or a "preset" (ollama, '],
  ['{"providers":{"x":{"baseUrl":"ftp://x"}}}', "providers.x.baseUrl: "],
  ['{"providers":{"x":{"preset":"olama"}}}', 'providers.x.preset: expected one of "ollama", '],
  [
    '{"providers":{"x":{"baseUrl":"http://x","models":[{}]}}}',
    "providers.x.models.0.id: expected a string, found nothing",
  ],
  ['{"providers":{"a/b":{"baseUrl":"http://x"}}}', "providers.a/b: "],
];

for (const [content, problem] of BAD_FILES) {
  test(`loadProviders() refuses the models.json ${JSON.stringify(content)}`, async () => {
    using temp = new TempDirectory();
    const file = temp.write("home/models.json", content);
    await expect(loadProviders({ home: temp.home })).rejects.toThrow(
      `Cannot read the models in ${file}: ${problem}`,
    );
  });
}

test("loadProviders() warns of unknown keys", async () => {
  using temp = new TempDirectory();
  const { warnings } = await registry(temp, {
    models: { providers: { x: { baseUrl: "http://x", compat: { nope: 1 }, model: [] } } },
  });
  const file = temp.join("home/models.json");
  expect(warnings).toEqual([
    { file, message: `Unknown key "providers.x.compat.nope" in ${file}` },
    { file, message: `Unknown key "providers.x.model" in ${file}` },
  ]);
});
