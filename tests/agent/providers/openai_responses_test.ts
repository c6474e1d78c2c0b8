import { expect, test } from "bun:test";
import { LLMock } from "@copilotkit/aimock";
import type { ModelErrorCode } from "../../../lib/agent/mod.ts";
import type { Message, StopReason } from "../../../lib/session/mod.ts";
import { caseMessages } from "../../support/cases.ts";
import { hear, requestFor, testModel, user } from "../../support/models.ts";
import { ScriptedServer } from "../../support/scripted_server.ts";
import { bodySender } from "../../support/sent_body.ts";

function stream(...events: object[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}

const COMPLETED = { type: "response.completed", response: { status: "completed" } };

/** The body of the request that a context leads to. */
const sent = bodySender("openai-responses", { path: "/v1/responses", reply: stream(COMPLETED) });

test("openaiResponses() sends the context, stored nowhere, with the cache's key", async () => {
  const schema = { type: "object" };
  const body = await sent([user("one")], {
    systemPrompt: "S",
    tools: [{ name: "bash", description: "runs", parameters: schema }],
    maxTokens: 1,
    sessionId: "session",
    thinkingLevel: "high",
    outputSchema: { name: "n", schema },
  }, { facts: { id: "gpt-6", reasoning: true } });
  expect(body).toEqual({
    model: "gpt-6",
    input: [{ role: "user", content: [{ type: "input_text", text: "one" }] }],
    stream: true,
    store: false,
    instructions: "S",
    max_output_tokens: 16,
    tools: [{
      type: "function",
      name: "bash",
      description: "runs",
      parameters: schema,
      strict: false,
    }],
    reasoning: { effort: "high", summary: "auto" },
    include: ["reasoning.encrypted_content"],
    prompt_cache_key: "session",
    text: { format: { type: "json_schema", name: "n", schema, strict: false } },
  });
});

const REASONING = {
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text: "First." }, { type: "summary_text", text: "Second." }],
  encrypted_content: "ENC",
};
const MESSAGE = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  phase: "commentary",
  content: [{ type: "output_text", text: "Looking.", annotations: [] }],
};
const CALL = {
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "bash",
  arguments: '{"command":"ls"}',
};

function summary(delta: string) {
  return { type: "response.reasoning_summary_text.delta", output_index: 0, delta };
}

const ANSWER = stream(
  { type: "response.created", response: {} },
  { type: "response.output_item.added", output_index: 0, item: { type: "reasoning", id: "rs_1" } },
  summary("Fir"),
  summary("st."),
  { type: "response.reasoning_summary_part.done", output_index: 0 },
  summary("Second."),
  { type: "response.reasoning_summary_part.done", output_index: 0 },
  { type: "response.output_item.done", output_index: 0, item: REASONING },
  { type: "response.output_item.added", output_index: 1, item: { type: "message", id: "msg_1" } },
  { type: "response.output_text.delta", output_index: 1, delta: "Looking." },
  { type: "response.output_item.done", output_index: 1, item: MESSAGE },
  { type: "response.output_item.added", output_index: 2, item: { ...CALL, arguments: "" } },
  { type: "response.function_call_arguments.delta", output_index: 2, delta: '{"command":' },
  { type: "response.function_call_arguments.delta", output_index: 2, delta: '"ls"}' },
  { type: "response.output_item.done", output_index: 2, item: CALL },
  { type: "response.some_new_event", output_index: 3 },
  {
    type: "response.completed",
    response: {
      status: "completed",
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
        output_tokens: 7,
      },
    },
  },
);

