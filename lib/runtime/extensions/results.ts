/** Reads what handlers return: foreign values, checked before anything is done with them. */
import type { ToolResult } from "../../agent/mod.ts";
import {
  type ImageContent,
  isRecord,
  type Message,
  type TextContent,
  type Usage,
} from "../../session/mod.ts";
import type {
  ExtensionEventName,
  ExtensionMessage,
  ExtensionResult,
  ExtensionResults,
  RoundWish,
} from "./api.ts";

/** What was read, or what was expected instead. */
export type Read<T> = { ok: true; value: T } | { ok: false; expected: string };

type Row = Record<string, unknown>;

function read<T>(value: T): Read<T> {
  return { ok: true, value };
}

function expected(what: string): { ok: false; expected: string } {
  return { ok: false, expected: what };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTextOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || isText(value);
}

function isImage(value: unknown): value is ImageContent {
  return isRecord(value) && value["type"] === "image" && isText(value["data"]) &&
    isText(value["mimeType"]);
}

function isBlocks(value: unknown): value is (TextContent | ImageContent)[] {
  return Array.isArray(value) &&
    value.every((block: unknown) =>
      isImage(block) || (isRecord(block) && block["type"] === "text" && isText(block["text"]))
    );
}

function isAnswerBlocks(value: unknown): boolean {
  return Array.isArray(value) && value.every((block: unknown) => {
    if (!isRecord(block)) return false;
    switch (block["type"]) {
      case "text":
        return isText(block["text"]);
      case "thinking":
        return isText(block["thinking"]);
      case "toolCall":
        return isText(block["id"]) && isText(block["name"]) && isRecord(block["arguments"]);
      default:
        return false;
    }
  });
}

function isMessage(value: unknown): value is Message {
  if (!isRecord(value)) return false;
  const { role, content } = value;
  switch (role) {
    case "user":
    case "custom":
    case "system":
      return isText(content) || isBlocks(content);
    case "assistant":
      return isAnswerBlocks(content) && isText(value["stopReason"]) && isRecord(value["usage"]);
    case "toolResult":
      return isText(value["toolCallId"]) && isText(value["toolName"]) && isBlocks(content);
    case "bashExecution":
      return isText(value["command"]) && isText(value["output"]);
    case "branchSummary":
    case "compactionSummary":
      return isText(value["summary"]);
    default:
      return false;
  }
}

/** Whether a value is a message that an extension may send. */
export function isExtensionMessage(value: unknown): value is ExtensionMessage {
  return isRecord(value) && isText(value["customType"]) &&
    (isText(value["content"]) || isBlocks(value["content"])) &&
    (value["display"] === undefined || typeof value["display"] === "boolean");
}

/** Whether a value is what a tool gives back. */
export function isToolResult(value: unknown): value is ToolResult {
  return isRecord(value) && isBlocks(value["content"]) && isFlagOrAbsent(value["isError"]);
}

function isFlagOrAbsent(value: unknown): value is boolean | undefined {
  return value === undefined || typeof value === "boolean";
}

function isUsage(value: unknown): value is Usage {
  if (!isRecord(value) || !isRecord(value["cost"])) return false;
  const counts = ["input", "output", "cacheRead", "cacheWrite", "totalTokens"];
  const costs = ["input", "output", "cacheRead", "cacheWrite", "total"];
  const cost = value["cost"];
  return counts.every((name) => Number.isFinite(value[name])) &&
    costs.every((name) => Number.isFinite(cost[name]));
}

function details(row: Row): { details?: unknown } {
  return row["details"] === undefined ? {} : { details: row["details"] };
}

function readCancel(value: unknown): Read<{ cancel: boolean }> {
  if (!isRecord(value) || typeof value["cancel"] !== "boolean") return expected("{ cancel: true }");
  return read({ cancel: value["cancel"] });
}

function readBlock(value: unknown): Read<{ block: string }> {
  if (!isRecord(value) || !isText(value["block"])) return expected('{ block: "the reason" }');
  return read({ block: value["block"] });
}

function readRound(value: unknown): Read<RoundWish> {
  const next = isRecord(value) ? value["next"] : null;
  if (next === undefined) return read({});
  if (next !== "another" && next !== "stop") return expected('{ next: "another" } or "stop"');
  return read({ next });
}

