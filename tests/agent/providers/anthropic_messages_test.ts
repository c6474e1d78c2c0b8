import { expect, test } from "bun:test";
import { LLMock } from "@copilotkit/aimock";
import type { ModelRequest } from "../../../lib/agent/mod.ts";
import { caseMessages } from "../../support/cases.ts";
import { hear, requestFor, testModel, user } from "../../support/models.ts";
import { ScriptedServer } from "../../support/scripted_server.ts";
import { bodySender } from "../../support/sent_body.ts";

const STOP = 'data: {"type":"message_stop"}\n\n';

/** The body of the request that a context leads to. */
const sent = bodySender("anthropic-messages", { path: "/v1/messages", reply: STOP });

const MARK = { cache_control: { type: "ephemeral" } };

test("anthropicMessages() marks system, tools and the last two user turns for the cache", async () => {
  const body = await sent(
    [user("one"), user("joined"), ...caseMessages("C098").slice(1), user("two")],
    {
      systemPrompt: "S",
      tools: [{ name: "bash", description: "runs", parameters: { type: "object" } }],
    },
  );
  expect(body).toEqual({
    model: "m",
    max_tokens: 32_000,
    stream: true,
    system: [{ type: "text", text: "S", ...MARK }],
    tools: [{ name: "bash", description: "runs", input_schema: { type: "object" }, ...MARK }],
    messages: [
      {
        role: "user",
        content: [{ type: "text", text: "one" }, { type: "text", text: "joined", ...MARK }],
      },
      {
        role: "assistant",
        content: [
          { type: "redacted_thinking", data: "RU5DUllQVEVE" },
          { type: "thinking", thinking: "", signature: "c2lnLWVtcHR5" },
          { type: "tool_use", id: "toolu_1", name: "bash", input: { command: "true" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "ok" }] },
          { type: "text", text: "two", ...MARK },
        ],
      },
    ],
  });
});

test("anthropicMessages() marks nothing when it should not", async () => {
  const body = await sent([user("one")], { systemPrompt: "S", cache: false });
  expect(JSON.stringify(body)).not.toContain("cache_control");
});

test("anthropicMessages() sends no empty block and no empty message (C096)", async () => {
  const body = await sent([...caseMessages("C096"), user("next")]);
  expect(body["messages"]).toEqual([
    { role: "user", content: [{ type: "text", text: "hello", ...MARK }] },
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "toolu_1", name: "bash", input: { command: "true" } }],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "toolu_1",
          content: [{ type: "text", text: "ok" }],
        },
        { type: "text", text: "again" },
        { type: "text", text: "next", ...MARK },
      ],
    },
  ]);
});

test("anthropicMessages() puts all results of a turn first in one message (C050)", async () => {
  const body = await sent([...caseMessages("C050"), user("next")]);
  const [, , results] = body["messages"] as { content: Record<string, unknown>[] }[];
  expect(results?.content.map(({ type, tool_use_id, is_error }) => [type, tool_use_id, is_error]))
    .toEqual([
      ["tool_result", "call_1", undefined],
      ["tool_result", "call_2", true],
      ["tool_result", "call_3", true],
      ["text", undefined, undefined],
      ["text", undefined, undefined],
    ]);
});

test("anthropicMessages() maps ids of other providers alike in call and result (C099)", async () => {
  const body = await sent([...caseMessages("C099"), user("next")]);
  const [, answer, results] = body["messages"] as { content: Record<string, string>[] }[];
  const ids = answer?.content.map((block) => block["id"] ?? "") ?? [];
  expect(ids.every((id) => /^[a-zA-Z0-9_-]{1,64}$/.test(id))).toBe(true);
  expect(new Set(ids).size).toBe(2);
  expect(results?.content.map((block) => block["tool_use_id"] ?? block["text"]))
    .toEqual([...ids, "thanks", "next"]);
});

test("anthropicMessages() asks for thinking as the model takes it", async () => {
  const rows: [string, ModelRequest["thinkingLevel"], unknown, unknown][] = [
    ["claude-sonnet-4-5", "off", undefined, undefined],
    ["claude-sonnet-4-5", "low", { type: "enabled", budget_tokens: 4_096 }, undefined],
    ["claude-sonnet-4-5", "max", { type: "enabled", budget_tokens: 27_904 }, undefined],
    ["claude-opus-4-6", "off", undefined, undefined],
    ["claude-opus-4-6", "minimal", ADAPTIVE, { effort: "low" }],
    ["claude-opus-4-6", "xhigh", ADAPTIVE, { effort: "high" }],
    ["claude-opus-4-7", "xhigh", ADAPTIVE, { effort: "xhigh" }],
    ["claude-opus-5", "off", { type: "disabled" }, undefined],
    ["claude-opus-5-5", "off", undefined, { effort: "low" }],
    ["claude-sonnet-5-5", "off", { type: "between_tools" }, undefined],
    ["claude-haiku-5-5", "max", ADAPTIVE, { effort: "max" }],
    ["claude-fable-5", "off", undefined, { effort: "low" }],
    ["local-model", "medium", { type: "enabled", budget_tokens: 10_240 }, undefined],
  ];
  for (const [id, thinkingLevel, thinking, output] of rows) {
    const body = await sent([user("x")], { thinkingLevel }, { facts: { id, reasoning: true } });
    expect([id, thinkingLevel, body["thinking"], body["output_config"]])
      .toEqual([id, thinkingLevel, thinking, output]);
  }
});

