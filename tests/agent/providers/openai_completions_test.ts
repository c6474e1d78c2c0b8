import { expect, test } from "bun:test";
import { LLMock } from "@copilotkit/aimock";
import { type ModelRequest, withSystemMessages } from "../../../lib/agent/mod.ts";
import { completionsCompat } from "../../../lib/agent/providers/completions_compat.ts";
import type { Message, ToolResultMessage } from "../../../lib/session/mod.ts";
import { caseMessages } from "../../support/cases.ts";
import { hear, requestFor, testModel, type TestModelOptions, user } from "../../support/models.ts";
import { ScriptedServer } from "../../support/scripted_server.ts";
import { bodySender } from "../../support/sent_body.ts";

const DONE = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

/** The body of the request that a context leads to. */
const sent = bodySender("openai-completions", { path: "/v1/chat/completions", reply: DONE });

async function messagesSent(messages: Message[], options: TestModelOptions = {}) {
  return (await sent(messages, {}, options))["messages"] as Record<string, unknown>[];
}

test("openaiCompletions() sends the context, the tools and the switches of a plain server", async () => {
  const schema = { type: "object", properties: {}, additionalProperties: false };
  const body = await sent([user("one")], {
    systemPrompt: "S",
    tools: [{ name: "bash", description: "runs", parameters: { type: "object" } }],
    maxTokens: 9,
    sessionId: "session",
    outputSchema: { name: "n", schema },
  });
  expect(body).toEqual({
    model: "m",
    messages: [{ role: "system", content: "S" }, { role: "user", content: "one" }],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 9,
    tools: [{
      type: "function",
      function: { name: "bash", description: "runs", parameters: { type: "object" } },
    }],
    response_format: { type: "json_schema", json_schema: { name: "n", schema, strict: true } },
  });
});

test("completionsCompat() knows OpenAI's own server, and lets the user overrule", () => {
  const openai = {
    maxTokensField: "max_completion_tokens",
    supportsDeveloperRole: true,
    supportsReasoningEffort: true,
    supportsUsageInStreaming: true,
    supportsPromptCacheKey: true,
    requiresAlternation: false,
  } as const;
  const other = {
    ...openai,
    maxTokensField: "max_tokens",
    supportsDeveloperRole: false,
    supportsPromptCacheKey: false,
  } as const;
  expect(completionsCompat("https://api.openai.com/v1")).toEqual(openai);
  expect(completionsCompat("https://api.openai.com.evil.example/v1")).toEqual(other);
  expect(completionsCompat("http://localhost/v1", { maxTokensField: 7, supportsDeveloperRole: "" }))
    .toEqual(other);
  expect(completionsCompat("http://localhost/v1", openai)).toEqual(openai);
});

test("openaiCompletions() sends what the switches allow", async () => {
  const compat = {
    maxTokensField: "max_completion_tokens",
    supportsDeveloperRole: true,
    supportsUsageInStreaming: false,
    supportsPromptCacheKey: true,
  } as const;
  const body = await sent(
    [user("x")],
    { systemPrompt: "S", maxTokens: 9, sessionId: "session" },
    { compat },
  );
  expect(body).toEqual({
    model: "m",
    messages: [{ role: "developer", content: "S" }, { role: "user", content: "x" }],
    stream: true,
    max_completion_tokens: 9,
    prompt_cache_key: "session",
  });
});

test("openaiCompletions() answers each call, right after its message (C050)", async () => {
  const messages = await messagesSent([...caseMessages("C050"), user("next")]);
  expect(messages.map(({ role, tool_call_id }) => [role, tool_call_id])).toEqual([
    ["user", undefined],
    ["assistant", undefined],
    ["tool", "call_1"],
    ["tool", "call_2"],
    ["tool", "call_3"],
    ["user", undefined],
    ["user", undefined],
  ]);
  expect(messages[1]).toMatchObject({ content: null, tool_calls: [{}, {}, {}] });
});

test("openaiCompletions() maps long and strange ids alike in call and result (C099)", async () => {
  const [, answer, one, two] = await messagesSent(caseMessages("C099"));
  const ids = (answer?.["tool_calls"] as { id: string }[]).map(({ id }) => id);
  expect(ids.every((id) => /^[a-zA-Z0-9_-]{1,40}$/.test(id))).toBe(true);
  expect(new Set(ids).size).toBe(2);
  expect([one, two]).toEqual([
    { role: "tool", tool_call_id: ids[0], content: "1" },
    { role: "tool", tool_call_id: ids[1], content: "2" },
  ]);
});

