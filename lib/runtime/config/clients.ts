/**
 * The providers' SDKs, each loaded when its first request is made. They send requests and nothing
 * else: retries, timeouts and the reading of streams are ours.
 */
import {
  anthropicMessages,
  type CompletionsCompat,
  type Model,
  type ModelFacts,
  openaiCompletions,
  openaiResponses,
} from "../../agent/mod.ts";
import { ConfigError } from "./errors.ts";
import { BUILT_IN_PROVIDERS } from "./presets.ts";

export interface ClientOptions {
  readonly baseUrl: string;
  /** Absent: requests carry no key. */
  readonly apiKey?: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ConnectionOptions extends ClientOptions {
  readonly facts: ModelFacts;
  /** How long a provider may say nothing. */
  readonly idleTimeoutMs: number;
  readonly compat: CompletionsCompat;
}

/** The longest that a timer can be set to; the adapter's watchdog is what ends a silent request. */
const TIMEOUT_MS = 2_147_483_647;

/** Bun's fetch gives up after 360 s without a byte, unless it is told not to; others ignore this. */
function patientFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const patient: RequestInit & { timeout: false } = { ...init, timeout: false };
  return fetch(input, patient);
}

/** The SDKs would log to the console, stdout included, if their environment variables said so. */
const COMMON = {
  maxRetries: 0,
  timeout: TIMEOUT_MS,
  fetch: patientFetch,
  logLevel: "off",
} as const;

/** Keeps an SDK from sending a key where there is none. */
const NO_KEY = { apiKey: "none", headers: { authorization: null } };

/** What of a base URL comes before the path of a request, and what behind it: a gateway's `?version=…`. */
function partsOf(baseUrl: string): { base: string; query: Record<string, string> } {
  const url = new URL(baseUrl);
  const query = Object.fromEntries(url.searchParams);
  url.search = "";
  url.hash = "";
  return { base: url.href.replace(/\/+$/, ""), query };
}

async function anthropicClient({ baseUrl, apiKey, headers }: ClientOptions) {
  const { BaseAnthropic } = await import("./anthropic_sdk.ts");
  // Compatible servers are often given with the "/v1" that the SDK adds by itself.
  const { base, query } = partsOf(baseUrl);
  const baseURL = base.replace(/\/v1$/, "");
  // The SDK sends the key as a bearer token; many gateways look for it where it used to be.
  const elsewhere = baseURL !== BUILT_IN_PROVIDERS["anthropic"]?.baseUrl;
  const gateway = apiKey !== undefined && elsewhere ? { "x-api-key": apiKey } : {};
  const none = apiKey === undefined ? NO_KEY.headers : {};
  return new BaseAnthropic({
    ...COMMON,
    baseURL,
    defaultQuery: query,
    apiKey: apiKey ?? NO_KEY.apiKey,
    defaultHeaders: { ...none, ...gateway, ...headers },
  });
}

async function openaiClient({ baseUrl, apiKey, headers }: ClientOptions) {
  const { default: OpenAI } = await import("openai");
  const { base, query } = partsOf(baseUrl);
  return new OpenAI({
    ...COMMON,
    baseURL: base,
    defaultQuery: query,
    apiKey: apiKey ?? NO_KEY.apiKey,
    defaultHeaders: { ...(apiKey === undefined ? NO_KEY.headers : {}), ...headers },
  });
}

/** Makes the adapter of a model, with its client. */
export async function connectModel(options: ConnectionOptions): Promise<Model> {
  const { facts, idleTimeoutMs, compat } = options;
  switch (facts.api) {
    case "anthropic-messages":
      return anthropicMessages({ client: await anthropicClient(options), facts, idleTimeoutMs });
    case "openai-responses":
      return openaiResponses({ client: await openaiClient(options), facts, idleTimeoutMs });
    case "openai-completions":
      return openaiCompletions({
        client: await openaiClient(options),
        facts,
        idleTimeoutMs,
        compat,
      });
    default:
      throw new ConfigError(
        "bad_models",
        `Cannot ask ${facts.provider}/${facts.id}: "${facts.api}" is no wire format that is spoken here`,
      );
  }
}
