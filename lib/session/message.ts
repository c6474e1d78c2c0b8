/**
 * The messages of a conversation, as they stand in a session file
 * (`docs/session-format.md`, "Entries"). Data only: no file, no model.
 */

/** Plain text. */
export interface TextContent {
  type: "text";
  text: string;
  textSignature?: string;
}

/** An image, base64 without a data-URL prefix. */
export interface ImageContent {
  type: "image";
  data: string;
  mimeType: string;
}

/** A model's reasoning. It goes back only to the model that made it. */
export interface ThinkingContent {
  type: "thinking";
  thinking: string;
  thinkingSignature?: string;
  /** The provider hid the text; `thinkingSignature` holds its opaque data. */
  redacted?: boolean;
}

/** A model's request to run a tool. */
export interface ToolCall {
  type: "toolCall";
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

/** What tokens cost, in US dollars. */
export interface Cost {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  total: number;
}

/** Tokens of one or more model calls. `input` excludes what was read from or written to a cache. */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens: number;
  cost: Cost;
}

/** Why an answer ended. */
export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";

/** How hard a model should think before it answers. */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** All thinking levels, weakest first. */
export const THINKING_LEVELS: readonly ThinkingLevel[] = [
  "off",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
];

/** What a person (or a script) said. `timestamp` is in ms since the epoch, here and below. */
export interface UserMessage {
  role: "user";
  content: string | (TextContent | ImageContent)[];
  timestamp: number;
}

/** A model's answer. */
export interface AssistantMessage {
  role: "assistant";
  content: (TextContent | ThinkingContent | ToolCall)[];
  api: string;
  provider: string;
  model: string;
  usage: Usage;
  stopReason: StopReason;
  errorMessage?: string;
  timestamp: number;
}

/** What a tool gave back for one call. */
export interface ToolResultMessage {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: (TextContent | ImageContent)[];
  details?: unknown;
  isError: boolean;
  timestamp: number;
}

/** A shell command that a person ran (`!cmd`). */
export interface BashExecutionMessage {
  role: "bashExecution";
  command: string;
  output: string;
  /** Absent when the command was cancelled. */
  exitCode?: number;
  cancelled: boolean;
  truncated: boolean;
  fullOutputPath?: string;
  excludeFromContext?: boolean;
  timestamp: number;
}

/** A message that an extension put into the context. */
export interface CustomMessage {
  role: "custom";
  customType: string;
  content: string | (TextContent | ImageContent)[];
  display: boolean;
  details?: unknown;
  timestamp: number;
}

/** The summary of a branch that was left. */
export interface BranchSummaryMessage {
  role: "branchSummary";
  summary: string;
  fromId: string;
  timestamp: number;
}

/** The summary that stands for everything before a compaction's kept entries. */
export interface CompactionSummaryMessage {
  role: "compactionSummary";
  summary: string;
  tokensBefore: number;
  timestamp: number;
}

/** Written by newer Pi releases: kept, never sent as conversation. */
export interface SystemMessage {
  role: "system";
  content: string | TextContent[];
  timestamp: number;
}

/** Any message of a context. */
export type Message =
  | UserMessage
  | AssistantMessage
  | ToolResultMessage
  | BashExecutionMessage
  | CustomMessage
  | BranchSummaryMessage
  | CompactionSummaryMessage
  | SystemMessage;

/**
 * A usage of nothing.
 *
 * @example
 * ```ts
 * import { noUsage } from "bough";
 *
 * console.log({ ...noUsage(), input: 12, totalTokens: 12 }.cost.total); // 0
 * ```
 */
export function noUsage(): Usage {
  return {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}

/** The sum of usages. */
export function addUsage(...usages: Usage[]): Usage {
  const sum = noUsage();
  for (const usage of usages) {
    sum.input += usage.input;
    sum.output += usage.output;
    sum.cacheRead += usage.cacheRead;
    sum.cacheWrite += usage.cacheWrite;
    sum.totalTokens += usage.totalTokens;
    sum.cost.input += usage.cost.input;
    sum.cost.output += usage.cost.output;
    sum.cost.cacheRead += usage.cost.cacheRead;
    sum.cost.cacheWrite += usage.cost.cacheWrite;
    sum.cost.total += usage.cost.total;
  }
  return sum;
}

/**
 * The text of a content, its blocks joined without a separator; other blocks give nothing.
 *
 * @example
 * ```ts
 * import { textOf } from "bough";
 *
 * console.log(textOf([{ type: "text", text: "Hel" }, { type: "text", text: "lo" }])); // Hello
 * ```
 */
export function textOf(
  content: string | readonly { type: string; text?: string }[] | null | undefined,
): string {
  if (content === null || content === undefined) return "";
  if (typeof content === "string") return content;
  let text = "";
  for (const block of content) if (block.type === "text") text += block.text ?? "";
  return text;
}
