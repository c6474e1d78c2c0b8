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

const COMMON = { maxRetries: 0, timeout: TIMEOUT_MS, fetch: patientFetch } as const;

async function anthropicClient({ baseUrl, apiKey, headers }: ClientOptions) {
  const { default: Anthropic } = await import("@anthropic-ai/sdk");
  return new Anthropic({
    ...COMMON,
    // Compatible servers are often given with the "/v1" that the SDK adds by itself.
    baseURL: baseUrl.replace(/\/+$/, "").replace(/\/v1$/, ""),
    apiKey: apiKey ?? "none",
    authToken: null,
    defaultHeaders: { ...(apiKey === undefined ? { "x-api-key": null } : {}), ...headers },
  });
}

async function openaiClient({ baseUrl, apiKey, headers }: ClientOptions) {
  const { default: OpenAI } = await import("openai");
  return new OpenAI({
    ...COMMON,
    baseURL: baseUrl.replace(/\/+$/, ""),
    apiKey: apiKey ?? "none",
    defaultHeaders: { ...(apiKey === undefined ? { authorization: null } : {}), ...headers },
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