const ADAPTIVE = { type: "adaptive", display: "summarized" };

test("anthropicMessages() starts no budgeted thinking in the middle of a turn without", async () => {
  const options = { facts: { reasoning: true } };
  const foreign = await sent(caseMessages("C099").slice(0, -1), { thinkingLevel: "high" }, options);
  expect(foreign["thinking"]).toBeUndefined();
  const own = await sent(caseMessages("C098"), { thinkingLevel: "high" }, options);
  expect(own["thinking"]).toEqual({ type: "enabled", budget_tokens: 20_480 });
});

test("anthropicMessages() asks for no longer an answer than the window has room for", async () => {
  const long = user("x".repeat(540_000));
  expect((await sent([long]))["max_tokens"]).toBe(200_000 - 180_001);
  expect((await sent([user("x")], { maxTokens: 100 }))["max_tokens"]).toBe(100);
});

test("anthropicMessages() hands a strict output schema on, and no other", async () => {
  const strict = { type: "object", properties: {}, required: [], additionalProperties: false };
  const body = await sent([user("x")], { outputSchema: { name: "n", schema: strict } });
  expect(body["output_config"]).toEqual({ format: { type: "json_schema", schema: strict } });
  const loose = await sent([user("x")], {
    outputSchema: { name: "n", schema: { type: "object" } },
  });
  expect(loose["output_config"]).toBeUndefined();
});

test("anthropicMessages() counts cache reads and writes, and their cost", async () => {
  const usage = (fields: object) => JSON.stringify(fields);
  await using server = await ScriptedServer.start([{
    text: `data: {"type":"message_start","message":{"usage":${
      usage({
        input_tokens: 10,
        cache_read_input_tokens: 1_000,
        cache_creation_input_tokens: 100,
        output_tokens: 1,
      })
    }}}\n\ndata: {"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":${
      usage({ input_tokens: 0, output_tokens: 50 })
    }}\n\n${STOP}`,
  }]);
  const cost = { input: 1, output: 2, cacheRead: 4, cacheWrite: 8 };
  const model = testModel("anthropic-messages", server.url, { facts: { cost } });
  const { message } = await hear(model, requestFor(model, [user("x")]));
  expect(message.stopReason).toBe("length");
  expect(message.usage).toEqual({
    input: 10,
    output: 50,
    cacheRead: 1_000,
    cacheWrite: 100,
    totalTokens: 1_160,
    cost: { input: 1e-5, output: 1e-4, cacheRead: 4e-3, cacheWrite: 8e-4, total: 4.91e-3 },
  });
});

test("anthropicMessages() fails with the reason when the model refuses or the window is full", async () => {
  const codes = [
    ["refusal", "refused"],
    ["model_context_window_exceeded", "context_overflow"],
  ] as const;
  for (const [reason, code] of codes) {
    await using server = await ScriptedServer.start([
      { text: `data: {"type":"message_delta","delta":{"stop_reason":"${reason}"}}\n\n${STOP}` },
    ]);
    const model = testModel("anthropic-messages", server.url);
    expect((await hear(model, requestFor(model, [user("x")]))).error?.code).toBe(code);
  }
});

test("anthropicMessages() fails with an error that comes in the stream", async () => {
  await using server = await ScriptedServer.start([{
    text: 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error",' +
      '"message":"Overloaded"}}\n\n',
  }]);
  const model = testModel("anthropic-messages", server.url);
  const { error } = await hear(model, requestFor(model, [user("x")]));
  expect([error?.code, error?.message]).toEqual([
    "overloaded",
    "Cannot get an answer from localA/m: Overloaded.",
  ]);
});

test("anthropicMessages() tells an answer with text and a call, event by event", async () => {
  const mock = new LLMock({ port: 0 });
  mock.onMessage("weather", {
    content: "Looking.",
    toolCalls: [{ name: "weather", arguments: { city: "Zürich" } }],
  });
  await mock.start();
  try {
    const model = testModel("anthropic-messages", mock.url);
    const { events, message } = await hear(model, requestFor(model, [user("weather")]));
    expect(message.content.map((block) => ({ ...block, id: undefined }))).toEqual([
      { type: "text", text: "Looking.", id: undefined },
      { type: "toolCall", name: "weather", arguments: { city: "Zürich" }, id: undefined },
    ]);
    expect(message.stopReason).toBe("toolUse");
    const kinds = events.map((event) => event.type);
    expect([...new Set(kinds)].filter((kind) => kind !== "usage")).toEqual([
      "start",
      "text_start",
      "text_delta",
      "text_end",
      "toolcall_start",
      "toolcall_delta",
      "toolcall_end",
      "done",
    ]);
  } finally {
    await mock.stop();
  }
});
