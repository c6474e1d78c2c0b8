import type { AssistantMessage, ImageContent, Message, TextContent } from "../../session/mod.ts";
import { textOf } from "../../session/mod.ts";
import type { ModelFacts, ModelRequest } from "../model.ts";
import type { CompletionsCompat } from "./completions_compat.ts";
import { openaiEffort } from "./effort.ts";
import { isStrictSchema } from "./schema.ts";
import { ToolIds } from "./tool_ids.ts";

/** OpenAI's own limit; longer ids are refused. */
const ID_LENGTH_MAX = 40;

type WireMessage = Record<string, unknown>;

/** The body of a request to the Chat Completions API. */
export function completionsRequest(
  facts: ModelFacts,
  compat: Required<CompletionsCompat>,
  request: ModelRequest,
): Record<string, unknown> {
  const effort = facts.reasoning && compat.supportsReasoningEffort
    ? openaiEffort(facts.id, request.thinkingLevel)
    : undefined;
  const cacheKey = (request.cache ?? true) && compat.supportsPromptCacheKey
    ? request.sessionId
    : undefined;
  const tools = request.tools.map((tool) => ({
    type: "function",
    function: {
      name: tool.name,
      description: tool.description.toWellFormed(),
      parameters: tool.parameters,
    },
  }));
  return {
    model: facts.id,
    messages: wireMessages(request, compat),
    stream: true,
    ...(compat.supportsUsageInStreaming ? { stream_options: { include_usage: true } } : {}),
    ...(request.maxTokens === undefined ? {} : { [compat.maxTokensField]: request.maxTokens }),
    ...(tools.length > 0 ? { tools } : {}),
    ...(effort ? { reasoning_effort: effort } : {}),
    ...(cacheKey ? { prompt_cache_key: cacheKey } : {}),
    ...(request.outputSchema ? { response_format: responseFormat(request.outputSchema) } : {}),
  };
}

function responseFormat({ name, schema }: NonNullable<ModelRequest["outputSchema"]>) {
  return {
    type: "json_schema",
    json_schema: { name, schema, strict: isStrictSchema(schema) },
  };
}

function wireMessages(request: ModelRequest, compat: Required<CompletionsCompat>): WireMessage[] {
  const ids = new ToolIds(ID_LENGTH_MAX);
  const wire: WireMessage[] = [];
  if (request.systemPrompt.trim() !== "") {
    const role = compat.supportsDeveloperRole ? "developer" : "system";
    wire.push({ role, content: request.systemPrompt.toWellFormed() });
  }
  let shown: ImageContent[] = [];
  for (const message of request.messages) {
    if (message.role === "toolResult") {
      const images = imagesOf(message.content);
      shown.push(...images);
      wire.push({
        role: "tool",
        tool_call_id: ids.result(message.toolCallId),
        content: joinedText(message.content) || (images.length > 0 ? "(see the image below)" : ""),
      });
      continue;
    }
    // A tool message takes no images: they follow once all results of the turn are there.
    if (shown.length > 0) wire.push(imageMessage(shown));
    shown = [];
    const other = wireMessage(message, ids);
    if (other) wire.push(other);
  }
  if (shown.length > 0) wire.push(imageMessage(shown));
  return compat.requiresAlternation ? joinNeighbours(wire) : wire;
}

function wireMessage(message: Message, ids: ToolIds): WireMessage | undefined {
  if (message.role === "user") {
    const content = userContent(message.content);
    return content.length > 0 ? { role: "user", content } : undefined;
  }
  return message.role === "assistant" ? assistantMessage(message, ids) : undefined;
}

function assistantMessage(message: AssistantMessage, ids: ToolIds): WireMessage | undefined {
  const wire: WireMessage = { role: "assistant", content: joinedText(message.content) || null };
  const calls = [];
  let reasoning = "";
  let reasoningField = "";
  for (const block of message.content) {
    if (block.type === "toolCall") {
      calls.push({
        id: ids.call(block.id),
        type: "function",
        function: { name: block.name, arguments: JSON.stringify(block.arguments) },
      });
    } else if (
      block.type === "thinking" && REASONING_FIELDS.includes(block.thinkingSignature ?? "")
    ) {
      reasoningField = block.thinkingSignature ?? "";
      reasoning += block.thinking;
    }
  }
  if (reasoning) wire[reasoningField] = reasoning.toWellFormed();
  if (calls.length > 0) wire["tool_calls"] = calls;
  return wire["content"] === null && calls.length === 0 ? undefined : wire;
}

/**
 * The fields in which servers send reasoning. The one that was used is kept as the signature of the
 * thinking, which goes back in the same field: some models lose the thread without it.
 */
export const REASONING_FIELDS: readonly string[] = [
  "reasoning_content",
  "reasoning",
  "reasoning_text",
];

function userContent(content: string | readonly (TextContent | ImageContent)[]) {
  if (typeof content === "string") return content;
  if (imagesOf(content).length === 0) return joinedText(content);
  return content.map((block) =>
    block.type === "text" ? { type: "text", text: block.text } : imagePart(block)
  );
}

function imageMessage(images: readonly ImageContent[]): WireMessage {
  const said = { type: "text", text: "The images of the tool results above:" };
  return { role: "user", content: [said, ...images.map(imagePart)] };
}

function imagePart(image: ImageContent) {
  return {
    type: "image_url",
    image_url: { url: `data:${image.mimeType};base64,${image.data}` },
  };
}

function imagesOf(content: readonly { type: string }[]): ImageContent[] {
  return content.filter((block): block is ImageContent => block.type === "image");
}

/** Many servers take text alone, no lists of parts. */
function joinedText(content: readonly { type: string; text?: string }[]): string {
  return content.filter((block) => block.type === "text").map((block) => textOf([block]))
    .filter((text) => text.trim() !== "").join("\n\n");
}

function joinNeighbours(messages: readonly WireMessage[]): WireMessage[] {
  const joined: WireMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last && canJoin(last, message)) last["content"] = joinContent(last, message);
    else joined.push({ ...message });
  }
  return joined;
}

function canJoin(a: WireMessage, b: WireMessage): boolean {
  return a["role"] === b["role"] && a["role"] !== "tool" && !a["tool_calls"] && !b["tool_calls"];
}

function joinContent(a: WireMessage, b: WireMessage): unknown {
  if (typeof a["content"] === "string" && typeof b["content"] === "string") {
    return `${a["content"]}\n\n${b["content"]}`;
  }
  return [...parts(a["content"]), ...parts(b["content"])];
}

function parts(content: unknown): unknown[] {
  if (Array.isArray(content)) return content;
  return typeof content === "string" ? [{ type: "text", text: content }] : [];
}
