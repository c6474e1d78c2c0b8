/** The wire format of OpenAI's Chat Completions API, which most other servers speak, too. */
import type { Model } from "../model.ts";
import { type CompletionsCompat, completionsCompat } from "./completions_compat.ts";
import { CompletionsReader } from "./completions_reader.ts";
import { completionsRequest } from "./completions_request.ts";
import {
  type AdapterOptions,
  type PendingResponse,
  type RequestOptions,
  wireModel,
} from "./stream.ts";

/** The part of `openai`'s client that is used for chat completions. Make it with `maxRetries: 0`. */
export interface OpenAICompletionsClient {
  readonly baseURL: string;
  readonly chat: {
    readonly completions: {
      create(body: object, options: RequestOptions): PendingResponse;
    };
  };
}

/**
 * A model behind the Chat Completions API, or a server that speaks it. What such a server does not
 * know is said by `compat`; what is left out there follows from the provider and the base URL.
 *
 * @example
 * ```ts
 * import OpenAI from "openai";
 * import { openaiCompletions } from "bough";
 *
 * const model = openaiCompletions({
 *   client: new OpenAI({ baseURL: "http://localhost:11434/v1", apiKey: "-", maxRetries: 0 }),
 *   facts: {
 *     provider: "ollama",
 *     id: "qwen3:8b",
 *     name: "Qwen 3",
 *     api: "openai-completions",
 *     contextWindow: 40_000,
 *     maxTokens: 8_000,
 *     reasoning: true,
 *     input: ["text"],
 *     cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
 *   },
 * });
 * console.log(model.facts.name);
 * ```
 */
export function openaiCompletions(
  options: AdapterOptions & {
    client: OpenAICompletionsClient;
    compat?: CompletionsCompat | Readonly<Record<string, unknown>>;
  },
): Model {
  const { client, facts } = options;
  const compat = completionsCompat(client.baseURL, options.compat);
  return wireModel({
    ...options,
    baseUrl: client.baseURL,
    send: (asked, signal) =>
      client.chat.completions
        .create(completionsRequest(facts, compat, asked), { signal })
        .asResponse(),
    reader: (answer, failure) => new CompletionsReader(answer, failure),
  });
}
