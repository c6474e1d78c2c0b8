/** A session file that has every entry type, two branches, and fields and types of others. */
import { noUsage } from "../../lib/session/message.ts";

const TIME = Date.parse("2026-03-02T09:00:00.000Z");

export const SAMPLE_HEADER = {
  type: "session",
  version: 3,
  id: "0195a000-0000-7000-8000-000000000001",
  timestamp: "2026-03-02T09:00:00.000Z",
  cwd: "/home/me/project",
};

function usage(totalTokens: number) {
  return { ...noUsage(), input: totalTokens, totalTokens };
}

function answer(content: object[], stopReason = "stop") {
  return {
    role: "assistant",
    content,
    api: "anthropic-messages",
    provider: "anthropic",
    model: "m-1",
    usage: usage(100),
    stopReason,
    timestamp: TIME,
  };
}

function result(toolCallId: string, text: string) {
  const content = [{ type: "text", text }];
  return {
    role: "toolResult",
    toolCallId,
    toolName: "bash",
    content,
    isError: false,
    timestamp: TIME,
  };
}

function call(id: string) {
  return { type: "toolCall", id, name: "bash", arguments: { command: "ls" } };
}

function user(content: string) {
  return { role: "user", content, timestamp: TIME };
}

/** Each entry without its id, parent and time; its parent is the one before, unless it says so. */
const BODIES: ({ parent?: number | null } & Record<string, unknown>)[] = [
  { type: "model_change", provider: "anthropic", modelId: "m-1" },
  { type: "thinking_level_change", thinkingLevel: "high" },
  { type: "message", message: user("Was ist das? 日本語 🌳 \u2028 line") },
  {
    type: "message",
    message: answer([
      { type: "thinking", thinking: "hm", thinkingSignature: "c2ln" },
      { type: "text", text: "Let me look." },
      call("call_1"),
      call("call_2"),
    ], "toolUse"),
  },
  { type: "message", message: result("call_1", "a.txt\nb.txt") },
  { type: "message", message: result("call_2", "c.txt") },
  { type: "message", message: answer([{ type: "text", text: "Three files." }]) },
  { type: "label", targetId: 3, label: "start" },
  { type: "session_info", name: "Three files" },
  {
    type: "message",
    message: {
      role: "bashExecution",
      command: "date",
      output: "today",
      exitCode: 0,
      cancelled: false,
      truncated: false,
      timestamp: TIME,
    },
  },
  { type: "custom", customType: "todo", data: { items: [1, 2, { deep: null }] } },
  { type: "custom_message", customType: "note", content: "remember", display: true },
  { type: "context_edit", targetId: 10, replacement: null },
  {
    type: "compaction",
    summary: "They looked at three files.",
    firstKeptEntryId: 7,
    tokensBefore: 1000,
    checkpoint: { model: { provider: "anthropic", modelId: "m-1" }, thinkingLevel: "high" },
  },
  { type: "usage", kind: "compaction", provider: "anthropic", model: "m-1", usage: usage(7) },
  { type: "message", message: user("And now?") },
  { type: "message", message: answer([{ type: "text", text: "Now this." }]), fromPi: { x: 1 } },
  { type: "branch_summary", parent: 7, summary: "They asked on.", fromId: 17 },
  { type: "message", message: user("The other way"), futureField: "kept" },
  { type: "note_of_the_future", text: "an entry type that nobody knows yet" },
  { type: "leaf", parent: 17, targetId: 17, fromId: 20 },
];

function idOf(number: number): string {
  return `a${number.toString(16).padStart(7, "0")}`;
}

/** The lines of the sample, the header first, without their line ends. */
export function sampleLines(): string[] {
  const lines = [JSON.stringify(SAMPLE_HEADER)];
  for (const [at, { parent, type, ...body }] of BODIES.entries()) {
    const parentNumber = parent === undefined ? at : parent;
    const fields = Object.entries(body).map(([name, value]) =>
      /^(targetId|fromId|firstKeptEntryId)$/.test(name) && typeof value === "number"
        ? [name, idOf(value)]
        : [name, value]
    );
    lines.push(JSON.stringify({
      type,
      id: idOf(at + 1),
      parentId: parentNumber ? idOf(parentNumber) : null,
      timestamp: new Date(TIME + at * 1000).toISOString(),
      ...Object.fromEntries(fields),
    }));
  }
  return lines;
}

/** The sample as a file. */
export function sampleText(): string {
  return sampleLines().map((line) => `${line}\n`).join("");
}
