import { expect, test } from "bun:test";
import { Agent, type Tool, type ToolResult } from "../../lib/agent/mod.ts";
import { fitResult, RESULT_TEXT_MAX } from "../../lib/agent/tool_result.ts";
import type { Message } from "../../lib/session/mod.ts";
import { HeldTimer } from "../support/manual_timer.ts";
import { scriptedModel } from "../support/scripted_model.ts";

/** A tool as plain JavaScript may write it: it gives back anything. */
function foreignTool(execute: () => unknown, more: Partial<Tool> = {}): Tool {
  const tool: Tool = {
    name: "foreign",
    description: "foreign",
    parameters: { type: "object" },
    execute: () => Promise.resolve({ content: [] }),
    ...more,
  };
  Reflect.set(tool, "execute", execute);
  return tool;
}

async function resultOf(tool: Tool): Promise<Message | undefined> {
  const model = scriptedModel([{ calls: [{ id: "a", name: tool.name }] }, { text: "done" }]);
  const end = await new Agent({ model, tools: [tool] }).prompt("go");
  expect(end.error).toBeUndefined();
  return end.messages.find(({ role }) => role === "toolResult");
}

test.each<[string, unknown]>([
  ["nothing", undefined],
  ["a text", "hello"],
  ["an object without content", { text: "hello" }],
  ["content that is no list", { content: "hello" }],
])("Agent answers the call of a tool that gives back %s with an error", async (_name, value) => {
  expect(await resultOf(foreignTool(() => value))).toMatchObject({
    isError: true,
    content: [{
      type: "text",
      text:
        'The tool foreign ran, but what it gave back is no result (an object with a list "content").',
    }],
  });
});

test("Agent takes the result of a tool that does not return a promise", async () => {
  const content = [{ type: "text", text: "at once" }];
  expect(await resultOf(foreignTool(() => ({ content })))).toMatchObject({ content });
});

test("fitResult() bounds all text of a result, and says how much is missing", () => {
  const [first, second, third] = ["a".repeat(RESULT_TEXT_MAX - 1), "bcd", "e"]
    .map((text) => ({ type: "text" as const, text }));
  expect(fitResult({ content: [first, second, third] }, "t")).toEqual({
    content: [
      { type: "text", text: "a".repeat(RESULT_TEXT_MAX - 1) },
      { type: "text", text: "b" },
      { type: "text", text: "[The result was too long: its last 3 characters are left out.]" },
    ],
  });
});

test("fitResult() leaves out blocks that are none, and images that nobody could be sent", () => {
  const image = { type: "image", data: "AAAA", mimeType: "image/png" };
  const big = { ...image, data: "A".repeat(5 * 1024 * 1024 + 4) };
  const content = [null, "text", { type: "text" }, { type: "audio", data: "x" }, image, big];
  expect(fitResult({ content, isError: "yes" }, "t")).toEqual({
    content: [
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "text", text: "[An image was left out: it is too big.]" },
    ],
    isError: false,
  });
});

test("fitResult() keeps a result whose details are too long, or no JSON", () => {
  const ring: Record<string, unknown> = {};
  ring["self"] = ring;
  const fitted = (details: unknown): ToolResult => fitResult({ content: [], details }, "t");
  expect(fitted({ exitCode: 0 }).details).toEqual({ exitCode: 0 });
  expect(fitted("x".repeat(2_000_000)).details).toEqual({
    leftOut: "too long: 2000002 characters",
  });
  expect(fitted(ring).details).toEqual({ leftOut: expect.stringMatching(/cyclic|circular/i) });
  expect(fitted(1n).details).toEqual({ leftOut: expect.stringMatching(/BigInt/) });
});

test("Agent stops the other calls of an answer when a result cannot be kept", async () => {
  const stopped = Promise.withResolvers<void>();
  const timer = new HeldTimer();
  const tools: Tool[] = [
    foreignTool(() => ({ content: [] }), { name: "quick" }),
    {
      ...foreignTool(() => undefined, { name: "long" }),
      execute: (_args, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            stopped.resolve();
            reject(new Error("stopped"));
          }, { once: true });
        }),
    },
  ];
  const model = scriptedModel([{
    calls: [{ id: "a", name: "quick" }, { id: "b", name: "long" }],
  }]);
  const agent = new Agent({
    model,
    tools,
    timer,
    hooks: {
      commit: (message) =>
        message.role === "toolResult"
          ? Promise.reject(new Error("the disk is full"))
          : Promise.resolve(),
    },
  });
  const end = await agent.prompt("go");
  await stopped.promise;
  expect(end.error?.message).toBe("the disk is full");
  expect(end.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
});
