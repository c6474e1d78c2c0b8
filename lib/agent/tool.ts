/** The port to a tool. */
import type { ImageContent, TextContent } from "../session/mod.ts";
import type { ToolSpec } from "./model.ts";

/**
 * What a tool gives back. `details` are for people and programs (as JSON); the model sees `content`.
 * A tool should bound both: of more than a million characters of text, or of JSON, the rest is left
 * out, and so are images over 5 MB.
 */
export interface ToolResult {
  content: (TextContent | ImageContent)[];
  details?: unknown;
  isError?: boolean;
}

/** What a running call is given besides its arguments. */
export interface ToolCallContext {
  toolCallId: string;
  /** Aborts when the run does. A tool then stops its children and returns or throws soon. */
  signal: AbortSignal;
  /** Tells what there is so far. */
  onUpdate(partial: ToolResult): void;
}

/** Checks and, where it can only mean one thing, mends arguments. */
export type ArgumentsCheck =
  | { ok: true; args: Record<string, unknown> }
  | { ok: false; problem: string };

/**
 * A tool: its name, what the model is told of it, and what it does. A throw becomes an error
 * result; a `ToolError`'s message is written for the model.
 */
export interface Tool extends ToolSpec {
  /** Runs alone: no other call of the same answer runs beside it. */
  readonly alone?: boolean;
  /** Changes nothing: allowed with `--read-only`. */
  readonly readOnly?: boolean;
  /** A Standard Schema or a check of one's own; without it, `parameters` is checked. */
  readonly check?: (args: Record<string, unknown>) => ArgumentsCheck | Promise<ArgumentsCheck>;
  execute(args: Record<string, unknown>, context: ToolCallContext): Promise<ToolResult>;
}

/**
 * A tool could not do what it was asked; the message says why and what the model can do.
 *
 * @example
 * ```ts
 * import { type Tool, ToolError } from "bough";
 *
 * const lookUp: Tool = {
 *   name: "look_up",
 *   description: "Looks up a word.",
 *   parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
 *   execute: async ({ word }) => {
 *     if (word !== "bough") throw new ToolError(`Cannot look up ${word}: only "bough" is known`);
 *     return { content: [{ type: "text", text: "A main branch of a tree." }] };
 *   },
 * };
 * console.log(lookUp.name);
 * ```
 */
export class ToolError extends Error {
  override readonly name = "ToolError";
}
