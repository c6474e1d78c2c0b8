import type { ImageContent, Message, TextContent } from "../../session/mod.ts";
import type { ModelFacts, ModelRequest } from "../model.ts";
import { answerLimit } from "./answer_limit.ts";
import { anthropicThinking } from "./effort.ts";
import { isStrictSchema } from "./schema.ts";
import { ToolIds } from "./tool_ids.ts";

const ID_LENGTH_MAX = 64;

type Block = Record<string, unknown>;

interface WireMessage {
  role: "user" | "assistant";
  content: Block[];
}

/** The body of a request to the Messages API. */
export function anthropicRequest(
  facts: ModelFacts,
  request: ModelRequest,
): Record<string, unknown> {
  const cache = request.cache ?? true;
  const messages = wireMessages(request.messages);
  const maxTokens = answerLimit(facts, request);
  const system = systemBlocks(request.systemPrompt);
  const tools = request.tools.map((tool): Block => ({
    name: tool.name,
    description: tool.description.toWellFormed(),
    input_schema: tool.parameters,
  }));
  if (cache) {
    mark(tools.at(-1));
    mark(system.at(-1));
    for (const message of messages.filter(({ role }) => role === "user").slice(-2)) {
      mark(message.content.at(-1));
    }
  }
  return {
    model: facts.id,
    max_tokens: maxTokens,
    stream: true,
    messages,
    ...(system.length > 0 ? { system } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    ...thinkingFields(facts, request, maxTokens, messages),
  };
}

/** No block is ever empty: `toProviderMessages` drops blank text, and so do the lines below. */
function mark(block: Block | undefined): void {
  if (block) block["cache_control"] = { type: "ephemeral" };
}

function systemBlocks(systemPrompt: string): Block[] {
  return systemPrompt.trim() === "" ? [] : [{ type: "text", text: systemPrompt.toWellFormed() }];
}

function thinkingFields(
  facts: ModelFacts,
  request: ModelRequest,
  maxTokens: number,
  messages: readonly WireMessage[],
): Record<string, unknown> {
  const asked = facts.reasoning
    ? anthropicThinking(facts.id, request.thinkingLevel, maxTokens)
    : {};
  const schema = request.outputSchema?.schema;
  const output = {
    ...(asked.effort ? { effort: asked.effort } : {}),
    ...(schema && isStrictSchema(schema) ? { format: { type: "json_schema", schema } } : {}),
  };
  const thinks = asked.thinking &&
    (asked.thinking["type"] !== "enabled" || mayStartThinking(messages));
  return {
    ...(thinks ? { thinking: asked.thinking } : {}),
    ...(Object.keys(output).length > 0 ? { output_config: output } : {}),
  };
}

/**
 * With a thinking budget, an answer whose results are now sent must have begun with thinking. One of
 * another model, or made without thinking, has none: then this turn goes on without.
 */
function mayStartThinking(messages: readonly WireMessage[]): boolean {
  if (messages.at(-1)?.content[0]?.["type"] !== "tool_result") return true;
  const first = messages.at(-2)?.content[0]?.["type"];
  return first === "thinking" || first === "redacted_thinking";
}

/** Neighbours of one role are joined; so the results of a turn stand before the text after them. */
function wireMessages(messages: readonly Message[]): WireMessage[] {
  const ids = new ToolIds(ID_LENGTH_MAX);
  const wire: WireMessage[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = blocksOf(message, ids);
    if (content.length === 0) continue;
    const last = wire.at(-1);
    if (last?.role === role) last.content.push(...content);
    else wire.push({ role, content });
  }
  return wire;
}

function blocksOf(message: Message, ids: ToolIds): Block[] {
  switch (message.role) {
    case "user":
      return typeof message.content === "string"
        ? textBlocks(message.content)
        : message.content.flatMap(contentBlocks);
    case "toolResult":
      return [{
        type: "tool_result",
        tool_use_id: ids.result(message.toolCallId),
        content: message.content.flatMap(contentBlocks),
        ...(message.isError ? { is_error: true } : {}),
      }];
    case "assistant":
      return message.content.flatMap((block): Block[] => {
        switch (block.type) {
          case "text":
            return textBlocks(block.text);
          case "thinking":
            return thinkingBlocks(block);
          case "toolCall":
            return [{
              type: "tool_use",
              id: ids.call(block.id),
              name: block.name,
              input: block.arguments,
            }];
        }
      });
    // `toProviderMessages` has made user messages of these, or left them out.
    case "bashExecution":
    case "custom":
    case "branchSummary":
    case "compactionSummary":
    case "system":
      return [];
  }
}

function thinkingBlocks(
  block: { thinking: string; thinkingSignature?: string; redacted?: boolean },
): Block[] {
  // Unsigned thinking is refused.
  if (!block.thinkingSignature) return [];
  return block.redacted
    ? [{ type: "redacted_thinking", data: block.thinkingSignature }]
    : [{ type: "thinking", thinking: block.thinking, signature: block.thinkingSignature }];
}

function textBlocks(text: string): Block[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function contentBlocks(block: TextContent | ImageContent): Block[] {
  if (block.type === "text") return textBlocks(block.text);
  return [{
    type: "image",
    source: { type: "base64", media_type: block.mimeType, data: block.data },
  }];
}