test("openaiCompletions() has one system message, the first (C095)", async () => {
  const context = [...caseMessages("C095"), user("next")];
  const body = await sent(context, { systemPrompt: withSystemMessages("S", context) });
  expect(body["messages"]).toEqual([
    { role: "system", content: "S\n\nEXTRA TWO" },
    { role: "user", content: "hello" },
    { role: "assistant", content: "hi" },
    { role: "user", content: "again" },
    { role: "user", content: "next" },
  ]);
});

test("openaiCompletions() joins neighbours of one role if the server wants it", async () => {
  const compat = { requiresAlternation: true };
  const messages = await messagesSent([
    user("one"),
    user("two"),
    ...caseMessages("C100").slice(-1),
    ...caseMessages("C050").slice(0, 3),
  ], { compat });
  expect(messages.map(({ role, content }) => [role, content])).toEqual([
    ["user", [
      { type: "text", text: "one\n\ntwo" },
      {
        type: "image_url",
        image_url: { url: expect.stringMatching(/^data:image\/png;base64,iVB/) },
      },
      { type: "text", text: "good one" },
      { type: "text", text: "run three" },
    ]],
    ["assistant", null],
    ["tool", "1\n"],
    ["tool", expect.any(String)],
    ["tool", expect.any(String)],
  ]);
});

test("openaiCompletions() sends the images of tool results after all results of the turn", async () => {
  const [image] = caseMessages("C100").slice(-1).flatMap((message) =>
    message.role === "user" && typeof message.content !== "string" ? message.content : []
  );
  if (image?.type !== "image") throw new Error("the case has no image");
  const [question, answer] = caseMessages("C050");
  const result = (toolCallId: string, content: ToolResultMessage["content"]): Message => ({
    role: "toolResult",
    toolCallId,
    toolName: "read",
    content,
    isError: false,
    timestamp: 1,
  });
  const messages = await messagesSent([
    ...(question && answer ? [question, answer] : []),
    result("call_1", [image]),
    result("call_2", [{ type: "text", text: "2" }]),
    result("call_3", [image]),
  ]);
  const part = { type: "image_url", image_url: { url: `data:image/png;base64,${image.data}` } };
  expect(messages.slice(2)).toEqual([
    { role: "tool", tool_call_id: "call_1", content: "(see the image below)" },
    { role: "tool", tool_call_id: "call_2", content: "2" },
    { role: "tool", tool_call_id: "call_3", content: "(see the image below)" },
    {
      role: "user",
      content: [{ type: "text", text: "The images of the tool results above:" }, part, part],
    },
  ]);
});

test("openaiCompletions() sends no lone surrogates (C112)", async () => {
  const body = JSON.stringify(
    await sent([...caseMessages("C112"), user("next")], {
      systemPrompt: "half \udc00",
    }),
  );
  expect(body).not.toMatch(/\\ud[89a-f]/i);
  expect(body).toContain("cut here");
});

test("openaiCompletions() asks for the reasoning effort that the model knows", async () => {
  const rows: [string, ModelRequest["thinkingLevel"], string | undefined][] = [
    ["o3", "off", "low"],
    ["o3", "max", "high"],
    ["gpt-5", "off", "minimal"],
    ["gpt-5-pro", "low", "high"],
    ["gpt-5.1", "off", "none"],
    ["gpt-5.1", "minimal", "none"],
    ["gpt-5.2", "xhigh", "xhigh"],
    ["gpt-5.3-codex", "off", "low"],
    ["gpt-5.6-sol", "max", "max"],
    ["openai/gpt-6.2-sol", "max", "max"],
    ["qwen3", "off", undefined],
    ["qwen3", "xhigh", "high"],
  ];
  for (const [id, thinkingLevel, effort] of rows) {
    const body = await sent([user("x")], { thinkingLevel }, { facts: { id, reasoning: true } });
    expect([id, thinkingLevel, body["reasoning_effort"]]).toEqual([id, thinkingLevel, effort]);
  }
  expect((await sent([user("x")], { thinkingLevel: "high" }))["reasoning_effort"]).toBeUndefined();
});

