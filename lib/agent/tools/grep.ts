/** The tool `grep`. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Tool } from "../tool.ts";
import { globTest } from "./glob.ts";
import { type FoundLine, type Search, searchByWalk, searchWithRipgrep } from "./grep_search.ts";
import { existingPath, shownPath } from "./paths.ts";
import { findRipgrep, RipgrepRefused } from "./ripgrep.ts";
import { environmentOf, type ToolOptions } from "./tool_options.ts";
import { firstLines } from "./truncate.ts";

const MATCHES_MAX = 100;
const CONTEXT_MAX = 50;
/** Characters of a line that are shown, and how many of them stand before the match. */
const LINE_SHOWN_MAX = 500;
const BEFORE_MATCH_MAX = 100;

/** Searches the contents of files. */
export function grepTool(options: ToolOptions): Tool {
  return {
    name: "grep",
    description:
      `Searches the lines of files for a regular expression. Leaves out binary files and what .gitignore does. Gives path:line: text, sorted; at most ${MATCHES_MAX} matches unless limit says otherwise.`,
    parameters: {
      type: "object",
      properties: {
        pattern: { type: "string", minLength: 1, description: "The regular expression" },
        path: {
          type: "string",
          description: "A directory or file; the session's directory if absent",
        },
        glob: { type: "string", minLength: 1, description: "Only files like this, such as *.ts" },
        ignoreCase: { type: "boolean", description: "Upper and lower case are the same" },
        literal: { type: "boolean", description: "The pattern is plain text" },
        context: {
          type: "integer",
          minimum: 0,
          maximum: CONTEXT_MAX,
          description: "Lines shown before and after each match",
        },
        limit: { type: "integer", minimum: 1, description: "How many matches at most" },
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    readOnly: true,
    execute: async (args, { signal }) => {
      const search = searchOf(args, options);
      const lines: FoundLine[] = [];
      let matches = 0;
      for await (const line of foundLines(search, options, signal)) {
        if (line.matchAt !== undefined) matches++;
        if (matches > search.matchesMax) break;
        // Lines may be as long as files, so what is not shown of one is let go of at once.
        lines.push({ ...line, text: shortened(line) });
      }
      return { content: [{ type: "text", text: textOf(lines, matches, search, options) }] };
    },
  };
}

function searchOf(args: Record<string, unknown>, options: ToolOptions): Search {
  const given = typeof args["path"] === "string" ? args["path"] : ".";
  const target = existingPath(given, "search", options);
  const isDirectory = fs.statSync(target).isDirectory();
  const glob = typeof args["glob"] === "string" ? args["glob"] : undefined;
  return {
    pattern: String(args["pattern"]),
    literal: args["literal"] === true,
    ignoreCase: args["ignoreCase"] === true,
    directory: isDirectory ? target : path.dirname(target),
    file: isDirectory ? undefined : path.basename(target),
    context: typeof args["context"] === "number" ? args["context"] : 0,
    glob,
    isWanted: glob === undefined || !isDirectory ? () => true : globTest(glob),
    matchesMax: typeof args["limit"] === "number" ? args["limit"] : MATCHES_MAX,
  };
}

async function* foundLines(
  search: Search,
  options: ToolOptions,
  signal: AbortSignal,
): AsyncGenerator<FoundLine> {
  const program = findRipgrep(environmentOf(options));
  if (program !== undefined) {
    try {
      yield* searchWithRipgrep(search, program, signal);
      return;
    } catch (error) {
      // It does not know look-around, for example; ours does, or says what is wrong.
      if (!(error instanceof RipgrepRefused)) throw error;
    }
  }
  yield* searchByWalk(search, await options.ignore?.(), signal);
}

function textOf(
  found: readonly FoundLine[],
  matches: number,
  search: Search,
  options: ToolOptions,
): string {
  const isMore = matches > search.matchesMax;
  const shown = isMore ? withoutStrays(found, search.context) : found;
  if (shown.length === 0) return "No matches.";
  const texts: string[] = [];
  for (const [index, line] of shown.entries()) {
    const before = shown[index - 1];
    const isGap = before && (before.path !== line.path || before.line + 1 < line.line);
    if (search.context > 0 && isGap) texts.push("--");
    texts.push(lineText(line, search, options));
  }
  const { lines, cut } = firstLines(texts);
  const note = isMore
    ? `\n\n[The first ${search.matchesMax} matches are shown; there are more. Narrow the pattern, the path or the glob.]`
    : "";
  const cutNote = cut ? "\n\n[The rest is left out: it is too long. Narrow the search.]" : note;
  return lines.join("\n") + cutNote;
}

/** Without the lines that stand before a match which is not shown. */
function withoutStrays(found: readonly FoundLine[], context: number): FoundLine[] {
  const lastAt = found.findLastIndex((line) => line.matchAt !== undefined);
  const last = found[lastAt];
  if (!last) return [];
  return found.filter((line, at) =>
    at <= lastAt || (line.path === last.path && line.line <= last.line + context)
  );
}

function lineText(line: FoundLine, search: Search, options: ToolOptions): string {
  const file = shownPath(path.join(search.directory, line.path), options);
  const mark = line.matchAt === undefined ? "-" : ":";
  return `${file}${mark}${line.line}${mark} ${line.text}`.toWellFormed();
}

/** A long line's part around its match. */
function shortened({ text, matchAt = 0 }: FoundLine): string {
  if (text.length <= LINE_SHOWN_MAX) return text;
  const start = matchAt + BEFORE_MATCH_MAX < LINE_SHOWN_MAX ? 0 : matchAt - BEFORE_MATCH_MAX;
  const end = start + LINE_SHOWN_MAX;
  // Joined, it is a text of its own; a slice alone would keep the whole line in memory.
  return [start > 0 ? "…" : "", text.slice(start, end), end < text.length ? "…" : ""].join("");
}
