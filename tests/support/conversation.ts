/** Messages, and branches made of them, in few words. */
import type { BranchContext } from "../../lib/compaction/mod.ts";
import {
  type AssistantMessage,
  type ContextItem,
  type ImageContent,
  noUsage,
  type SessionEntry,
  type StopReason,
  type StoredMessage,
  type TextContent,
  type ToolResultMessage,
  type UserMessage,
} from "../../lib/session/mod.ts";

export function user(content: string | (TextContent | ImageContent)[]): UserMessage {
  return { role: "user", content, timestamp: 1 };
}

/** An answer; a call is given as its id, its tool's name and its arguments. */
export function assistant(
  text: string,
  options: {
    calls?: [id: string, name: string, args?: Record<string, unknown>][];
    thinking?: string;
    /** The tokens that the provider reported. */
    tokens?: number;
    stopReason?: StopReason;
  } = {},
): AssistantMessage {
  const { calls = [], thinking, tokens = 0 } = options;
  return {
    role: "assistant",
    content: [
      ...(thinking === undefined ? [] : [{ type: "thinking" as const, thinking }]),
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...calls.map(([id, name, args = {}]) => ({
        type: "toolCall" as const,
        id,
        name,
        arguments: args,
      })),
    ],
    api: "test",
    provider: "test",
    model: "scripted",
    usage: { ...noUsage(), totalTokens: tokens },
    stopReason: options.stopReason ?? (calls.length > 0 ? "toolUse" : "stop"),
    timestamp: 1,
  };
}

export function toolResult(
  toolCallId: string,
  toolName: string,
  text: string,
  options: { isError?: boolean } = {},
): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId,
    toolName,
    content: [{ type: "text", text }],
    isError: options.isError ?? false,
    timestamp: 1,
  };
}

/** A branch of these messages alone, with the entry ids m1, m2, … */
export function branchOf(...messages: StoredMessage[]): BranchContext {
  const branch: SessionEntry[] = [];
  const items: ContextItem[] = [];
  messages.forEach((message, index) => {
    const entry: SessionEntry = {
      type: "message",
      id: `m${index + 1}`,
      parentId: index === 0 ? null : `m${index}`,
      timestamp: "2026-01-01T00:00:00.000Z",
      message,
    };
    branch.push(entry);
    items.push({ entry, message });
  });
  return { branch, items };
}

/** A text of so many estimated tokens that begins with `start`. */
export function textOfTokens(tokens: number, start = ""): string {
  return (start + " ").padEnd(tokens * 4, "x").slice(0, tokens * 4);
}
