/** An entry in a few words: who, and what it begins with. */
import { type SessionEntry, textOf } from "../../session/mod.ts";
import { oneLine } from "../modes/terminal_text.ts";

/** An entry as it stands in a list or a tree. */
export interface EntryLine {
  /** Who speaks, or what kind of entry it is: `you`, `model`, `read`, `summary`, … */
  readonly who: string;
  /** One line, as it was written otherwise; cut to about the asked length. */
  readonly text: string;
}

/** Entries that a person thinks of as the conversation; the others are bookkeeping. */
export function isConversation(entry: SessionEntry): boolean {
  switch (entry.type) {
    case "message":
    case "compaction":
    case "branch_summary":
      return true;
    case "custom_message":
      return entry.display;
    case "model_change":
    case "thinking_level_change":
    case "custom":
    case "context_edit":
    case "label":
    case "session_info":
    case "usage":
    case "leaf":
      return false;
  }
  return false;
}

/** Says an entry in a line. Entries of unknown types are said by their type alone. */
export function lineOf(entry: SessionEntry, lengthMax = 200): EntryLine {
  const { who, text } = describe(entry);
  return { who: plain(who, 40), text: beginning(text, lengthMax) };
}

/** Of a long text no more than twice the length is looked at. */
function beginning(text: string, lengthMax: number): string {
  const seen = text.slice(0, lengthMax * 2);
  const line = plain(seen, lengthMax);
  // Blanks were run together, so there was room for more than what was looked at.
  const isCut = seen.length < text.length && line.length < lengthMax;
  return isCut ? `${line}…` : line;
}

const FOREIGN = /[^\x20-\x7e]/;

/** Whether a text is on one line and harmless as it stands, as most are. */
function isPlain(text: string): boolean {
  return !FOREIGN.test(text) && !text.includes("  ") && text.trim() === text;
}

/** As `oneLine`, which takes longer. */
function plain(text: string, lengthMax: number): string {
  const start = text.slice(0, lengthMax + 1);
  if (!isPlain(start)) return oneLine(text, lengthMax);
  return start.length > lengthMax ? `${start.slice(0, lengthMax - 1)}…` : start;
}

function describe(entry: SessionEntry): EntryLine {
  switch (entry.type) {
    case "message":
      return describeMessage(entry.message);
    case "compaction":
      return { who: "compaction", text: entry.summary };
    case "branch_summary":
      return { who: "branch summary", text: entry.summary };
    case "custom_message":
      return { who: entry.customType || "custom", text: contentText(entry.content) };
    case "model_change":
      return { who: "model is", text: `${entry.provider}/${entry.modelId}` };
    case "thinking_level_change":
      return { who: "thinking is", text: entry.thinkingLevel };
    case "custom":
      return { who: "custom", text: entry.customType };
    case "context_edit":
      return {
        who: entry.replacement === null ? "dropped" : "edited",
        text: entry.replacement === null
          ? entry.targetId
          : `${entry.targetId} ${contentText(entry.replacement?.content)}`,
      };
    case "label":
      return { who: entry.label ? "label" : "label taken off", text: entry.label ?? "" };
    case "session_info":
      return { who: "name", text: entry.name };
    case "usage":
      return { who: "usage", text: entry.kind };
    case "leaf":
      return { who: "moved to", text: entry.targetId ?? "the beginning" };
  }
  return unknownType(entry);
}

function unknownType({ type }: { type: string }): EntryLine {
  return { who: type, text: "" };
}

type StoredMessage = Extract<SessionEntry, { type: "message" }>["message"];

function describeMessage(message: StoredMessage): EntryLine {
  switch (message.role) {
    case "user":
      return { who: "you", text: contentText(message.content) };
    case "assistant":
      return { who: "model", text: answerText(message) };
    case "toolResult":
      return {
        who: message.toolName || "tool",
        text: `${message.isError ? "failed: " : ""}${contentText(message.content)}`,
      };
    case "bashExecution":
      return { who: "!", text: message.command };
    case "custom":
      return { who: message.customType || "custom", text: contentText(message.content) };
    case "system":
      return { who: "system", text: contentText(message.content) };
  }
  return { who: unknownRole(message), text: "" };
}

function unknownRole({ role }: { role?: string }): string {
  return role ?? "message";
}

function answerText({ content, stopReason, errorMessage }: {
  content: readonly { type: string; text?: string; name?: string; arguments?: unknown }[];
  stopReason: string;
  errorMessage?: string;
}): string {
  const parts: string[] = [];
  const text = textOf(content);
  if (text.trim() !== "") parts.push(text);
  for (const block of content) {
    if (block.type === "toolCall") parts.push(callText(block.name ?? "", block.arguments));
  }
  if (stopReason === "error") parts.push(`failed: ${errorMessage ?? ""}`);
  if (stopReason === "aborted") parts.push("(stopped)");
  return parts.join(" · ");
}

/** A call by the argument that tells a person what it does. */
export function callText(name: string, args: unknown): string {
  const values = typeof args === "object" && args !== null ? Object.entries(args) : [];
  const known = ["command", "path", "pattern"]
    .map((key) => values.find(([name]) => name === key)?.[1])
    .find((value) => typeof value === "string");
  const shown = known ?? (values.length > 0 ? JSON.stringify(args) : "");
  return `${name}(${shown})`;
}

function contentText(content: string | readonly { type: string; text?: string }[] | undefined) {
  const text = textOf(content);
  if (text !== "" || !Array.isArray(content)) return text;
  return content.some(({ type }) => type === "image") ? "[image]" : "";
}
