import { expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import type { AssistantMessageEvent } from "../../lib/agent/mod.ts";
import type { AgentSessionEvent } from "../../lib/runtime/event.ts";
import { ROOT } from "../support/binary.ts";

/** The fields of each event, with a `?` where one may be absent; other ones do not compile. */
type FieldsOf<E extends { type: string }, Known extends keyof E> = {
  [T in E["type"]]: Fields<Extract<E, { type: T }>, Known>;
};
type Fields<E, Known> = {
  [K in Exclude<keyof E, Known>]-?: Partial<Record<K, E[K]>> extends Pick<E, K> ? "?" : "";
};

const EVENTS: FieldsOf<AgentSessionEvent, "type"> = {
  agent_start: {},
  turn_start: {},
  message_start: { message: "" },
  message_update: { usage: "?", assistantMessageEvent: "?" },
  message_end: { message: "", entryId: "?" },
  tool_execution_start: { toolCallId: "", toolName: "", args: "" },
  tool_execution_update: { toolCallId: "", toolName: "", partialResult: "" },
  tool_execution_end: {
    toolCallId: "",
    toolName: "",
    result: "",
    isError: "",
    durationMs: "",
    denied: "?",
  },
  turn_end: { message: "", toolResults: "" },
  agent_end: { messages: "", willRetry: "", error: "?" },
  agent_settled: { aborted: "" },
  queue_update: { steering: "", followUp: "" },
  entry_appended: { entry: "" },
  session_info_changed: { name: "" },
  model_changed: { provider: "", modelId: "" },
  thinking_level_changed: { level: "" },
  compaction_start: { reason: "" },
  compaction_end: { reason: "", result: "?", aborted: "", willRetry: "", errorMessage: "?" },
  auto_retry_start: {
    attempt: "",
    maxAttempts: "",
    delayMs: "",
    errorMessage: "",
    fallbackModel: "?",
  },
  auto_retry_end: { success: "", attempt: "", finalError: "?" },
  summarization_retry_scheduled: { attempt: "", maxAttempts: "", delayMs: "", errorMessage: "" },
  summarization_retry_attempt_start: { attempt: "" },
  summarization_retry_finished: { success: "" },
  bash_execution_update: { delta: "" },
};

const PARTS: FieldsOf<AssistantMessageEvent, "type" | "contentIndex"> = {
  text_start: {},
  text_delta: { delta: "" },
  text_end: {},
  thinking_start: {},
  thinking_delta: { delta: "" },
  thinking_end: {},
  toolcall_start: { id: "", name: "" },
  toolcall_delta: { delta: "" },
  toolcall_end: {},
};

/** What the tables whose first heading this is say: the fields of each of the named. */
function told(heading: string): Record<string, string[]> {
  const page = fs.readFileSync(path.join(ROOT, "docs/events.md"), "utf8");
  const lines = page.split("\n");
  const rows: Record<string, string[]> = {};
  let isInside = false;
  for (const line of lines) {
    const [, first = "", second = ""] = line.split("|").map((cell) => cell.trim());
    if (!line.startsWith("|")) isInside = false;
    else if (first === heading) isInside = true;
    else if (isInside && first.startsWith("`")) {
      // What follows a colon are values.
      const fields = second.split(":")[0] ?? "";
      for (const name of namesIn(first)) rows[name] = namesIn(fields);
    }
  }
  return rows;
}

function namesIn(cell: string): string[] {
  return [...cell.matchAll(/`([\w?]+)`/g)].map(([, name = ""]) => name);
}

function listed(events: Record<string, Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(events).map((
      [type, fields],
    ) => [type, Object.entries(fields).map(([name, mark]) => name + mark)]),
  );
}

test("events.md lists each event with its fields, and no other", () => {
  expect(told("event")).toEqual(listed(EVENTS));
});

test("events.md lists each part of an answer with its fields, and no other", () => {
  expect(told("type")).toEqual(listed(PARTS));
});
