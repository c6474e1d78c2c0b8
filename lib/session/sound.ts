/**
 * Makes a parsed line safe to use as the entry that its type promises: what is missing or of the
 * wrong kind reads as empty, so that nobody downstream meets a null where a list should be. Fields
 * that are not known here stay as they are.
 */
import type { Buffer } from "node:buffer";
import type { SessionEntry } from "./entry.ts";
import { noUsage } from "./message.ts";
import { isRecord, type JsonObject } from "./record.ts";

/** The value of JSON text; undefined if it is no JSON, or longer than a string can be. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    // The caller reports the line as damage; the parser's words would not help a person.
    return undefined;
  }
}

/** The entry that a parsed line stands for (which is changed in place), or undefined if none. */
export function soundEntry(line: JsonObject): SessionEntry | undefined {
  if (typeof line["parentId"] !== "string") line["parentId"] = null;
  if (typeof line["timestamp"] !== "string") line["timestamp"] = new Date(0).toISOString();
  switch (line["type"]) {
    case "message":
      line["message"] = soundMessage(line["message"]);
      break;
    case "custom_message":
      if (!isContent(line["content"])) line["content"] = blocksOf(line["content"]);
      text(line, "customType");
      line["display"] = line["display"] === true;
      break;
    case "compaction":
      text(line, "summary", "firstKeptEntryId");
      if (typeof line["tokensBefore"] !== "number") line["tokensBefore"] = 0;
      if ("retainedTail" in line) soundTail(line);
      break;
    case "branch_summary":
      text(line, "summary", "fromId");
      break;
    case "context_edit":
      text(line, "targetId");
      soundReplacement(line);
      break;
    case "session_info":
      text(line, "name");
      break;
    case "label":
      text(line, "targetId");
      if (typeof line["label"] !== "string") delete line["label"];
      break;
    case "model_change":
      text(line, "provider", "modelId");
      break;
    case "custom":
      text(line, "customType");
      break;
    case "usage":
      text(line, "kind", "provider", "model");
      line["usage"] = soundUsage(line["usage"]);
      break;
    case "leaf":
      soundLeaf(line);
      break;
  }
  return isEntry(line) ? line : undefined;
}

/** What makes a line an entry; the fields of its type have been seen to. */
function isEntry(line: unknown): line is SessionEntry {
  return isRecord(line) && typeof line["type"] === "string" && typeof line["id"] === "string";
}

function text(line: JsonObject, ...fields: string[]): void {
  for (const field of fields) if (typeof line[field] !== "string") line[field] = "";
}

function soundLeaf(line: JsonObject): void {
  if (typeof line["targetId"] !== "string") line["targetId"] = null;
  if (typeof line["fromId"] !== "string") line["fromId"] = null;
}

/** An edit that says nothing sensible edits nothing. */
function soundReplacement(line: JsonObject): void {
  const replacement = line["replacement"];
  if (replacement === null) return;
  if (!isRecord(replacement)) delete line["replacement"];
  else if (!isContent(replacement["content"])) {
    replacement["content"] = blocksOf(replacement["content"]);
  }
}

function soundTail(line: JsonObject): void {
  const tail = line["retainedTail"];
  if (Array.isArray(tail)) line["retainedTail"] = tail.filter(isRecord).map(soundMessage);
  else delete line["retainedTail"];
}

function isContent(value: unknown): boolean {
  return typeof value === "string" || (Array.isArray(value) && value.every(isBlock));
}

/** A block's own fields are what its type says. */
function isBlock(value: unknown): boolean {
  if (!isRecord(value)) return false;
  switch (value["type"]) {
    case "text":
      return typeof value["text"] === "string";
    case "thinking":
      return typeof value["thinking"] === "string";
    case "image":
      return typeof value["data"] === "string" && typeof value["mimeType"] === "string";
    case "toolCall":
      return typeof value["id"] === "string" && typeof value["name"] === "string" &&
        isRecord(value["arguments"]);
    default:
      return typeof value["type"] === "string";
  }
}

/** What can be used of a content, as blocks. */
function blocksOf(value: unknown): unknown[] {
  if (typeof value === "string") return [{ type: "text", text: value }];
  return Array.isArray(value) ? value.map(soundBlock).filter(isBlock) : [];
}

/** A call whose arguments are missing is a call without arguments. */
function soundBlock(value: unknown): unknown {
  if (!isRecord(value) || value["type"] !== "toolCall" || isRecord(value["arguments"])) {
    return value;
  }
  return { ...value, arguments: {} };
}

/** A message whose `content` (and, from a model, `usage`) can be relied on. */
function soundMessage(value: unknown): JsonObject {
  if (!isRecord(value)) return { role: "system", content: "", timestamp: 0 };
  if (typeof value["timestamp"] !== "number") value["timestamp"] = 0;
  switch (value["role"]) {
    case "user":
    case "custom":
      if (!isContent(value["content"])) value["content"] = blocksOf(value["content"]);
      if (value["role"] === "custom") text(value, "customType");
      break;
    case "system":
      if (!isContent(value["content"])) value["content"] = "";
      break;
    case "assistant":
      soundAnswer(value);
      break;
    case "toolResult":
      soundBlocks(value);
      text(value, "toolCallId", "toolName");
      if (typeof value["isError"] !== "boolean") value["isError"] = false;
      break;
    case "bashExecution":
      text(value, "command", "output");
      break;
    case "branchSummary":
    case "compactionSummary":
      text(value, "summary");
      break;
  }
  return value;
}

function soundBlocks(message: JsonObject): void {
  const content = message["content"];
  if (!Array.isArray(content) || !content.every(isBlock)) message["content"] = blocksOf(content);
}

function soundAnswer(message: JsonObject): void {
  soundBlocks(message);
  text(message, "api", "provider", "model");
  if (typeof message["stopReason"] !== "string") message["stopReason"] = "stop";
  message["usage"] = soundUsage(message["usage"]);
}

/** Numbers for all that a usage counts, whatever else it holds. */
function soundUsage(value: unknown): object {
  const none = noUsage();
  if (!isRecord(value)) return none;
  return withNumbers(value, { ...none, cost: withNumbers(value["cost"], { ...noUsage().cost }) });
}

function withNumbers(value: unknown, defaults: JsonObject): JsonObject {
  if (!isRecord(value)) return defaults;
  for (const [field, none] of Object.entries(defaults)) {
    if (typeof none === "object") value[field] = none;
    else if (typeof value[field] !== "number") value[field] = none;
  }
  return value;
}
