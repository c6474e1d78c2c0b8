/** Models over the real SDK clients, pointed at a server on loopback. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import {
  anthropicMessages,
  type CompletionsCompat,
  type Model,
  type ModelError,
  type ModelEvent,
  type ModelFacts,
  type ModelRequest,
  openaiCompletions,
  openaiResponses,
  type Timer,
  toProviderMessages,
} from "../../lib/agent/mod.ts";
import type { AssistantMessage, Message } from "../../lib/session/mod.ts";

export const WIRE_FORMATS = [
  "anthropic-messages",
  "openai-completions",
  "openai-responses",
] as const;
export type WireFormat = (typeof WIRE_FORMATS)[number];

/** What is known of the models in tests; 1 dollar for each million tokens of any kind. */
export function testFacts(api: string, facts: Partial<ModelFacts> = {}): ModelFacts {
  return {
    provider: api === "anthropic-messages" ? "localA" : "local",
    id: "m",
    name: "M",
    api,
    contextWindow: 200_000,
    maxTokens: 32_000,
    reasoning: false,
    input: ["text", "image"],
    cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
    ...facts,
  };
}

export interface TestModelOptions {
  facts?: Partial<ModelFacts>;
  idleTimeoutMs?: number;
  timer?: Timer;
  compat?: CompletionsCompat;
}

/** A model of a wire format behind `url` (which has no `/v1`). */
export function testModel(api: WireFormat, url: string, options: TestModelOptions = {}): Model {
  const { idleTimeoutMs, timer, compat } = options;
  const common = {
    facts: testFacts(api, options.facts),
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
    ...(timer && { timer }),
  };
  const keys = { apiKey: "test-key", maxRetries: 0 };
  switch (api) {
    case "anthropic-messages":
      return anthropicMessages({ client: new Anthropic({ ...keys, baseURL: url }), ...common });
    case "openai-completions":
      return openaiCompletions({
        client: new OpenAI({ ...keys, baseURL: `${url}/v1` }),
        ...common,
        ...(compat ? { compat } : {}),
      });
    case "openai-responses":
      return openaiResponses({ client: new OpenAI({ ...keys, baseURL: `${url}/v1` }), ...common });
  }
}

/** A request with the context made fit for the model, as the loop makes it. */
export function requestFor(
  model: Model,
  messages: readonly Message[],
  more: Partial<ModelRequest> = {},
): ModelRequest {
  const { provider, id, api, input } = model.facts;
  return {
    systemPrompt: "",
    tools: [],
    thinkingLevel: "off",
    ...more,
    messages: toProviderMessages(messages, { provider, model: id, api, input }),
  };
}

export interface Heard {
  events: ModelEvent[];
  message: AssistantMessage;
  error?: ModelError;
}

/** Listens to an answer to its end. */
export async function hear(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<Heard> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, signal)) events.push(event);
  const last = events.at(-1);
  if (last?.type !== "done" && last?.type !== "failed") throw new Error("no end of the answer");
  return {
    events,
    message: last.message,
    ...(last.type === "failed" && last.error ? { error: last.error } : {}),
  };
}

export function user(content: string): Message {
  return { role: "user", content, timestamp: 1 };
}
