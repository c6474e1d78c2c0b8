/** The tool `find`. */
import * as fs from "node:fs";
import * as path from "node:path";
import { type Tool, ToolError } from "../tool.ts";
import { globTest } from "./glob.ts";
import { existingPath, shownPath } from "./paths.ts";
import { findRipgrep, ripgrep, ripgrepOptions, RipgrepRefused } from "./ripgrep.ts";
import { environmentOf, type ToolOptions } from "./tool_options.ts";
import { firstLines } from "./truncate.ts";
import { walk } from "./walk.ts";

const FILES_MAX = 1_000;

/** Finds files by a glob. */
export function findTool(options: ToolOptions): Tool {
  return {
    name: "find",
    description:
      `Finds files (not directories) by a glob such as *.ts, or src/**/*.test.ts from the directory on. Leaves out what .gitignore does. Gives sorted paths, relative to the session's directory; at most ${FILES_MAX} unless limit says otherwise.`,
    parameters: {
      type: "object",
      properties: {
        pattern: { type: "string", minLength: 1, description: "The glob" },
        path: { type: "string", description: "Where to look; the session's directory if absent" },
        limit: { type: "integer", minimum: 1, description: "How many files at most" },
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    readOnly: true,
    execute: async (args, { signal }) => {
      const given = typeof args["path"] === "string" ? args["path"] : ".";
      const limit = typeof args["limit"] === "number" ? args["limit"] : FILES_MAX;
      const directory = existingPath(given, "search", options);
      if (!fs.statSync(directory).isDirectory()) {
        throw new ToolError(`Cannot search ${given}: it is a file, not a directory.`);
      }
      const isWanted = globTest(String(args["pattern"]));
      const found: string[] = [];
      let isMore = false;
      for await (const relative of filesBelow(directory, options, signal)) {
        if (!isWanted(relative)) continue;
        isMore = found.length === limit;
        if (isMore) break;
        found.push(shownPath(path.join(directory, relative), options).toWellFormed());
      }
      if (found.length === 0) {
        return { content: [{ type: "text", text: "No files match." }] };
      }
      const { lines, cut } = firstLines(found, { linesMax: limit });
      const note = cut || isMore
        ? `\n\n[The first ${lines.length} files are shown; there are more. Narrow the pattern or the path.]`
        : "";
      return { content: [{ type: "text", text: lines.join("\n") + note }] };
    },
  };
}

/** The files below a directory, relative to it: listed by ripgrep, or by a walk of our own. */
async function* filesBelow(
  directory: string,
  options: ToolOptions,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const program = findRipgrep(environmentOf(options));
  if (program !== undefined) {
    const args = [...ripgrepOptions(directory), "--files", "--null", "./"];
    try {
      for await (const file of ripgrep({ program, args, directory, separator: "\0", signal })) {
        yield file.replace(/^\.[\\/]/, "").replaceAll(path.sep, "/");
      }
      return;
    } catch (error) {
      if (!(error instanceof RipgrepRefused)) throw error;
    }
  }
  yield* walk({ directory, ignore: await options.ignore?.(), signal });
}
