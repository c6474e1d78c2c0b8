/** A conversation as text, for a model that is asked to summarize it. */
import {
  type AssistantMessage,
  type BashExecutionMessage,
  type Message,
  textOf,
  type ToolCall,
} from "../session/mod.ts";
import { estimateText } from "./tokens.ts";

/** How much of a tool's result, of a call's arguments and of a command's output is shown. */
const SHOWN_CHARACTERS_MAX = 2_000;

/**
 * The messages as text, one piece each, in well-formed Unicode. Thinking is left out, and so is what
 * the model never reads; long results are cut.
 */
export function transcript(messages: readonly Message[]): string[] {
  return messages.map((message) => pieceOf(message).toWellFormed()).filter((piece) => piece !== "");
}

/** The start of a text, cut between characters, with a note of how much is missing. */
export function cutText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const end = wholeCharacters(text, charactersMax);
  return `${text.slice(0, end)}\n[${text.length - end} more characters left out]`;
}

/** The newest pieces that fit, at least the start of the newest, and a note if older ones do not. */
export function newestPieces(pieces: readonly string[], tokensMax: number): readonly string[] {
  let first = pieces.length;
  let tokens = 0;
  while (first > 0) {
    tokens += estimateText(pieces[first - 1] ?? "");
    if (tokens > tokensMax) break;
    first--;
  }
  if (first === 0) return pieces;
  // The note has to fit, too.
  const room = tokensMax - estimateText(OMITTED);
  let newest = pieces.slice(first);
  while (newest.length > 1 && newest.reduce((sum, piece) => sum + estimateText(piece), 0) > room) {
    newest = newest.slice(1);
  }
  const last = newest[0] ?? pieces.at(-1) ?? "";
  if (newest.length > 1) return [OMITTED, ...newest];
  return [OMITTED, cutText(last, Math.max(4, (room - 12) * 4))];
}

const OMITTED = "[Older messages are left out here: they do not fit]";

/**
 * Takes as many pieces from the front as fit, at least a part of one: a piece that is too long by
 * itself is parted between two characters.
 */
export function takePieces(
  pieces: readonly string[],
  tokensMax: number,
): { taken: string[]; rest: string[] } {
  let count = 0;
  let tokens = 0;
  for (const piece of pieces) {
    tokens += estimateText(piece);
    if (tokens > tokensMax) break;
    count++;
  }
  if (count > 0 || pieces.length === 0) {
    return { taken: pieces.slice(0, count), rest: pieces.slice(count) };
  }
  const [long = "", ...others] = pieces;
  const end = Math.max(1, wholeCharacters(long, Math.max(2, tokensMax * 4)));
  return { taken: [long.slice(0, end)], rest: [long.slice(end), ...others] };
}

function pieceOf(message: Message): string {
  switch (message.role) {
    case "user":
      return `[User]: ${shown(message.content)}`;
    case "assistant":
      return assistantPiece(message);
    case "toolResult": {
      const failed = message.isError ? ", failed" : "";
      return `[Result of ${message.toolName}${failed}]: ` +
        cutText(shown(message.content), SHOWN_CHARACTERS_MAX);
    }
    case "bashExecution":
      return message.excludeFromContext ? "" : bashPiece(message);
    case "custom":
      return `[Note, ${message.customType}]: ${shown(message.content)}`;
    case "branchSummary":
      return `[Summary of another branch]: ${message.summary}`;
    case "compactionSummary":
      return `[Summary of what came before]: ${message.summary}`;
    case "system":
      return "";
  }
}

function assistantPiece(message: AssistantMessage): string {
  if (message.stopReason === "error") return "";
  const parts: string[] = [];
  const text = textOf(message.content).trim();
  if (text !== "") parts.push(`[Assistant]: ${text}`);
  if (message.stopReason !== "aborted") {
    for (const block of message.content) {
      if (block.type === "toolCall") parts.push(callPiece(block));
    }
  }
  return parts.join("\n");
}

function callPiece(call: ToolCall): string {
  const args = JSON.stringify(call.arguments) ?? "";
  return `[Assistant calls ${call.name}]: ${cutText(args, SHOWN_CHARACTERS_MAX)}`;
}

function bashPiece({ command, output, exitCode, cancelled }: BashExecutionMessage): string {
  const end = cancelled ? "cancelled" : `exit code ${exitCode ?? "unknown"}`;
  return `[User ran a command, ${end}]: ${command}\n${cutText(output, SHOWN_CHARACTERS_MAX)}`;
}

function shown(content: string | readonly { type: string; text?: string }[]): string {
  if (typeof content === "string") return content;
  const images = content.filter((block) => block.type === "image").map(() => "[image]");
  return [textOf(content), ...images].join(" ").trim();
}

/** The largest length up to `length` that does not part a surrogate pair. */
function wholeCharacters(text: string, length: number): number {
  const code = text.charCodeAt(length - 1);
  return code >= 0xd800 && code <= 0xdbff ? length - 1 : length;
}
