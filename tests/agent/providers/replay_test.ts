import { expect, test } from "bun:test";
import { replayModel } from "../../../lib/agent/mod.ts";
import { type AssistantMessage, noUsage } from "../../../lib/session/mod.ts";
import { hear, user } from "../../support/models.ts";
import { InstantTimer } from "../../support/manual_timer.ts";

const REQUEST = { systemPrompt: "", messages: [], tools: [], thinkingLevel: "off" } as const;

function recorded(more: Partial<AssistantMessage>): AssistantMessage {
  return {
    role: "assistant",
    content: [],
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude",
    usage: { ...noUsage(), input: 10, output: 5, totalTokens: 15 },
    stopReason: "stop",
    timestamp: 1,
    ...more,
  };
}

const FIRST = recorded({
  content: [
    { type: "thinking", thinking: "hm", thinkingSignature: "sig" },
    { type: "text", text: "🦀".repeat(40) },
    { type: "toolCall", id: "c", name: "bash", arguments: { command: "ls" } },
  ],
  stopReason: "toolUse",
});

test("replayModel() gives the n-th call the n-th answer, and passes over failed ones", async () => {
  const model = replayModel({
    messages: [
      user("x"),
      FIRST,
      recorded({ stopReason: "error", content: [{ type: "text", text: "no" }] }),
      recorded({ stopReason: "aborted", content: [{ type: "text", text: "no" }] }),
      recorded({ stopReason: "length", content: [{ type: "text", text: "second" }] }),
    ],
    facts: { id: "file" },
    timer: new InstantTimer(7),
  });
  const own = { api: "replay", provider: "replay", model: "file", timestamp: 7 };
  const first = await hear(model, REQUEST);
  expect(first.message).toEqual({ ...FIRST, ...own });
  const second = await hear(model, REQUEST);
  expect(second.message).toMatchObject({
    ...own,
    content: [{ type: "text", text: "second" }],
    stopReason: "length",
  });
  const third = await hear(model, REQUEST);
  expect(third.error?.message).toBe(
    "Cannot get an answer from replay/file: the recording ends after 2 answers.",
  );
});

test("replayModel() tells an answer in pieces that join to the whole", async () => {
  const { events } = await hear(replayModel({ messages: [FIRST] }), REQUEST);
  const deltas = events.flatMap((event) => event.type === "text_delta" ? [event.delta] : []);
  expect(deltas.length).toBeGreaterThan(2);
  expect(deltas.every((delta) => delta.isWellFormed())).toBe(true);
  expect(deltas.join("")).toBe("🦀".repeat(40));
});

test("replayModel() stops when it is aborted", async () => {
  const abort = new AbortController();
  const events = [];
  for await (const event of replayModel({ messages: [FIRST] }).stream(REQUEST, abort.signal)) {
    events.push(event.type);
    if (event.type === "text_delta") abort.abort();
  }
  expect(events.at(-1)).toBe("failed");
  expect(events.filter((type) => type === "text_delta").length).toBe(1);
});
