/** The wire format of OpenAI's Responses API. */
import type { Model } from "../model.ts";
import { ResponsesReader } from "./responses_reader.ts";
import { responsesRequest } from "./responses_request.ts";
import {
  type AdapterOptions,
  type PendingResponse,
  type RequestOptions,
  wireModel,
} from "./stream.ts";

/** The part of `openai`'s client that is used for responses. Make it with `maxRetries: 0`. */
export interface OpenAIResponsesClient {
  readonly baseURL: string;
  readonly responses: {
    create(body: object, options: RequestOptions): PendingResponse;
  };
}

/**
 * A model behind the Responses API. Nothing is stored at the provider: the model's encrypted
 * reasoning comes back with each answer, is kept in the session, and goes out again.
 *
 * @example
 * ```ts
 * import OpenAI from "openai";
 * import { loadCatalogue, openaiResponses } from "bough";
 *
 * const client = new OpenAI({ apiKey: "sk-...", maxRetries: 0 });
 * const facts = (await loadCatalogue()).find(({ api }) => api === "openai-responses");
 * if (facts) console.log(openaiResponses({ client, facts }).facts.name);
 * ```
 */
export function openaiResponses(
  options: AdapterOptions & { client: OpenAIResponsesClient },
): Model {
  const { client, facts } = options;
  return wireModel({
    ...options,
    baseUrl: client.baseURL,
    send: (asked, signal) =>
      client.responses.create(responsesRequest(facts, asked), { signal }).asResponse(),
    reader: (answer, failure) => new ResponsesReader(answer, failure),
  });
}
