/** The tool `write`. */
import { type Tool, ToolError } from "../tool.ts";
import { replaceFile } from "./atomic_file.ts";
import { fileProblem, toolPath } from "./paths.ts";
import type { ToolOptions } from "./tool_options.ts";
import { byteLength, sizeText } from "./truncate.ts";

/** Writes a file whole, and the directories that it needs. */
export function writeTool(options: ToolOptions): Tool {
  return {
    name: "write",
    description:
      "Writes a file: makes it, and the directories that it needs, or replaces all that is in it. To change a part of a file, use edit.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "The file, relative to the session's directory" },
        content: { type: "string", description: "All that the file shall contain" },
      },
      required: ["path", "content"],
      additionalProperties: false,
    },
    execute: async (args, { signal }) => {
      const given = String(args["path"]);
      const content = String(args["content"]).toWellFormed();
      const file = toolPath(given, options);
      if (signal.aborted) throw new ToolError(`${given} was not written: the call was aborted.`);
      try {
        replaceFile(file, Buffer.from(content, "utf8"));
      } catch (error) {
        throw fileProblem("write", given, error);
      }
      return {
        content: [{ type: "text", text: `Wrote ${given} (${sizeText(byteLength(content))}).` }],
      };
    },
  };
}
