/** The providers that are known without a `models.json`. Data only. */
import type { ModelApi } from "../../agent/mod.ts";

/** What is known of a provider before anybody configured it. */
export interface ProviderPreset {
  readonly api: ModelApi;
  /** What other servers than its own speak, and a model that nobody described; `api` if absent. */
  readonly apiElsewhere?: ModelApi;
  readonly baseUrl: string;
  /** The environment variable that may hold another base URL. */
  readonly baseUrlVariable?: string;
  /** The environment variable that holds its key. */
  readonly keyVariable?: string;
  /** Asked when nobody named a model. */
  readonly defaultModel?: string;
}

/** Those that the catalogue knows models of; asked for a key in this order. */
export const BUILT_IN_PROVIDERS: Readonly<Record<string, ProviderPreset>> = {
  anthropic: {
    api: "anthropic-messages",
    baseUrl: "https://api.anthropic.com",
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    keyVariable: "ANTHROPIC_API_KEY",
    defaultModel: "claude-sonnet-5-5",
  },
  openai: {
    api: "openai-responses",
    apiElsewhere: "openai-completions",
    baseUrl: "https://api.openai.com/v1",
    baseUrlVariable: "OPENAI_BASE_URL",
    keyVariable: "OPENAI_API_KEY",
    defaultModel: "gpt-6.2-sol",
  },
};

/** Those whose models the user names: servers on this machine, which need no key, and a broker. */
export const PRESETS: Readonly<Record<string, ProviderPreset>> = {
  "ollama": { api: "openai-completions", baseUrl: "http://localhost:11434/v1" },
  "llama.cpp": { api: "openai-completions", baseUrl: "http://localhost:8080/v1" },
  "lmstudio": { api: "openai-completions", baseUrl: "http://localhost:1234/v1" },
  "vllm": { api: "openai-completions", baseUrl: "http://localhost:8000/v1" },
  "openrouter": {
    api: "openai-completions",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariable: "OPENROUTER_API_KEY",
  },
};

/** What is assumed of a model of which nothing is known; costs are 0. */
export const UNKNOWN_MODEL = { contextWindow: 128_000, maxTokens: 16_384 } as const;
