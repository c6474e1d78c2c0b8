/** The tool `edit`. */
import * as fs from "node:fs";
import { checkArguments } from "../schema/mod.ts";
import { type ArgumentsCheck, type Tool, ToolError, type ToolResult } from "../tool.ts";
import { replaceFile } from "./atomic_file.ts";
import { type Edit, findReplacements, lineOf, replaced, type Replacement } from "./edit_match.ts";
import { existingPath, fileProblem, shownPath } from "./paths.ts";
import { isBinary } from "./text_file.ts";
import type { ToolOptions } from "./tool_options.ts";
import { BYTES_MAX, cutEnd, sizeText } from "./truncate.ts";
import { unifiedDiff } from "./unified_diff.ts";

/** Greater files are not edited in memory. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;

/** What the result of `edit` tells programs. */
export interface EditDetails {
  /** A unified diff; long ones are cut. */
  diff: string;
  /** The first line that changed, counted from 1 in the new file. */
  firstChangedLine: number;
}

const PARAMETERS = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file, relative to the session's directory" },
    edits: {
      type: "array",
      minItems: 1,
      description: "The replacements; each is looked for in the file as it is now",
      items: {
        type: "object",
        properties: {
          oldText: {
            type: "string",
            description: "Text that is in the file exactly once; as short as that allows",
          },
          newText: { type: "string", description: "What stands there instead" },
        },
        required: ["oldText", "newText"],
        additionalProperties: false,
      },
    },
  },
  required: ["path", "edits"],
  additionalProperties: false,
};

/** Replaces parts of a file; every byte around them stays. */
export function editTool(options: ToolOptions): Tool {
  return {
    name: "edit",
    description:
      "Replaces text in a file. Each edit's oldText must be in the file exactly once, and edits must not overlap: put changes that touch each other into one edit. Either all edits are made or none.",
    parameters: PARAMETERS,
    check: (args) => checkEditArguments(args),
    execute: async (args, { signal }) => {
      const given = String(args["path"]);
      const file = existingPath(given, "edit", options);
      if (signal.aborted) throw new ToolError(`${given} was not changed: the call was aborted.`);
      return editFile(file, given, editsIn(args["edits"]), shownPath(file, options));
    },
  };
}

/** Takes a single edit also where its two texts stand beside the path. */
function checkEditArguments(args: Record<string, unknown>): ArgumentsCheck {
  const { oldText, newText, edits, ...others } = args;
  const isFlat = edits === undefined && typeof oldText === "string" && typeof newText === "string";
  return checkArguments(PARAMETERS, isFlat ? { ...others, edits: [{ oldText, newText }] } : args);
}

function editsIn(value: unknown): Edit[] {
  if (!Array.isArray(value)) return [];
  return value.map((each: Partial<Record<keyof Edit, unknown>>) => ({
    oldText: String(each.oldText),
    newText: String(each.newText).toWellFormed(),
  }));
}

/** Reads, replaces and writes without a pause, so that no other call gets in between. */
function editFile(file: string, given: string, edits: readonly Edit[], name: string): ToolResult {
  const failed = (error: ToolError) => new ToolError(`Cannot edit ${given}: ${error.message}`);
  try {
    const { text, encode } = decoded(readWhole(file));
    const asStored = edits.map((edit) => ({
      oldText: encode === undefined ? edit.oldText : bytewise(edit.oldText),
      newText: encode === undefined ? edit.newText : bytewise(edit.newText),
    }));
    const replacements = findReplacements(text, asStored, encode ? ["lines"] : undefined);
    const after = replaced(text, replacements);
    if (after === text) {
      throw new ToolError("oldText and newText are the same, so nothing was changed.");
    }
    replaceFile(file, encode ? encode(after) : Buffer.from(after, "utf8"));
    return resultOf(given, name, text, replacements);
  } catch (error) {
    if (error instanceof ToolError) throw failed(error);
    throw fileProblem("edit", given, error);
  }
}

function readWhole(file: string): Buffer {
  const stat = fs.statSync(file);
  if (stat.isDirectory()) throw new ToolError("it is a directory.");
  if (!stat.isFile()) throw new ToolError("it is no regular file.");
  if (stat.size > FILE_BYTES_MAX) {
    throw new ToolError(`it is too big (${sizeText(stat.size)}). Use bash, for example sed -i.`);
  }
  const bytes = fs.readFileSync(file);
  if (isBinary(bytes)) throw new ToolError("it is a binary file.");
  return bytes;
}

/**
 * A file's text. Bytes that are no UTF-8 are taken one by one (`encode` is then set): text is found
 * in them byte for byte, and all others are kept.
 */
function decoded(bytes: Buffer): { text: string; encode?: (text: string) => Buffer } {
  const text = bytes.toString("utf8");
  if (Buffer.from(text, "utf8").equals(bytes)) return { text };
  return { text: bytes.toString("latin1"), encode: (changed) => Buffer.from(changed, "latin1") };
}

function bytewise(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

function resultOf(
  given: string,
  name: string,
  text: string,
  replacements: readonly Replacement[],
): ToolResult {
  const diff = unifiedDiff(name, text, replacements);
  const cut = cutEnd(diff, BYTES_MAX);
  const line = lineOf(text, replacements[0]?.start ?? 0);
  const details: EditDetails = {
    diff: cut.length < diff.length ? `${cut}\n[the rest of the diff is left out]\n` : diff,
    firstChangedLine: line,
  };
  const count = replacements.length;
  const lines = replacements.map(({ start }) => lineOf(text, start)).join(", ");
  const loose = replacements.filter(({ isLoose }) => isLoose).length;
  const how = loose === 0
    ? ""
    : ` ${loose} of them matched only by look (quotes, dashes, blanks or letter forms differ).`;
  return {
    content: [{
      type: "text",
      text: `Edited ${given}: ${count} ${
        count === 1 ? "place" : "places"
      }, from line ${lines}.${how}`,
    }],
    details,
  };
}
