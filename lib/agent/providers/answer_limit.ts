import type { ModelFacts, ModelRequest } from "../model.ts";

/** Less is never asked for, even if the window seems full: then the provider says so. */
const LIMIT_MIN = 4_096;
const IMAGE_TOKENS = 1_600;
/** On the safe side: tokens are longer than this in most texts. */
const CHARACTERS_PER_TOKEN = 3;

/**
 * How long an answer may be, in tokens, for wire formats that must be told: what was asked for, or
 * the model's own limit, but no more than the window has room for.
 */
export function answerLimit(facts: ModelFacts, request: ModelRequest): number {
  const wanted = Math.min(request.maxTokens ?? facts.maxTokens, facts.maxTokens);
  const room = facts.contextWindow - inputTokens(request);
  return Math.max(1, Math.min(wanted, Math.max(room, LIMIT_MIN)));
}

function inputTokens(request: ModelRequest): number {
  let characters = request.systemPrompt.length + JSON.stringify(request.tools).length;
  let images = 0;
  for (const message of request.messages) {
    if (!("content" in message)) continue;
    if (typeof message.content === "string") {
      characters += message.content.length;
      continue;
    }
    for (const block of message.content) {
      switch (block.type) {
        case "text":
          characters += block.text.length;
          break;
        case "thinking":
          characters += block.thinking.length;
          break;
        case "toolCall":
          characters += JSON.stringify(block.arguments).length;
          break;
        case "image":
          images++;
          break;
      }
    }
  }
  return Math.ceil(characters / CHARACTERS_PER_TOKEN) + images * IMAGE_TOKENS;
}
