/** Finds the places that edits mean, and what they become: all of them, or a reason why not. */
import { ToolError } from "../tool.ts";
import { fold, type FoldedText, type FoldLevel } from "./fold.ts";

/** One replacement, as a model asks for it. */
export interface Edit {
  oldText: string;
  newText: string;
}

/** A part of a text that is replaced. Positions are UTF-16 units of the text. */
export interface Replacement {
  start: number;
  end: number;
  newText: string;
  /** Found only after folding what looks alike. */
  isLoose: boolean;
}

/** How many places are counted before "at least" is said. */
const PLACES_MAX = 100;
const LINES_NAMED_MAX = 5;

/**
 * The replacements that edits come to, in the order of the text. Each `oldText` must be in the text
 * exactly once, without regard to the line ends' style; only if it is not there at all, what looks
 * alike counts, and then too the place must be the only one. Throws a ToolError if an edit has no
 * such place, or two overlap; its message goes on after "Cannot edit x:".
 */
export function findReplacements(
  text: string,
  edits: readonly Edit[],
  levels: readonly FoldLevel[] = ["lines", "loose"],
): Replacement[] {
  const folds = levels.map((level) => lazyFold(text, level));
  const found = edits.map((edit, index) => {
    const name = edits.length === 1
      ? "its oldText"
      : `the oldText of edit ${index + 1} of ${edits.length}`;
    return { index, ...findPlace(text, edit, name, folds) };
  }).sort((a, b) => a.start - b.start);
  for (const [index, place] of found.entries()) {
    const before = found[index - 1];
    if (before && before.end > place.start) {
      const [first, second] = [before.index, place.index].sort((a, b) => a - b);
      throw new ToolError(
        `edits ${(first ?? 0) + 1} and ${(second ?? 0) + 1} overlap. Make them one edit.`,
      );
    }
  }
  return found.map((place) => place.replacement);
}

/** A text folded to a level, once it is asked for. */
interface LazyFold {
  level: FoldLevel;
  folded(): FoldedText;
}

function lazyFold(text: string, level: FoldLevel): LazyFold {
  let known: FoldedText | undefined;
  return { level, folded: () => known ??= fold(text, level) };
}

interface Place {
  start: number;
  end: number;
  replacement: Replacement;
}

function findPlace(
  text: string,
  edit: Edit,
  name: string,
  folds: readonly LazyFold[],
): Place {
  if (edit.oldText === "") throw new ToolError(`${name} is empty. Use write to make a file.`);
  for (const { level, folded: foldText } of folds) {
    const folded = foldText();
    for (const needle of needlesOf(edit.oldText, level)) {
      const places = placesOf(folded.plain, needle);
      const [at] = places;
      if (at === undefined) continue;
      if (places.length > 1) throw notUnique(text, folded, places, name, level);
      return placeOf(text, folded, at, needle.plain, edit, level);
    }
  }
  throw notFound(text, edit, name);
}

/** A text to look for; `beforeLineEnd` if it counts only at the end of a line. */
interface Needle {
  plain: string;
  beforeLineEnd: boolean;
}

function needlesOf(oldText: string, level: FoldLevel): Needle[] {
  const { plain } = fold(oldText, level);
  if (level === "lines") return [{ plain, beforeLineEnd: false }];
  if (plain.trim() === "") return [];
  // Blanks at its end count where they stand inside a line; at a line's end they may be missing.
  const blanks = /[^\S\n]*$/.exec(oldText)?.[0].length ?? 0;
  if (blanks === 0) return [{ plain, beforeLineEnd: false }];
  return [
    { plain: plain + " ".repeat(blanks), beforeLineEnd: false },
    { plain, beforeLineEnd: true },
  ];
}

/** Where a needle is; places may overlap, for then it is not clear which is meant. */
function placesOf(plain: string, needle: Needle): number[] {
  const places: number[] = [];
  let at = plain.indexOf(needle.plain);
  while (at >= 0 && places.length < PLACES_MAX) {
    const end = at + needle.plain.length;
    if (!needle.beforeLineEnd || end === plain.length || plain[end] === "\n") places.push(at);
    at = plain.indexOf(needle.plain, at + 1);
  }
  return places;
}

