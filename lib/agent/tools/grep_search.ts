/** Where lines match: found by ripgrep, or by a walk of our own that gives the same. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { errorCode } from "../../session/mod.ts";
import type { IgnoreFactory } from "./ignore.ts";
import { lineMatcher, type Matches } from "./line_matcher.ts";
import { ripgrep, ripgrepOptions } from "./ripgrep.ts";
import { searchExpression, type SearchPattern } from "./search_pattern.ts";
import { walk } from "./walk.ts";

/** What is looked for, and where. */
export interface Search extends SearchPattern {
  directory: string;
  /** Only this file of the directory. */
  file: string | undefined;
  /** Lines shown before and after a match. */
  context: number;
  /** The glob that `isWanted` tests. */
  glob: string | undefined;
  isWanted(path: string): boolean;
  /** How many matches are of interest. */
  matchesMax: number;
}

/** A line of a file: a match, or one beside it. */
export interface FoundLine {
  /** Relative to the search's directory, with `/`. */
  path: string;
  /** Counted from 1. */
  line: number;
  text: string;
  /** Where in `text` the match starts; undefined if it is a line beside one. */
  matchAt: number | undefined;
}

/** Greater files are not searched. */
const FILE_BYTES_MAX = 50 * 1024 * 1024;

/** Searches with ripgrep. Throws `RipgrepRefused` if it does not take the pattern. */
export async function* searchWithRipgrep(
  search: Search,
  program: string,
  signal: AbortSignal,
): AsyncGenerator<FoundLine> {
  const { directory, glob } = search;
  const args = [
    ...ripgrepOptions(directory),
    "--json",
    "--crlf",
    `--max-filesize=${FILE_BYTES_MAX}`,
    `--context=${search.context}`,
    ...(search.ignoreCase ? ["--ignore-case"] : ["--case-sensitive"]),
    ...(search.literal ? ["--fixed-strings"] : []),
    // A type spares ripgrep the other files; unlike --glob it does not bring ignored ones back.
    ...(glob === undefined || /[/!]/.test(glob) || search.file !== undefined
      ? []
      : [`--type-add=wanted:${glob}`, "--type=wanted"]),
    `--regexp=${search.pattern}`,
    "--",
    search.file === undefined ? "./" : `./${search.file}`,
  ];
  let lines: FoundLine[] = [];
  let matches = 0;
  for await (const record of ripgrep({ program, args, directory, separator: "\n", signal })) {
    const event: RipgrepEvent = JSON.parse(record);
    switch (event.type) {
      case "match":
      case "context": {
        const line = foundLine(event.data, event.type === "match");
        if (!search.isWanted(line.path)) break;
        lines.push(line);
        if (event.type === "match" && ++matches > search.matchesMax) {
          yield* lines;
          return;
        }
        break;
      }
      case "end":
        // A file with a NUL byte is no text, wherever the byte is.
        if (event.data.binary_offset === null) yield* lines;
        else matches -= lines.filter((line) => line.matchAt !== undefined).length;
        lines = [];
        break;
      case "begin":
      case "summary":
        break;
    }
  }
}

/** A value that ripgrep gives as text, or as base64 where it is no UTF-8. */
type RipgrepText = { text: string } | { bytes: string };

interface RipgrepLine {
  path: RipgrepText;
  lines: RipgrepText;
  line_number: number;
  submatches: { start: number }[];
}

type RipgrepEvent =
  | { type: "begin" | "summary" }
  | { type: "match" | "context"; data: RipgrepLine }
  | { type: "end"; data: { binary_offset: number | null } };

function foundLine(data: RipgrepLine, isMatch: boolean): FoundLine {
  const bytes = bytesOf(data.lines);
  const start = data.submatches[0]?.start ?? 0;
  return {
    path: bytesOf(data.path).toString("utf8").replace(/^\.[\\/]/, "").replaceAll(path.sep, "/"),
    line: data.line_number,
    text: bytes.toString("utf8").replace(/\r?\n$/, ""),
    matchAt: isMatch ? bytes.toString("utf8", 0, start).length : undefined,
  };
}

function bytesOf(value: RipgrepText): Buffer {
  return "text" in value ? Buffer.from(value.text, "utf8") : Buffer.from(value.bytes, "base64");
}

/** Searches file by file, without ripgrep. */
export async function* searchByWalk(
  search: Search,
  ignore: IgnoreFactory | undefined,
  signal: AbortSignal,
): AsyncGenerator<FoundLine> {
  const { directory } = search;
  const matcher = lineMatcher(searchExpression(search), signal);
  let matches = 0;
  const files = search.file === undefined ? walk({ directory, ignore, signal }) : [search.file];
  try {
    for await (const file of files) {
      signal.throwIfAborted();
      if (!search.isWanted(file)) continue;
      const lines = await textLines(path.join(directory, file));
      if (!lines) continue;
      const found = await matcher.match(lines, search.matchesMax + 1 - matches, file);
      matches += found.size;
      yield* withContext(file, lines, found, search.context);
      if (matches > search.matchesMax) return;
    }
  } finally {
    matcher.end();
  }
}

/** The lines of a text file; undefined for what is no text, too big, or cannot be read. */
async function textLines(file: string): Promise<string[] | undefined> {
  try {
    if ((await fs.stat(file)).size > FILE_BYTES_MAX) return undefined;
    const bytes = await fs.readFile(file);
    const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) ||
      (bytes[0] === 0xfe && bytes[1] === 0xff);
    if (!isUtf16 && bytes.includes(0)) return undefined;
    const encoding = !isUtf16 ? "utf-8" : bytes[0] === 0xff ? "utf-16le" : "utf-16be";
    const lines = new TextDecoder(encoding).decode(bytes).split("\n");
    if (lines.at(-1) === "") lines.pop();
    return lines.map((line) => line.endsWith("\r") ? line.slice(0, -1) : line);
  } catch (error) {
    if (errorCode(error) !== undefined) return undefined;
    throw error;
  }
}

function* withContext(
  file: string,
  lines: readonly string[],
  found: Matches,
  context: number,
): Generator<FoundLine> {
  let next = 0;
  for (const index of found.keys()) {
    const last = Math.min(lines.length - 1, index + context);
    for (let at = Math.max(next, index - context); at <= last; at++) {
      yield { path: file, line: at + 1, text: lines[at] ?? "", matchAt: found.get(at) };
    }
    next = Math.max(next, last + 1);
  }
}
