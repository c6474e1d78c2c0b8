/** The tool `read`. */
import * as fs from "node:fs";
import { checkImage, IMAGE_BYTES_MAX, kindOf } from "../providers/images.ts";
import { type Tool, ToolError, type ToolResult } from "../tool.ts";
import { existingPath, fileProblem } from "./paths.ts";
import { headOf, isBinary, readLines } from "./text_file.ts";
import type { ToolOptions } from "./tool_options.ts";
import { byteLength, BYTES_MAX, cutEnd, firstLines, LINES_MAX, sizeText } from "./truncate.ts";

/** What the result of `read` tells programs, for a text file. */
export interface ReadDetails {
  firstLine: number;
  lastLine: number;
  totalLines: number;
  truncated: boolean;
}

/** Reads a text file, whole or some lines, or an image. */
export function readTool(options: ToolOptions): Tool {
  return {
    name: "read",
    description: `Reads a file. Text comes as it is, at most ${LINES_MAX} lines or ${
      BYTES_MAX / 1024
    } KB at a time; offset and limit choose lines. PNG, JPEG, GIF and WebP images are shown.`,
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "The file, relative to the session's directory" },
        offset: { type: "integer", minimum: 1, description: "The first line, counted from 1" },
        limit: { type: "integer", minimum: 1, description: "How many lines" },
      },
      required: ["path"],
      additionalProperties: false,
    },
    readOnly: true,
    execute: async (args, { signal }) => {
      const given = String(args["path"]);
      const file = existingPath(given, "read", options);
      try {
        const stat = fs.statSync(file);
        if (stat.isDirectory()) {
          throw new ToolError(
            `Cannot read ${given}: it is a directory. Use ls to see what is in it.`,
          );
        }
        if (!stat.isFile()) throw new ToolError(`Cannot read ${given}: it is no regular file.`);
        const head = await headOf(file);
        if (kindOf(head)) return readImage(file, given, stat.size);
        if (isBinary(head)) {
          throw new ToolError(
            `Cannot read ${given} as text: it is a binary file (${sizeText(stat.size)}). ` +
              "Use bash with a program that knows the format, or with file, xxd or strings.",
          );
        }
        return await readText(file, given, args, signal);
      } catch (error) {
        if (error instanceof ToolError) throw error;
        signal.throwIfAborted();
        throw fileProblem("read", given, error);
      }
    },
  };
}

/** The image, if a provider will take it; else a note that says why not. */
function readImage(file: string, given: string, size: number): ToolResult {
  if (size > IMAGE_BYTES_MAX) {
    return note(
      `${given} is an image of ${sizeText(size)}; at most ${
        sizeText(IMAGE_BYTES_MAX)
      } can be shown. ` +
        "Make a smaller copy and read that.",
    );
  }
  const data = fs.readFileSync(file).toString("base64");
  const checked = checkImage({ type: "image", data, mimeType: "image/png" });
  if (!checked.ok) return note(`${given} is an image that cannot be shown: ${checked.problem}.`);
  return {
    content: [
      { type: "text", text: `${given} (${checked.image.mimeType}, ${sizeText(size)})` },
      checked.image,
    ],
  };
}

function note(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}

async function readText(
  file: string,
  given: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
): Promise<ToolResult> {
  const first = typeof args["offset"] === "number" ? args["offset"] : 1;
  const limit = typeof args["limit"] === "number" ? args["limit"] : LINES_MAX;
  const last = first - 1 + Math.min(limit, LINES_MAX);
  const found = await readLines(file, { first, last }, signal);
  const { totalLines } = found;
  if (totalLines === 0) return note(`${given} is empty.`);
  if (first > totalLines) {
    throw new ToolError(
      `Cannot read ${given} from line ${first} on: it has ${totalLines} lines.`,
    );
  }
  const { lines } = firstLines(found.lines);
  const notes: string[] = [];
  const shownLast = first - 1 + Math.max(1, lines.length);
  if (lines.length === 0) {
    const line = cutEnd(found.lines[0] ?? "", BYTES_MAX);
    lines.push(line);
    notes.push(
      `Line ${first} is cut: the first ${sizeText(byteLength(line))} of its ${
        sizeText(found.lineBytes[0] ?? 0)
      } are shown. Use bash to see more of it, for example with cut -c.`,
    );
  }
  if (shownLast < totalLines) {
    notes.push(
      `Lines ${first}-${shownLast} of ${totalLines} are shown. Go on with offset ${shownLast + 1}.`,
    );
  }
  if (found.isMended) notes.push("Some bytes are no UTF-8; \ufffd stands for them.");
  const details: ReadDetails = {
    firstLine: first,
    lastLine: shownLast,
    totalLines,
    truncated: first > 1 || shownLast < totalLines,
  };
  const text = lines.join("\n") + (notes.length === 0 ? "" : `\n\n[${notes.join(" ")}]`);
  return { content: [{ type: "text", text }], details };
}
