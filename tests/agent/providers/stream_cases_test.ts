/** What public bug reports say goes wrong in streams, over the real SDK clients. */
import { expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { invalidArgumentsOf } from "../../../lib/agent/mod.ts";
import type { ToolCall } from "../../../lib/session/mod.ts";
import { caseDirectory } from "../../support/cases.ts";
import {
  hear,
  type Heard,
  requestFor,
  testModel,
  user,
  type WireFormat,
} from "../../support/models.ts";
import { type Plan, ScriptedServer } from "../../support/scripted_server.ts";

/** Asks once for each answer of a plan, a file of the case or given here. */
async function answers(
  name: string,
  plan: string | Plan,
  api: WireFormat = "openai-completions",
  count = 1,
): Promise<Heard[]> {
  const directory = caseDirectory(name);
  await using server = typeof plan === "string"
    ? await ScriptedServer.serve(directory, plan)
    : await ScriptedServer.start(plan, { directory });
  const model = testModel(api, server.url);
  const heard = [];
  for (let n = 0; n < count; n++) heard.push(await hear(model, requestFor(model, [user("x")])));
  expect(server.requests.length).toBe(count);
  return heard;
}

function textIn(heard: Heard | undefined): string {
  return heard?.message.content.map((block) => block.type === "text" ? block.text : "").join("") ??
    "";
}

function callsIn(heard: Heard | undefined): Pick<ToolCall, "id" | "name" | "arguments">[] {
  return (heard?.message.content ?? []).filter((block): block is ToolCall =>
    block.type === "toolCall"
  ).map(({ id, name, arguments: args }) => ({ id, name, arguments: args }));
}

test("stream() puts letters together that are spread over pieces (C078)", async () => {
  const [heard] = await answers("C078", "plan.json");
  expect(textIn(heard)).toBe("grüße 你好 🦀 é");
  const [written] = await answers("C078", "plan-bytewise.json");
  expect(callsIn(written)).toEqual([{
    id: "call_1",
    name: "write",
    arguments: { path: "u.txt", content: "grüße 你好 🦀 é" },
  }]);
});

test("stream() reads LF, CR and CRLF, byte-order marks, comments and split data (C080)", async () => {
  const heard = await answers("C080", "plan.json", "openai-completions", 3);
  expect(heard.map(textIn)).toEqual(["one two", "one two", "one two"]);
  const crlf = fs.readFileSync(path.join(caseDirectory("C080"), "crlf.sse"));
  const afterCr = [...crlf.keys()].filter((at) => crlf[at - 1] === 13);
  const [cut] = await answers("C080", [{ body: "crlf.sse", chunks: afterCr }]);
  expect(textIn(cut)).toBe("one two");
});

test("stream() fails with what came when there is no end mark (C081)", async () => {
  for (const end of ["close", "drop"] as const) {
    const [openai] = await answers("C081", [{ body: "openai.sse", end }]);
    const [anthropic] = await answers(
      "C081",
      [{ body: "anthropic.sse", end }],
      "anthropic-messages",
    );
    for (const heard of [openai, anthropic]) {
      expect(heard?.error?.code).toBe("dropped");
      expect(heard?.message.stopReason).toBe("error");
      expect(heard?.message.errorMessage).toBe(heard?.error?.message ?? "");
      expect(textIn(heard)).toBe("half an ans");
    }
  }
  const [tool] = await answers("C081", [{ body: "tool.sse" }]);
  expect(tool?.message.stopReason).toBe("error");
});

test("stream() takes a finish reason alone, or an end mark alone, for the end (C081)", async () => {
  const content = 'data: {"choices":[{"delta":{"content":"hi"}}]}\n\n';
  const finish = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n';
  for (const text of [content + finish, content + "data: [DONE]\n\n"]) {
    for (const end of ["close", "drop"] as const) {
      const [heard] = await answers("C081", [{ text, end }]);
      expect({ text: textIn(heard), stopReason: heard?.message.stopReason })
        .toEqual({ text: "hi", stopReason: "stop" });
    }
  }
});

test("stream() survives odd chunks and takes usage from inside the choice (C083)", async () => {
  const [heard] = await answers("C083", "plan.json");
  expect(textIn(heard)).toBe("fine");
  expect(heard?.message.stopReason).toBe("stop");
  const { input, output } = heard?.message.usage ?? {};
  expect({ input, output }).toEqual({ input: 11, output: 3 });
});

test("stream() keeps a block's first text and ignores unknown events (C085)", async () => {
  const [heard] = await answers("C085", "plan.json", "anthropic-messages");
  expect(heard?.message.content).toEqual([{ type: "text", text: "Hello" }]);
  const { input, output } = heard?.message.usage ?? {};
  expect({ input, output }).toEqual({ input: 30, output: 7 });
});

test("stream() tells calls apart that have no index (C087)", async () => {
  const [heard] = await answers("C087", "plan.json");
  expect(callsIn(heard)).toEqual([
    { id: "call_a", name: "bash", arguments: { command: "echo A" } },
    { id: "call_b", name: "bash", arguments: { command: "echo B" } },
  ]);
});

test("stream() makes up ids for calls without one, new ones each time (C089)", async () => {
  const heard = await answers("C089", [{ body: "body.sse" }], "openai-completions", 2);
  const calls = heard.flatMap(callsIn);
  expect(calls.map((call) => call.arguments)).toEqual([
    { command: "echo A" },
    { command: "echo B" },
    { command: "echo A" },
    { command: "echo B" },
  ]);
  expect(new Set(calls.map((call) => call.id)).size).toBe(4);
  expect(calls.every((call) => /^call_[0-9a-f]{24}$/.test(call.id))).toBe(true);
});

test("stream() keeps a call whole whose id changes from piece to piece (C090)", async () => {
  const [heard] = await answers("C090", "plan.json");
  expect(callsIn(heard)).toEqual([
    { id: "call_a", name: "bash", arguments: { command: "echo A" } },
  ]);
});

test("stream() takes null and missing fields for nothing new (C092)", async () => {
  const [heard] = await answers("C092", "plan.json");
  expect(heard?.message.content).toEqual([
    { type: "toolCall", id: "call_1", name: "bash", arguments: { command: "echo A" } },
  ]);
  expect(heard?.message.stopReason).toBe("toolUse");
});

test("stream() marks arguments that are no JSON, and stores none of them (C055)", async () => {
  const [cut, escape, empty] = await answers("C055", "plan.json", "openai-completions", 3);
  const raw = [cut, escape, empty].map((heard) => {
    const [call] = heard?.message.content ?? [];
    return call?.type === "toolCall" ? [call.arguments, invalidArgumentsOf(call)] : undefined;
  });
  expect(raw).toEqual([
    [{}, '{"command": "echo SHOULD-NOT-RUN > ran.txt", "timeout": 5'],
    [{}, '{"path": "t.tex", "content": "\\usepackage{x} and \\d"}'],
    [{}, undefined],
  ]);
  const stored = JSON.parse(JSON.stringify(cut?.message));
  expect(Object.keys(stored.content[0])).toEqual(["type", "id", "name", "arguments"]);
});

test("stream() keeps redacted thinking, and signed thinking without text (C098)", async () => {
  const [heard] = await answers("C098", "plan.json", "anthropic-messages");
  expect(heard?.message.content).toEqual([
    { type: "thinking", thinking: "", redacted: true, thinkingSignature: "RU5DMg==" },
    { type: "thinking", thinking: "", thinkingSignature: "c2lncGFydDI=" },
    { type: "text", text: "done" },
  ]);
});

test("stream() ends at the end mark though the connection stays open (C072)", async () => {
  for (
    const [body, api] of [["ok.sse", "openai-completions"], [
      "aok.sse",
      "anthropic-messages",
    ]] as const
  ) {
    const directory = caseDirectory("C072");
    await using server = await ScriptedServer.start([{ body, end: "hold" }], { directory });
    const model = testModel(api, server.url);
    const heard = await hear(model, requestFor(model, [user("x")]));
    expect(heard.message.stopReason).toBe("stop");
    while (server.connections > 0) await new Promise((resolve) => setImmediate(resolve));
  }
});
