/**
 * What a tool gives back, made fit to be kept. Tools may be foreign code: what they return may be
 * anything, and of any size, and it would stay in the session and in each request from then on.
 */
import { type ImageContent, reasonOf, type TextContent } from "../session/mod.ts";
import { IMAGE_BASE64_MAX, imageNote } from "./providers/images.ts";
import type { ToolResult } from "./tool.ts";

/** Characters of text that a result may have: about as much as the largest windows hold. */
export const RESULT_TEXT_MAX = 1_000_000;
/** Base64 characters of all images of a result. */
const RESULT_IMAGES_MAX = 4 * IMAGE_BASE64_MAX;
/** Characters that details may have as JSON. */
const RESULT_DETAILS_MAX = 1_000_000;

/** A result that tells the model what was wrong. */
export function errorResult(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/**
 * The result with blocks of text and images alone, bounded in size: what is too much is left out,
 * with a note for the model. An error result, if the value is no result.
 */
export function fitResult(value: unknown, toolName: string): ToolResult {
  if (!isResult(value)) {
    return errorResult(
      `The tool ${toolName} ran, but what it gave back is no result (an object with a list "content").`,
    );
  }
  const { details, isError } = value;
  return {
    content: fitContent(value.content),
    ...(details === undefined ? {} : { details: fitDetails(details) }),
    ...(isError === undefined ? {} : { isError: isError === true }),
  };
}

interface UncheckedResult {
  content: unknown[];
  details?: unknown;
  isError?: unknown;
}

function isResult(value: unknown): value is UncheckedResult {
  return typeof value === "object" && value !== null && "content" in value &&
    Array.isArray(value.content);
}

function fitContent(blocks: readonly unknown[]): ToolResult["content"] {
  const content: ToolResult["content"] = [];
  let textRoom = RESULT_TEXT_MAX;
  let imageRoom = RESULT_IMAGES_MAX;
  let left = 0;
  for (const block of blocks) {
    if (isText(block)) {
      const text = block.text.length <= textRoom
        ? block.text
        : block.text.slice(0, textRoom).toWellFormed();
      left += block.text.length - text.length;
      textRoom -= text.length;
      if (text !== "" || block.text === "") content.push({ ...block, text });
    } else if (isImage(block)) {
      const fits = block.data.length <= Math.min(imageRoom, IMAGE_BASE64_MAX);
      if (fits) imageRoom -= block.data.length;
      content.push(fits ? block : imageNote("it is too big"));
    }
  }
  if (left > 0) {
    const text = `[The result was too long: its last ${left} characters are left out.]`;
    content.push({ type: "text", text });
  }
  return content;
}

function isText(block: unknown): block is TextContent {
  return typeof block === "object" && block !== null && "type" in block &&
    block.type === "text" && "text" in block && typeof block.text === "string";
}

function isImage(block: unknown): block is ImageContent {
  return typeof block === "object" && block !== null && "type" in block &&
    block.type === "image" && "data" in block && typeof block.data === "string" &&
    "mimeType" in block && typeof block.mimeType === "string";
}

/** Details that cannot be written as JSON would keep the result itself from being written. */
function fitDetails(details: unknown): unknown {
  try {
    const length = JSON.stringify(details)?.length ?? 0;
    return length <= RESULT_DETAILS_MAX ? details : { leftOut: `too long: ${length} characters` };
  } catch (error) {
    return { leftOut: reasonOf(error) };
  }
}