/**
 * The span in the text that a place in the folded text stands for, and its replacement: only the
 * lines that the edit changes, so that each line around them keeps its every byte.
 */
function placeOf(
  text: string,
  folded: FoldedText,
  at: number,
  plain: string,
  edit: Edit,
  level: FoldLevel,
): Place {
  const end = at + plain.length;
  const whole = { start: folded.startOf(at), end: folded.endOf(end - 1) };
  const oldLines = edit.oldText.replaceAll("\r\n", "\n").split("\n");
  const newLines = edit.newText.replaceAll("\r\n", "\n").split("\n");
  const plainLines = plain.split("\n");
  const most = Math.min(oldLines.length, newLines.length) - 1;
  let above = 0;
  while (above < most && oldLines[above] === newLines[above]) above++;
  let below = 0;
  while (below < most - above && oldLines.at(-1 - below) === newLines.at(-1 - below)) below++;
  const lengthOf = (lines: readonly string[]) =>
    lines.reduce((sum, line) => sum + line.length + 1, 0);
  const innerAt = at + lengthOf(plainLines.slice(0, above));
  const innerEnd = end - lengthOf(plainLines.slice(plainLines.length - below));
  const start = above === 0 ? whole.start : folded.endOf(innerAt - 1);
  const inner = {
    start,
    end: below === 0 ? whole.end : Math.max(start, innerEnd > 0 ? folded.endOf(innerEnd - 1) : 0),
  };
  const lines = newLines.slice(above, newLines.length - below);
  return {
    ...whole,
    replacement: {
      ...inner,
      newText: lines.join(lineEndAt(text, inner)),
      isLoose: level === "loose",
    },
  };
}

/** The line end that new lines get: that of the replaced lines, else of their neighbours. */
function lineEndAt(text: string, span: { start: number; end: number }): string {
  let at = text.indexOf("\n", span.start);
  if (at < 0) at = text.lastIndexOf("\n", span.start);
  return at > 0 && text[at - 1] === "\r" ? "\r\n" : "\n";
}

function notUnique(
  text: string,
  folded: FoldedText,
  places: readonly number[],
  name: string,
  level: FoldLevel,
): ToolError {
  const many = places.length === PLACES_MAX ? `at least ${PLACES_MAX}` : `${places.length}`;
  const lines = places.slice(0, LINES_NAMED_MAX).map((at) => lineOf(text, folded.startOf(at)));
  const how = level === "loose" ? " (as text that looks like it)" : "";
  return new ToolError(
    `${name} is in the file ${many} times${how}: line ${lines.join(", ")}${
      places.length > lines.length ? ", …" : ""
    }. Add text around it that makes it the only one.`,
  );
}

function notFound(text: string, edit: Edit, name: string): ToolError {
  const wanted = edit.oldText.split("\n").map((line) => line.trim()).find((line) => line !== "");
  const lines: number[] = [];
  if (wanted !== undefined) {
    for (const [index, line] of text.split("\n").entries()) {
      if (line.trim() === wanted) lines.push(index + 1);
    }
  }
  const hint = lines.length === 0
    ? "Read the file, and copy the text as it stands there."
    : `Its first line is like line ${
      lines.slice(0, LINES_NAMED_MAX).join(", ")
    }; read the file there, and copy the text with its blanks as it stands.`;
  return new ToolError(`${name} is not in the file. ${hint}`);
}

/** The number of the line, from 1, that a position is in. */
export function lineOf(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < position; at = text.indexOf("\n", at + 1)) {
    line++;
  }
  return line;
}

/** The text with its replacements, which are in its order and do not overlap. */
export function replaced(text: string, replacements: readonly Replacement[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, newText } of replacements) {
    parts.push(text.slice(at, start), newText);
    at = end;
  }
  return parts.join("") + text.slice(at);
}
