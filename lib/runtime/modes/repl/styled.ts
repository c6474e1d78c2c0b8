/** Rows of styled text: made without regard to a terminal, written harmlessly onto one. */
import { harmless } from "../terminal_text.ts";
import { fitting, graphemeRoom, graphemes, graphemeWidth, roomOf } from "./text_width.ts";

export type Colour = "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

export interface Style {
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
  readonly colour?: Colour;
}

/** Text of one style. */
export interface Span {
  readonly text: string;
  readonly style?: Style;
}

/** One row of the screen, or a line that is yet to be fitted to its width. */
export type Row = readonly Span[];

const TAB = "    ";
const COLOURS: Record<Colour, number> = {
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
};

/**
 * A span of text from anywhere: what a terminal could take for a command becomes visible, and tabs
 * become blanks. The text must have no line ends.
 */
export function span(text: string, style?: Style): Span {
  const clean = harmless(text).replaceAll("\t", TAB).replaceAll("\n", " ");
  return style ? { text: clean, style } : { text: clean };
}

/** A row of one span. */
export function row(text: string, style?: Style): Row {
  return [span(text, style)];
}

/** A row for each line of a text. */
export function rowsOf(text: string, style?: Style): Row[] {
  return text.replace(/\r\n?/g, "\n").split("\n").map((line) => row(line, style));
}

/** The text of a row, without its styles. */
export function textOfRow(line: Row): string {
  return line.map(({ text }) => text).join("");
}

export function rowWidth(line: Row): number {
  return line.reduce((width, { text }) => width + roomOf(text), 0);
}

/** A row cut to a width, with an ellipsis where something is missing. */
export function cutRow(line: Row, columns: number): Row {
  if (rowWidth(line) <= columns) return line;
  const cut: Span[] = [];
  let left = columns - 1;
  for (const each of line) {
    const fit = fitting(each.text, left, graphemeRoom);
    cut.push({ ...each, text: fit.text });
    left -= fit.width;
    if (fit.text.length < each.text.length) break;
  }
  return columns > 0 ? [...cut, { text: "…" }] : [];
}

/** A piece of a row that is not parted: blanks, or a word, which may have several styles. */
interface Piece {
  spans: Span[];
  width: number;
  isBlank: boolean;
}

/** Wide characters may be parted from their neighbours; words may not. */
function piecesOf(line: Row): Piece[] {
  const pieces: Piece[] = [];
  for (const { text, style } of line) {
    for (const [part = ""] of text.matchAll(/ +|[^ ]+/g)) {
      const isBlank = part.startsWith(" ");
      for (const unit of isBlank ? [part] : unitsOf(part)) {
        const width = roomOf(unit);
        const last = pieces.at(-1);
        const joins = last && !last.isBlank && !isBlank && width === unit.length &&
          last.spans.every((each) => roomOf(each.text) === each.text.length);
        const each = style ? { text: unit, style } : { text: unit };
        if (joins) {
          last.spans.push(each);
          last.width += width;
        } else pieces.push({ spans: [each], width, isBlank });
      }
    }
  }
  return pieces;
}

/** A word, or its single characters where they are wide. */
function unitsOf(word: string): string[] {
  if (roomOf(word) === word.length) return [word];
  const units: string[] = [];
  let narrow = "";
  for (const grapheme of graphemes(word)) {
    if (graphemeWidth(grapheme) < 2) {
      narrow += grapheme;
      continue;
    }
    if (narrow !== "") units.push(narrow);
    narrow = "";
    units.push(grapheme);
  }
  return narrow === "" ? units : [...units, narrow];
}

/**
 * A line on as many rows as it needs, broken between words; later rows begin with `hanging`. A word
 * that is wider than a row is broken where the row ends.
 */
export function wrapRow(line: Row, columns: number, hanging: Row = []): Row[] {
  if (rowWidth(line) <= columns) return [line];
  const rows: Row[] = [];
  const indent = rowWidth(hanging) < columns / 2 ? hanging : [];
  let current: Span[] = [];
  let left = columns;
  const next = () => {
    const kept = rows.length === 0 ? 0 : indent.length;
    while (current.length > kept && current.at(-1)?.text.trim() === "") current.pop();
    rows.push(current);
    current = [...indent];
    left = columns - rowWidth(indent);
  };
  for (const piece of piecesOf(line)) {
    if (piece.width <= left) {
      current.push(...piece.spans);
      left -= piece.width;
    } else if (piece.isBlank) {
      // A break takes the place of the blanks; the next word, which does not fit either, makes it.
      left = 0;
    } else {
      if (current.length > 0 && !(rows.length > 0 && current.length === indent.length)) next();
      for (const each of piece.spans) {
        let rest = each.text;
        while (rest !== "") {
          // A character that is wider than the terminal is let through, so that this ends.
          const fit = fitting(rest, left, graphemeRoom).text ||
            (left === columns - rowWidth(indent) ? graphemes(rest)[0] ?? "" : "");
          current.push({ ...each, text: fit });
          left -= roomOf(fit);
          rest = rest.slice(fit.length);
          if (rest !== "") next();
        }
      }
    }
  }
  return current.length > 0 ? [...rows, current] : rows;
}

/** The row as text for a terminal. Without colours it has no control sequence at all. */
export function renderRow(line: Row, options: { colours: boolean }): string {
  return joined(line).map(({ text, style }) => {
    const codes = style && options.colours && text !== "" ? codesOf(style) : [];
    return codes.length === 0 ? text : `\x1b[${codes.join(";")}m${text}\x1b[0m`;
  }).join("");
}

/** Neighbours of one style as one span. */
function joined(line: Row): Span[] {
  const spans: Span[] = [];
  for (const each of line) {
    const last = spans.at(-1);
    if (last && last.style === each.style) {
      spans[spans.length - 1] = { ...last, text: last.text + each.text };
    } else spans.push(each);
  }
  return spans;
}

function codesOf({ bold, dim, italic, underline, inverse, colour }: Style): number[] {
  return [
    ...(bold ? [1] : []),
    ...(dim ? [2] : []),
    ...(italic ? [3] : []),
    ...(underline ? [4] : []),
    ...(inverse ? [7] : []),
    ...(colour ? [COLOURS[colour]] : []),
  ];
}
