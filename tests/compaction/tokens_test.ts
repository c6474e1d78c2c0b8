import { expect, test } from "bun:test";
import {
  type BranchContext,
  contextTokens,
  estimateMessage,
  estimateOverhead,
} from "../../lib/compaction/mod.ts";
import { type Message, noUsage, type SessionEntry } from "../../lib/session/mod.ts";
import { assistant, branchOf, toolResult, user } from "../support/conversation.ts";

const base = { parentId: null, timestamp: "2026-01-01T00:00:00.000Z" };

function withEntry(context: BranchContext, entry: SessionEntry): BranchContext {
  return { ...context, branch: [...context.branch, entry] };
}

test("estimateMessage() counts what a request would hold of each message", () => {
  const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
  const bash: Message = {
    role: "bashExecution",
    command: "ls",
    output: "123456",
    exitCode: 0,
    cancelled: false,
    truncated: false,
    timestamp: 1,
  };
  const rows: [string, Message, number][] = [
    ["four characters a token, rounded up", user("12345"), 2],
    ["an image", user([{ type: "text", text: "1234" }, image, image]), 2401],
    ["text, thinking and calls", assistant("1234", { thinking: "12345678" }), 3],
    ["a call's name and arguments", assistant("", { calls: [["c", "read", { a: 1 }]] }), 3],
    ["a failed answer is not sent", assistant("12345678", { stopReason: "error" }), 0],
    [
      "an aborted answer loses its calls",
      assistant("1234", { calls: [["c", "read", { a: 1 }]], stopReason: "aborted" }),
      1,
    ],
    ["a tool result", toolResult("c", "read", "12345678"), 2],
    ["a shell command", bash, 2],
    ["a shell command kept out", { ...bash, excludeFromContext: true }, 0],
    ["a branch summary", { role: "branchSummary", summary: "1234", fromId: "a", timestamp: 1 }, 1],
    ["a system message is not sent", { role: "system", content: "1234", timestamp: 1 }, 0],
  ];
  expect(rows.map(([title, message]) => [title, estimateMessage(message)])).toEqual(
    rows.map(([title, , tokens]) => [title, tokens]),
  );
});

test("estimateOverhead() counts the system prompt and the tools", () => {
  const tools = [{ name: "read", description: "Reads.", parameters: {} }];
  expect(estimateOverhead({ systemPrompt: "12345678", tools })).toBe(5);
});

test("contextTokens() takes the last reported usage and estimates what came after", () => {
  const context = branchOf(
    user("x".repeat(4000)),
    assistant("old", { tokens: 90 }),
    user("again"),
    assistant("", { calls: [["c", "read"]], tokens: 500 }),
    toolResult("c", "read", "12345678"),
  );
  expect(contextTokens(context, 1000)).toEqual({ tokens: 502, reported: 500, estimated: 2 });
});

test("contextTokens() estimates all, the overhead too, where no usage is known", () => {
  const context = branchOf(user("12345678"), assistant("1234"));
  expect(contextTokens(context, 1000)).toEqual({ tokens: 1003, reported: 0, estimated: 1003 });
});

test("contextTokens() passes over the usage of failed and aborted answers", () => {
  const context = branchOf(
    user("1234"),
    assistant("1234", { tokens: 70 }),
    assistant("1234", { tokens: 9000, stopReason: "error" }),
    assistant("1234", { tokens: 9000, stopReason: "aborted" }),
  );
  expect(contextTokens(context, 1000)).toEqual({ tokens: 71, reported: 70, estimated: 1 });
});

test("contextTokens() does not believe a usage of more than 256 characters a token", () => {
  const long = user("x".repeat(256 * 100));
  const believed = branchOf(long, assistant("", { tokens: 100 }));
  expect(contextTokens(believed, 10)).toEqual({ tokens: 100, reported: 100, estimated: 0 });
  const not = branchOf(long, assistant("", { tokens: 99 }));
  expect(contextTokens(not, 10)).toEqual({ tokens: 6410, reported: 0, estimated: 6410 });
});

test("contextTokens() adds up the parts of a usage without a total", () => {
  const answer = assistant("1234");
  answer.usage = { ...noUsage(), input: 10, output: 5, cacheRead: 100, cacheWrite: 1 };
  expect(contextTokens(branchOf(user("1234"), answer), 0).reported).toBe(116);
});

test("contextTokens() does not count a usage from before a compaction or an edit", () => {
  const context = branchOf(user("12345678"), assistant("1234", { tokens: 5000 }));
  const estimated = { tokens: 13, reported: 0, estimated: 13 };
  const compaction: SessionEntry = {
    type: "compaction",
    id: "c",
    ...base,
    summary: "s",
    firstKeptEntryId: "m1",
    tokensBefore: 1,
  };
  const edit: SessionEntry = {
    type: "context_edit",
    id: "e",
    ...base,
    targetId: "m1",
    replacement: { content: "12345678" },
  };
  expect(contextTokens(withEntry(context, compaction), 10)).toEqual(estimated);
  expect(contextTokens(withEntry(context, edit), 10)).toEqual(estimated);
});