function readSummary<T extends object>(
  value: unknown,
  more: (row: Row) => T | undefined,
): Read<{ cancel: true } | ({ summary: string; details?: unknown } & T)> {
  if (isRecord(value)) {
    if (value["cancel"] === true) return read({ cancel: true });
    const { summary } = value;
    const rest = more(value);
    if (isText(summary) && summary.trim() !== "" && rest) {
      return read({ summary, ...details(value), ...rest });
    }
  }
  return expected('{ cancel: true } or { summary: "a text" }');
}

function readCompaction(value: unknown): Read<ExtensionResults["session_before_compact"]> {
  return readSummary(value, ({ firstKeptEntryId, usage }) => {
    if (!isTextOrAbsent(firstKeptEntryId) || !(usage === undefined || isUsage(usage))) {
      return undefined;
    }
    return {
      ...(firstKeptEntryId === undefined ? {} : { firstKeptEntryId }),
      ...(usage === undefined ? {} : { usage }),
    };
  });
}

function readInput(value: unknown): Read<ExtensionResults["input"]> {
  if (isRecord(value)) {
    if (value["taken"] === true) return read({ taken: true });
    const { text, images } = value;
    const areImages = images === undefined || (Array.isArray(images) && images.every(isImage));
    if (isTextOrAbsent(text) && areImages) {
      return read({
        ...(text === undefined ? {} : { text }),
        ...(images === undefined ? {} : { images }),
      });
    }
  }
  return expected("{ taken: true } or { text, images }");
}

function readAgentStart(value: unknown): Read<ExtensionResults["before_agent_start"]> {
  if (isRecord(value)) {
    const { messages, systemPrompt } = value;
    const areMessages = messages === undefined ||
      (Array.isArray(messages) && messages.every(isExtensionMessage));
    if (areMessages && isTextOrAbsent(systemPrompt)) {
      return read({
        ...(messages === undefined ? {} : { messages }),
        ...(systemPrompt === undefined ? {} : { systemPrompt }),
      });
    }
  }
  return expected("{ messages: [{ customType, content }], systemPrompt }");
}

function readContext(value: unknown): Read<ExtensionResults["context"]> {
  const messages = isRecord(value) ? value["messages"] : undefined;
  if (!Array.isArray(messages) || !messages.every(isMessage)) {
    return expected("{ messages } with messages as they stand in a session");
  }
  return read({ messages });
}

function readToolCall(value: unknown): Read<ExtensionResults["tool_call"]> {
  const blocked = readBlock(value);
  if (blocked.ok) return blocked;
  if (isRecord(value) && isRecord(value["args"])) return read({ args: value["args"] });
  return expected('{ block: "the reason" } or { args: {…} }');
}

function readToolResult(value: unknown): Read<ExtensionResults["tool_result"]> {
  if (isRecord(value)) {
    const { content, isError } = value;
    if ((content === undefined || isBlocks(content)) && isFlagOrAbsent(isError)) {
      return read({
        ...(content === undefined ? {} : { content }),
        ...(isError === undefined ? {} : { isError }),
        ...details(value),
      });
    }
  }
  return expected('{ content: [{ type: "text", text }], details, isError }');
}

function readSettle(value: unknown): Read<{ next?: "another" }> {
  const next = isRecord(value) ? value["next"] : null;
  if (next === undefined) return read({});
  return next === "another" ? read({ next }) : expected('{ next: "another" }');
}

/** What such a handler returns counts for nothing. */
function readNothing(): Read<undefined> {
  return read(undefined);
}

/** By event: reads what a handler returned, if it returned something. */
export const RESULT_READERS: {
  readonly [E in ExtensionEventName]: (value: unknown) => Read<ExtensionResult<E>>;
} = {
  session_start: readNothing,
  session_shutdown: readNothing,
  session_before_switch: readCancel,
  session_before_fork: readCancel,
  session_before_compact: readCompaction,
  session_compact: readNothing,
  session_compact_failed: readNothing,
  session_before_tree: (value) => readSummary(value, () => ({})),
  session_tree: readNothing,
  input: readInput,
  before_agent_start: readAgentStart,
  context: readContext,
  agent_start: readNothing,
  agent_end: readNothing,
  agent_before_settle: readSettle,
  turn_start: readNothing,
  turn_end: readRound,
  message_end: readNothing,
  tool_call: readToolCall,
  tool_result: readToolResult,
  model_select: readNothing,
  user_bash: readBlock,
};
