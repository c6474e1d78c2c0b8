/** What extensions may use of the program's own code; the values of `bough/api`. */
import { defineTool, ToolError, type ToolResult } from "../../agent/mod.ts";
import { textOf } from "../../session/mod.ts";

export { defineTool, textOf, ToolError };

/** A tool's result with one text. */
export function textResult(text: string, details?: unknown): ToolResult {
  return { content: [{ type: "text", text }], ...(details === undefined ? {} : { details }) };
}
