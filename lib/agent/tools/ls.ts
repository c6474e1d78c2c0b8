/** The tool `ls`. */
import * as fs from "node:fs";
import * as path from "node:path";
import { errorCode } from "../../session/mod.ts";
import { type Tool, ToolError } from "../tool.ts";
import { existingPath, fileProblem } from "./paths.ts";
import type { ToolOptions } from "./tool_options.ts";
import { firstLines } from "./truncate.ts";
import { byName } from "./walk.ts";

const ENTRIES_MAX = 500;

/** Lists a directory. */
export function lsTool(options: ToolOptions): Tool {
  return {
    name: "ls",
    description:
      `Lists what is in a directory, sorted, hidden names too; directories end in /. At most ${ENTRIES_MAX} names unless limit says otherwise.`,
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "The directory; the session's own if absent" },
        limit: { type: "integer", minimum: 1, description: "How many names at most" },
      },
      additionalProperties: false,
    },
    readOnly: true,
    execute: async (args) => {
      const given = typeof args["path"] === "string" ? args["path"] : ".";
      const limit = typeof args["limit"] === "number" ? args["limit"] : ENTRIES_MAX;
      const directory = existingPath(given, "list", options);
      if (!fs.statSync(directory).isDirectory()) {
        throw new ToolError(`Cannot list ${given}: it is a file. Use read to see what is in it.`);
      }
      const names = namesIn(directory, given);
      if (names.length === 0) return { content: [{ type: "text", text: "(empty directory)" }] };
      const { lines, cut } = firstLines(names, { linesMax: limit });
      const note = cut ? `\n\n[${lines.length} of ${names.length} names are shown.]` : "";
      return { content: [{ type: "text", text: lines.join("\n") + note }] };
    },
  };
}

/** The names, with a `/` behind those of directories, also where a link leads to one. */
function namesIn(directory: string, given: string): string[] {
  try {
    return fs.readdirSync(directory, { withFileTypes: true }).sort(byName).map((entry) => {
      const isDirectory = entry.isDirectory() ||
        (entry.isSymbolicLink() && leadsToDirectory(path.join(directory, entry.name)));
      return (isDirectory ? `${entry.name}/` : entry.name).toWellFormed();
    });
  } catch (error) {
    throw fileProblem("list", given, error);
  }
}

function leadsToDirectory(link: string): boolean {
  try {
    return fs.statSync(link).isDirectory();
  } catch (error) {
    // A link that leads nowhere, in a circle, or where we may not look is a name like others.
    if (errorCode(error) !== undefined) return false;
    throw error;
  }
}
