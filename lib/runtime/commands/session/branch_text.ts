/** Entries and messages as text for a person: a heading, then what was said. */
import type { Message, SessionEntry } from "../../../session/mod.ts";
import { textOf } from "../../../session/mod.ts";
import { localTime } from "../ages.ts";
import { callText, isConversation, lineOf } from "../entry_line.ts";

export interface TextOptions {
  /** Tool output is shown whole. */
  isFull: boolean;
}

const OUTPUT_LINES_MAX = 10;
const LINE_LENGTH_MAX = 400;

/** An entry of a branch; undefined for bookkeeping that is not shown. */
export function entryText(
  entry: SessionEntry,
  options: TextOptions & { labels: ReadonlyMap<string, string> },
): string | undefined {
  const label = options.labels.get(entry.id);
  const mark = label === undefined ? "" : `  [${label}]`;
  if (!isConversation(entry)) {
    if (!options.isFull) return undefined;
    const { who, text } = lineOf(entry);
    return `${entry.id}  ${[who, text].join(" ").trimEnd()}${mark}\n`;
  }
  const { who, body } = conversationOf(entry, options);
  const time = Date.parse(entry.timestamp);
  const when = Number.isNaN(time) ? "" : `  ${localTime(time)}`;
  return `${entry.id}  ${who}${when}${mark}\n${indented(body)}`;
}

/** A message of a context. */
export function messageText(message: Message, options: TextOptions): string {
  return `${whoOf(message)}\n${indented(bodyOf(message, options))}`;
}

function conversationOf(entry: SessionEntry, options: TextOptions): { who: string; body: string } {
  switch (entry.type) {
    case "message":
      return { who: whoOf(entry.message), body: bodyOf(entry.message, options) };
    case "compaction":
    case "branch_summary":
      return { who: lineOf(entry).who, body: entry.summary };
    default:
      return {
        who: lineOf(entry).who,
        body: entry.type === "custom_message" ? contentBody(entry.content) : "",
      };
  }
}

function whoOf(message: Message): string {
  switch (message.role) {
    case "user":
      return "you";
    case "assistant":
      return `model (${message.provider}/${message.model})`;
    case "toolResult":
      return `${message.toolName || "tool"}${message.isError ? " failed" : ""}`;
    case "bashExecution":
      return "! command";
    case "custom":
      return message.customType;
    case "branchSummary":
      return "branch summary";
    case "compactionSummary":
      return "compaction";
    case "system":
      return "system";
  }
  return unknownRole(message);
}

function unknownRole({ role }: { role: string }): string {
  return role;
}

function bodyOf(message: Message, { isFull }: TextOptions): string {
  switch (message.role) {
    case "user":
    case "custom":
    case "system":
      return contentBody(message.content);
    case "assistant":
      return answerBody(message, isFull);
    case "toolResult":
      return isFull ? contentBody(message.content) : shortened(contentBody(message.content));
    case "bashExecution": {
      const output = isFull ? message.output : shortened(message.output);
      const end = message.cancelled ? "(stopped)" : `(exit ${message.exitCode ?? "?"})`;
      return [`$ ${message.command}`, output, end].filter((part) => part !== "").join("\n");
    }
    case "branchSummary":
    case "compactionSummary":
      return message.summary;
  }
  return "";
}

type Answer = Extract<Message, { role: "assistant" }>;

function answerBody({ content, stopReason, errorMessage }: Answer, isFull: boolean): string {
  const parts = content.flatMap((block): string[] => {
    switch (block.type) {
      case "text":
        return [block.text];
      case "toolCall": {
        const text = callText(block.name, block.arguments);
        const call = isFull ? `${block.name} ${JSON.stringify(block.arguments)}` : text;
        return [`-> ${isFull ? call : cutLine(call)}`];
      }
      case "thinking":
        return isFull && block.thinking !== "" ? [`(thinking) ${block.thinking}`] : [];
    }
    return [];
  });
  if (stopReason === "error") parts.push(`(failed: ${errorMessage ?? "no reason was given"})`);
  if (stopReason === "aborted") parts.push("(stopped)");
  if (stopReason === "length") parts.push("(cut at the output limit)");
  return parts.filter((part) => part.trim() !== "").join("\n");
}

/** Text blocks as they stand; what is no text is named. */
function contentBody(
  content: string | readonly { type: string; text?: string; mimeType?: string }[],
): string {
  if (typeof content === "string") return content;
  return content.map((block) =>
    block.type === "image" ? `[image: ${block.mimeType ?? "?"}]` : textOf([block])
  ).filter((part) => part !== "").join("\n");
}

function shortened(output: string): string {
  const lines = output.replace(/\n+$/, "").split("\n");
  const shown = lines.slice(0, OUTPUT_LINES_MAX).map(cutLine);
  const left = lines.length - shown.length;
  return left > 0
    ? [...shown, `… ${left} more lines (--full shows them)`].join("\n")
    : shown.join("\n");
}

function cutLine(line: string): string {
  return line.length > LINE_LENGTH_MAX ? `${line.slice(0, LINE_LENGTH_MAX).toWellFormed()}…` : line;
}

function indented(text: string): string {
  const body = text.replace(/\n+$/, "");
  if (body === "") return "";
  return body.split("\n").map((line) => line === "" ? "\n" : `  ${line}\n`).join("");
}
