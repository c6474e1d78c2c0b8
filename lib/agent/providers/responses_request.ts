import type { AssistantMessage, ImageContent, Message, TextContent } from "../../session/mod.ts";
import { textOf } from "../../session/mod.ts";
import type { ModelFacts, ModelRequest } from "../model.ts";
import { openaiEffort } from "./effort.ts";
import { record, text } from "./json.ts";
import { isStrictSchema } from "./schema.ts";
import { itemIdOf, ToolIds } from "./tool_ids.ts";

const ID_LENGTH_MAX = 64;
/** The least that the API takes. */
const OUTPUT_TOKENS_MIN = 16;

type Item = Record<string, unknown>;

/** The body of a request to the Responses API. */
export function responsesRequest(
  facts: ModelFacts,
  request: ModelRequest,
): Record<string, unknown> {
  const effort = facts.reasoning ? openaiEffort(facts.id, request.thinkingLevel) : undefined;
  const cacheKey = (request.cache ?? true) ? request.sessionId : undefined;
  const tools = request.tools.map((tool) => ({
    type: "function",
    name: tool.name,
    description: tool.description.toWellFormed(),
    parameters: tool.parameters,
    strict: false,
  }));
  return {
    model: facts.id,
    input: inputItems(request.messages),
    stream: true,
    store: false,
    ...(request.systemPrompt.trim() === ""
      ? {}
      : { instructions: request.systemPrompt.toWellFormed() }),
    ...(request.maxTokens === undefined
      ? {}
      : { max_output_tokens: Math.max(request.maxTokens, OUTPUT_TOKENS_MIN) }),
    ...(tools.length > 0 ? { tools } : {}),
    ...(effort ? { reasoning: effort === "none" ? { effort } : { effort, summary: "auto" } } : {}),
    ...(facts.reasoning ? { include: ["reasoning.encrypted_content"] } : {}),
    ...(cacheKey ? { prompt_cache_key: cacheKey } : {}),
    ...(request.outputSchema ? { text: { format: textFormat(request.outputSchema) } } : {}),
  };
}

function textFormat({ name, schema }: NonNullable<ModelRequest["outputSchema"]>) {
  return { type: "json_schema", name, schema, strict: isStrictSchema(schema) };
}

function inputItems(messages: readonly Message[]): Item[] {
  const ids = new ToolIds(ID_LENGTH_MAX);
  return messages.flatMap((message): Item[] => {
    switch (message.role) {
      case "user": {
        const content = typeof message.content === "string"
          ? [{ type: "input_text", text: message.content }]
          : message.content.map(inputPart);
        return content.length > 0 ? [{ role: "user", content }] : [];
      }
      case "toolResult":
        return [{
          type: "function_call_output",
          call_id: ids.result(message.toolCallId),
          output: message.content.some((block) => block.type === "image")
            ? message.content.map(inputPart)
            : textOf(message.content),
        }];
      case "assistant":
        return answerItems(message, ids);
      // `toProviderMessages` has made user messages of these, or left them out.
      case "bashExecution":
      case "custom":
      case "branchSummary":
      case "compactionSummary":
      case "system":
        return [];
    }
  });
}

function inputPart(block: TextContent | ImageContent): Item {
  return block.type === "text" ? { type: "input_text", text: block.text } : {
    type: "input_image",
    image_url: `data:${block.mimeType};base64,${block.data}`,
    detail: "auto",
  };
}

/**
 * The items of one answer. Item ids go back only together with the reasoning that they belong to:
 * the API refuses the one without the other.
 */
function answerItems(message: AssistantMessage, ids: ToolIds): Item[] {
  const reasons = message.content.some((block) =>
    block.type === "thinking" && reasoningItem(block.thinkingSignature)
  );
  return message.content.flatMap((block): Item[] => {
    switch (block.type) {
      case "thinking": {
        const item = reasoningItem(block.thinkingSignature);
        return item ? [item] : [];
      }
      case "text":
        return [messageItem(block, reasons)];
      case "toolCall": {
        const itemId = reasons ? itemIdOf(block.id) : undefined;
        return [{
          type: "function_call",
          ...(itemId && itemId.length <= ID_LENGTH_MAX ? { id: itemId } : {}),
          call_id: ids.call(block.id),
          name: block.name,
          arguments: JSON.stringify(block.arguments),
        }];
      }
    }
  });
}

function messageItem(block: TextContent, withId: boolean): Item {
  const { id, phase } = textMark(block.textSignature);
  const said = phase ? { phase } : {};
  if (!withId || !id || id.length > ID_LENGTH_MAX) {
    return { role: "assistant", content: block.text, ...said };
  }
  const content = [{ type: "output_text", text: block.text, annotations: [] }];
  return { type: "message", id, role: "assistant", status: "completed", content, ...said };
}

/** The stored reasoning item, if it can go back: without encrypted content there is nothing in it. */
function reasoningItem(signature: string | undefined): Item | undefined {
  const item = parsed(signature);
  return item["type"] === "reasoning" && text(item["encrypted_content"]) ? item : undefined;
}

/** A text's item id and phase; other programs store the bare id. */
function textMark(signature: string | undefined): { id?: string; phase?: string } {
  if (!signature) return {};
  if (!signature.startsWith("{")) return { id: signature };
  const mark = parsed(signature);
  return {
    ...(text(mark["id"]) ? { id: text(mark["id"]) } : {}),
    ...(text(mark["phase"]) ? { phase: text(mark["phase"]) } : {}),
  };
}

function parsed(json: string | undefined): Item {
  if (!json?.startsWith("{")) return {};
  try {
    return record(JSON.parse(json));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return {};
  }
}