test("openaiResponses() keeps reasoning, ids and phases, and gives them back to the same model", async () => {
  await using server = await ScriptedServer.start([{ text: ANSWER, end: "hold" }]);
  const model = testModel("openai-responses", server.url);
  const { message } = await hear(model, requestFor(model, [user("x")]));
  expect(message.content).toEqual([
    {
      type: "thinking",
      thinking: "First.\n\nSecond.",
      thinkingSignature: JSON.stringify(REASONING),
    },
    {
      type: "text",
      text: "Looking.",
      textSignature: '{"v":1,"id":"msg_1","phase":"commentary"}',
    },
    { type: "toolCall", id: "call_1|fc_1", name: "bash", arguments: { command: "ls" } },
  ]);
  expect(message.stopReason).toBe("toolUse");
  const { input, output, cacheRead, cacheWrite } = message.usage;
  expect({ input, output, cacheRead, cacheWrite })
    .toEqual({ input: 50, output: 7, cacheRead: 30, cacheWrite: 20 });

  const result: Message = {
    role: "toolResult",
    toolCallId: "call_1|fc_1",
    toolName: "bash",
    content: [{ type: "text", text: "a.txt" }],
    isError: false,
    timestamp: 1,
  };
  await hear(model, requestFor(model, [user("x"), message, result]));
  expect(server.bodies()[1]?.["input"]).toEqual([
    { role: "user", content: [{ type: "input_text", text: "x" }] },
    REASONING,
    MESSAGE,
    CALL,
    { type: "function_call_output", call_id: "call_1", output: "a.txt" },
  ]);

  const other = testModel("openai-responses", server.url, { facts: { id: "other" } });
  await hear(other, requestFor(other, [user("x"), message, result]));
  expect(server.bodies()[2]?.["input"]).toEqual([
    { role: "user", content: [{ type: "input_text", text: "x" }] },
    { role: "assistant", content: "Looking." },
    { type: "function_call", call_id: "call_1", name: "bash", arguments: '{"command":"ls"}' },
    { type: "function_call_output", call_id: "call_1", output: "a.txt" },
  ]);
});

test("openaiResponses() takes from a finished item what no delta brought", async () => {
  const done = (output_index: number, item: object) => ({
    type: "response.output_item.done",
    output_index,
    item,
  });
  const text = stream(done(0, REASONING), done(1, MESSAGE), done(2, CALL), COMPLETED);
  await using server = await ScriptedServer.start([{ text }]);
  const model = testModel("openai-responses", server.url);
  const { message } = await hear(model, requestFor(model, [user("x")]));
  expect(message.content).toMatchObject([
    { type: "thinking", thinking: "First.\n\nSecond." },
    { type: "text", text: "Looking." },
    { type: "toolCall", id: "call_1|fc_1", arguments: { command: "ls" } },
  ]);
});

test("openaiResponses() gives an image of a tool result back in the result (C100)", async () => {
  const [good] = caseMessages("C100").slice(-1);
  const [question, answer] = caseMessages("C050");
  if (good?.role !== "user" || typeof good.content === "string" || !question || !answer) {
    throw new Error("the cases have changed");
  }
  const body = await sent([question, answer, {
    role: "toolResult",
    toolCallId: "call_1",
    toolName: "read",
    content: good.content,
    isError: false,
    timestamp: 1,
  }]);
  const outputs = (body["input"] as Record<string, unknown>[]).map((item) => item["output"]);
  expect(outputs[4]).toEqual([
    {
      type: "input_image",
      image_url: expect.stringMatching(/^data:image\/png;base64,iVB/),
      detail: "auto",
    },
    { type: "input_text", text: "good one" },
  ]);
});

test("openaiResponses() fails with the reason that the stream gives, and keeps a cut answer", async () => {
  const rows: [object, ModelErrorCode | undefined, StopReason][] = [
    [
      { type: "response.failed", response: { error: { code: "server_error", message: "oh" } } },
      "overloaded",
      "error",
    ],
    [{ type: "error", code: "rate_limit_exceeded", message: "slow" }, "rate_limited", "error"],
    [
      { type: "error", error: { code: "context_length_exceeded", message: "long" } },
      "context_overflow",
      "error",
    ],
    [incomplete("content_filter"), "refused", "error"],
    [incomplete("max_output_tokens"), undefined, "length"],
    [{ type: "response.in_progress" }, "dropped", "error"],
  ];
  for (const [event, code, stopReason] of rows) {
    await using server = await ScriptedServer.start([{ text: stream(event) }]);
    const model = testModel("openai-responses", server.url);
    const { error, message } = await hear(model, requestFor(model, [user("x")]));
    expect([event, error?.code, message.stopReason]).toEqual([event, code, stopReason]);
  }
});

function incomplete(reason: string) {
  return {
    type: "response.incomplete",
    response: { status: "incomplete", incomplete_details: { reason } },
  };
}

test("openaiResponses() tells an answer with text and a call", async () => {
  const mock = new LLMock({ port: 0 });
  mock.onMessage("weather", {
    content: "Looking.",
    toolCalls: [{ name: "weather", arguments: { city: "Zürich" } }],
  });
  await mock.start();
  try {
    const model = testModel("openai-responses", mock.url);
    const { message } = await hear(model, requestFor(model, [user("weather")]));
    expect(message.content.map((block) => block.type)).toEqual(["text", "toolCall"]);
    expect(message.content[1]).toMatchObject({ name: "weather", arguments: { city: "Zürich" } });
    expect(message.stopReason).toBe("toolUse");
  } finally {
    await mock.stop();
  }
});
