/** The adapters with the packages' own clients, as a program joins them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { LLMock } from "@copilotkit/aimock";
import OpenAI from "openai";
import {
  anthropicMessages,
  createAgentSession,
  type Model,
  type ModelFacts,
  openaiCompletions,
  openaiResponses,
  type Tool,
} from "../../mod.ts";

const lookUp: Tool = {
  name: "look_up",
  description: "Looks up a word",
  parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
  execute: async ({ word }) => ({ content: [{ type: "text", text: `${word}: part of a tree` }] }),
};

/** Another project's idea of the providers: it shares no code and no fixture with this one. */
const provider = new LLMock({ port: 0 });
const KEYS = { apiKey: "mock", maxRetries: 0 };

beforeAll(async () => {
  provider.addFixture({
    match: { userMessage: "What is a bough?", hasToolResult: false },
    response: { toolCalls: [{ name: "look_up", arguments: '{"word":"bough"}' }] },
  });
  provider.addFixture({
    match: { userMessage: "What is a bough?", hasToolResult: true },
    response: { content: "A main branch of a tree." },
  });
  provider.onMessage("Too much", {
    error: { message: "Slow down", type: "rate_limit_error" },
    status: 429,
  });
  await provider.start();
});
afterAll(() => provider.stop());

function facts(api: string): ModelFacts {
  return {
    provider: "mock",
    id: "mock-1",
    name: "Mock",
    api,
    contextWindow: 100_000,
    maxTokens: 4_000,
    reasoning: false,
    input: ["text"],
    cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  };
}

const MODELS: [string, () => Model][] = [
  ["anthropicMessages", () =>
    anthropicMessages({
      client: new Anthropic({ ...KEYS, baseURL: provider.url }),
      facts: facts("anthropic-messages"),
    })],
  ["openaiCompletions", () =>
    openaiCompletions({
      client: new OpenAI({ ...KEYS, baseURL: `${provider.url}/v1` }),
      facts: facts("openai-completions"),
    })],
  ["openaiResponses", () =>
    openaiResponses({
      client: new OpenAI({ ...KEYS, baseURL: `${provider.url}/v1` }),
      facts: facts("openai-responses"),
    })],
];

describe.each(MODELS)("%s() over its package's client", (_name, model) => {
  test("calls a tool and answers, piece by piece", async () => {
    const { session } = await createAgentSession({ model: model(), tools: [lookUp] });
    let streamed = "";
    session.subscribe((event) => {
      if (event.type === "message_update" && event.assistantMessageEvent?.type === "text_delta") {
        streamed += event.assistantMessageEvent.delta;
      }
    });
    const outcome = await session.prompt("What is a bough?");
    expect([outcome.error, outcome.text, streamed, outcome.turns])
      .toEqual([undefined, "A main branch of a tree.", "A main branch of a tree.", 2]);
    const { messages } = await session.session.buildContext();
    expect(messages.map(({ role }) => role))
      .toEqual(["user", "assistant", "toolResult", "assistant"]);
    expect(messages[2]).toMatchObject({
      toolName: "look_up",
      isError: false,
      content: [{ type: "text", text: "bough: part of a tree" }],
    });
    await session.dispose();
  });

  test("says that the provider refused for now", async () => {
    const { session } = await createAgentSession({ model: model(), retry: { enabled: false } });
    const { error, stopReason, text } = await session.prompt("Too much");
    expect([stopReason, text, error]).toMatchObject(["error", "", {
      code: "rate_limited",
      status: 429,
    }]);
    await session.dispose();
  });
});
