/** How many tokens a context has: what the provider reported, and estimates for the rest. */
import type { ToolSpec } from "../agent/mod.ts";
import type {
  AssistantMessage,
  ContextItem,
  Message,
  SessionEntry,
  Usage,
} from "../session/mod.ts";

/** What an image is reckoned at, in tokens. */
export const IMAGE_TOKENS = 1_200;

const CHARACTERS_PER_TOKEN = 4;

/** No tokenizer gets more into a token, however dull the text: a usage that says so is not one. */
const CHARACTERS_PER_TOKEN_MAX = 256;

/**
 * A branch, root first, and the part of it that the model reads. The branch may begin at what the
 * last compaction kept; only a whole one has the first message of a turn that another program
 * compacted away.
 */
export interface BranchContext {
  items: readonly ContextItem[];
  branch: readonly SessionEntry[];
}

/** The size of a context in tokens: `tokens` is `reported` plus `estimated`. */
export interface ContextTokens {
  tokens: number;
  /** What the last answer's usage says of itself and all before it. */
  reported: number;
  /** What came after that answer; all of it where no usage counts. */
  estimated: number;
}

/** Estimates the tokens of a text. */
export function estimateText(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** Estimates the tokens of the system prompt and the tools, which go with every request. */
export function estimateOverhead(
  request: { systemPrompt: string; tools: readonly ToolSpec[] },
): number {
  let characters = request.systemPrompt.length;
  for (const { name, description, parameters } of request.tools) {
    characters += name.length + description.length + JSON.stringify(parameters).length;
  }
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Estimates the tokens that a message has in a request; 0 for one that is not sent. */
export function estimateMessage(message: Message): number {
  switch (message.role) {
    case "user":
    case "custom":
    case "toolResult":
      return estimateContent(message.content);
    case "assistant":
      return Math.ceil(assistantCharacters(message) / CHARACTERS_PER_TOKEN);
    case "bashExecution":
      return message.excludeFromContext ? 0 : estimateText(message.command + message.output);
    case "branchSummary":
    case "compactionSummary":
      return estimateText(message.summary);
    case "system":
      return 0;
  }
}

/** Estimates the tokens of several messages. */
export function estimateItems(items: readonly ContextItem[]): number {
  return items.reduce((sum, item) => sum + estimateMessage(item.message), 0);
}

/**
 * The tokens of a context. A usage from before the last compaction or context edit says nothing of
 * today's context and does not count, nor does one that cannot be true; where none counts,
 * `overheadTokens` (see `estimateOverhead`) and all messages are estimated.
 */
export function contextTokens(context: BranchContext, overheadTokens: number): ContextTokens {
  const { items } = context;
  const { answered, reported } = lastReport(context);
  const estimated = estimateItems(items.slice(answered + 1)) + (reported > 0 ? 0 : overheadTokens);
  return { tokens: reported + estimated, reported, estimated };
}

/** The last answer whose usage counts, by its place; -1 if there is none. */
function lastReport({ items, branch }: BranchContext): { answered: number; reported: number } {
  const changed = branch.findLastIndex((entry) =>
    entry.type === "compaction" || entry.type === "context_edit"
  );
  const since = new Set(branch.slice(changed + 1).map((entry) => entry.id));
  const answered = items.findLastIndex(({ entry, message }) =>
    since.has(entry.id) && message.role === "assistant" && reportedTokens(message) > 0
  );
  const answer = items[answered]?.message;
  const reported = answer?.role === "assistant" ? reportedTokens(answer) : 0;
  const reckoned = estimateItems(items.slice(0, answered + 1)) * CHARACTERS_PER_TOKEN;
  return reported * CHARACTERS_PER_TOKEN_MAX < reckoned
    ? { answered: -1, reported: 0 }
    : { answered, reported };
}

function reportedTokens(answer: AssistantMessage): number {
  if (answer.stopReason === "error" || answer.stopReason === "aborted") return 0;
  // Other writers' files may lack the usage, whatever the type says.
  const usage: Partial<Usage> | undefined = answer.usage;
  if (!usage) return 0;
  const sum = (usage.input ?? 0) + (usage.output ?? 0) + (usage.cacheRead ?? 0) +
    (usage.cacheWrite ?? 0);
  const tokens = usage.totalTokens || sum;
  return Number.isFinite(tokens) && tokens > 0 ? tokens : 0;
}

function estimateContent(
  content: string | readonly { type: string; text?: string }[],
): number {
  if (typeof content === "string") return estimateText(content);
  let characters = 0;
  let images = 0;
  for (const block of content) {
    if (block.type === "image") images++;
    else characters += block.text?.length ?? 0;
  }
  return Math.ceil(characters / CHARACTERS_PER_TOKEN) + images * IMAGE_TOKENS;
}

/** An answer that failed is not sent; one that was aborted is sent without its calls. */
function assistantCharacters(message: AssistantMessage): number {
  if (message.stopReason === "error") return 0;
  let characters = 0;
  for (const block of message.content) {
    if (block.type === "text") characters += block.text.length;
    if (message.stopReason === "aborted") continue;
    if (block.type === "thinking") {
      characters += block.redacted ? block.thinkingSignature?.length ?? 0 : block.thinking.length;
    }
    if (block.type === "toolCall") {
      characters += block.name.length + (JSON.stringify(block.arguments)?.length ?? 0);
    }
  }
  return characters;
}
