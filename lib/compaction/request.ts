import type { ContextItem, UserMessage } from "../session/mod.ts";
import { tagged } from "./prompts.ts";
import { type BranchContext, estimateMessage, estimateText } from "./tokens.ts";

/** The newest thing that the user asked for. */
export interface NewestRequest {
  entryId: string;
  /** Word for word; an image is a note. */
  text: string;
  tokens: number;
}

/** How a summary repeats a request; `repeatedRequest` reads it back. */
export function requestBlock(request: NewestRequest): string {
  return `${HEADING}\n\n${tagged(TAG, request.text)}`;
}

const TAG = "current-request";
const HEADING = "The newest message of the user, word for word:";

/**
 * The newest user message: of the context; else (a turn may be so long that its first message was
 * compacted away before) of the branch above it, as edited; else, where the branch does not go back
 * so far, as the last summary repeats it. `undefined` if there is none.
 */
export function newestRequest({ items, branch }: BranchContext): NewestRequest | undefined {
  for (const { entry, message } of items.toReversed()) {
    if (message.role === "user") return request(entry.id, message);
  }
  const contents = new Map<string, UserMessage["content"] | null>();
  for (const entry of branch.toReversed()) {
    if (entry.type === "context_edit" && !contents.has(entry.targetId)) {
      contents.set(entry.targetId, entry.replacement === null ? null : entry.replacement.content);
    }
    if (entry.type !== "message" || entry.message.role !== "user") continue;
    const edit = contents.get(entry.id);
    if (edit === null) continue;
    return request(entry.id, { ...entry.message, content: edit ?? entry.message.content });
  }
  return repeatedRequest(items[0]);
}

function repeatedRequest(item: ContextItem | undefined): NewestRequest | undefined {
  if (item?.message.role !== "compactionSummary") return undefined;
  const [, block] = item.message.summary.split(`${HEADING}\n\n<${TAG}>\n`);
  const text = block?.split(`\n</${TAG}>`)[0];
  return text === undefined
    ? undefined
    : { entryId: item.entry.id, text, tokens: estimateText(text) };
}

function request(entryId: string, message: UserMessage): NewestRequest {
  const { content } = message;
  const text = typeof content === "string"
    ? content
    : content.map((block) => block.type === "text" ? block.text : "[image]").join("\n");
  return { entryId, text, tokens: estimateMessage(message) };
}