test("openaiCompletions() keeps reasoning, and gives it back in the field that it came in", async () => {
  const text = 'data: {"choices":[{"delta":{"reasoning_content":"hm","content":""}}]}\n\n' +
    'data: {"choices":[{"delta":{"reasoning_content":"m","content":null}}]}\n\n' +
    'data: {"choices":[{"delta":{"content":[{"type":"text","text":"so"}]}}]}\n\n' +
    'data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,' +
    '"prompt_tokens_details":{"cached_tokens":4}}}\n\n' + DONE;
  await using server = await ScriptedServer.start([{ text }]);
  const model = testModel("openai-completions", server.url);
  const { message } = await hear(model, requestFor(model, [user("x")]));
  expect(message.content).toEqual([
    { type: "thinking", thinking: "hmm", thinkingSignature: "reasoning_content" },
    { type: "text", text: "so" },
  ]);
  const { input, output, cacheRead, totalTokens } = message.usage;
  expect({ input, output, cacheRead, totalTokens })
    .toEqual({ input: 6, output: 2, cacheRead: 4, totalTokens: 12 });
  await hear(model, requestFor(model, [user("x"), message, user("y")]));
  const [, answer] = server.bodies()[1]?.["messages"] as unknown[];
  expect(answer).toEqual({ role: "assistant", content: "so", reasoning_content: "hmm" });
});

test("openaiCompletions() tells apart calls that all have index 0, and calls without index and id", async () => {
  const piece = (call: object) =>
    `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [call] } }] })}\n\n`;
  const rows = [
    [
      { index: 0, id: "a", function: { name: "f", arguments: '{"n":' } },
      { index: 0, function: { arguments: "1}" } },
      { index: 0, id: "b", function: { name: "f", arguments: { n: 2 } } },
    ],
    [
      { function: { name: "f", arguments: '{"n":1}' } },
      { function: { name: "f", arguments: '{"n":2}' } },
    ],
    [
      { index: 0, id: "a", function: { arguments: '{"n"' } },
      { index: 1, id: "a", function: { name: "f", arguments: '{"n":2}' } },
      { index: 0, function: { name: "f", arguments: ":1}" } },
    ],
  ];
  for (const pieces of rows) {
    await using server = await ScriptedServer.start([{ text: pieces.map(piece).join("") + DONE }]);
    const model = testModel("openai-completions", server.url);
    const { message } = await hear(model, requestFor(model, [user("x")]));
    const calls = message.content.filter((block) => block.type === "toolCall");
    expect(calls.map((call) => call.arguments["n"]).sort()).toEqual([1, 2]);
    expect(new Set(calls.map((call) => call.id)).size).toBe(2);
  }
});

test("openaiCompletions() fails with the reason that the stream gives", async () => {
  const finish = (reason: string) =>
    `data: {"choices":[{"delta":{},"finish_reason":"${reason}"}]}\n\ndata: [DONE]\n\n`;
  const rows = [
    [finish("content_filter"), "refused"],
    [finish("error"), "overloaded"],
    [finish("model_context_window_exceeded"), "context_overflow"],
    ['data: {"error":{"message":"Provider returned error","code":502}}\n\n', "overloaded"],
    [
      'data: {"error":{"message":"the request exceeds the available context size"}}\n\n',
      "context_overflow",
    ],
    ["data: [DONE]\n\n", "dropped"],
    ['data: {"choices":[{"delta"\n\n', "dropped"],
    ["event: note\ndata: not JSON\n\n", "dropped"],
    ["", "dropped"],
  ];
  for (const [text = "", code] of rows) {
    await using server = await ScriptedServer.start([{ text }]);
    const model = testModel("openai-completions", server.url);
    const { error } = await hear(model, requestFor(model, [user("x")]));
    expect([text, error?.code]).toEqual([text, code]);
  }
});

test("openaiCompletions() tells an answer with text and a call", async () => {
  const mock = new LLMock({ port: 0 });
  mock.onMessage("weather", {
    content: "Looking.",
    toolCalls: [{ name: "weather", arguments: { city: "Zürich" } }],
  });
  await mock.start();
  try {
    const model = testModel("openai-completions", mock.url);
    const { message } = await hear(model, requestFor(model, [user("weather")]));
    expect(message.content.map((block) => ({ ...block, id: undefined }))).toEqual([
      { type: "text", text: "Looking.", id: undefined },
      { type: "toolCall", name: "weather", arguments: { city: "Zürich" }, id: undefined },
    ]);
    expect(message.stopReason).toBe("toolUse");
    expect(message.usage.totalTokens).toBeGreaterThan(0);
  } finally {
    await mock.stop();
  }
});
