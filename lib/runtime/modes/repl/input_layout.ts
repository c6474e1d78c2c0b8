/** How a text being edited lies on rows of the screen, and where its cursor is. */
import { harmless } from "../terminal_text.ts";
import type { FocusView } from "./focus.ts";
import { type Row, row, span, type Style } from "./styled.ts";
import { graphemes, graphemeWidth, widthOf } from "./text_width.ts";

export interface Layout {
  /** A short sign in front of the first row. */
  readonly prompt: string;
  readonly promptStyle?: Style;
  readonly text: string;
  readonly cursor: number;
  readonly columns: number;
  /** At most so many rows are shown, around the cursor. */
  readonly rowsMax: number;
}

const TAB = "    ";

/** Later rows begin below the text of the first. A row's last column stays free for the cursor. */
export function layOut(layout: Layout): FocusView {
  const { prompt, promptStyle, text, cursor, columns, rowsMax } = layout;
  const indent = widthOf(prompt);
  const lines = [""];
  let width = indent;
  let at = 0;
  let place = { row: 0, column: width };
  const next = () => {
    lines.push("");
    width = indent;
  };
  for (const grapheme of graphemes(text)) {
    const shown = grapheme === "\n" ? "" : grapheme === "\t" ? TAB : harmless(grapheme);
    const needs = shown === grapheme ? graphemeWidth(grapheme) : widthOf(shown);
    if (width + needs > columns - 1 && width > indent) next();
    if (at === cursor) place = { row: lines.length - 1, column: width };
    if (grapheme === "\n") next();
    lines[lines.length - 1] += shown;
    width += needs;
    at += grapheme.length;
  }
  if (at === cursor) place = { row: lines.length - 1, column: width };
  const rows = lines.map((line, index): Row =>
    index === 0 ? [span(prompt, promptStyle), span(line)] : [span(" ".repeat(indent)), span(line)]
  );
  return around({ rows, cursor: place }, rowsMax);
}

/** The rows around the cursor, if there are too many. */
function around(view: Required<FocusView>, rowsMax: number): FocusView {
  const { rows, cursor } = view;
  if (rows.length <= rowsMax) return view;
  const shownMax = Math.max(1, rowsMax - 1);
  const start = Math.min(Math.max(0, cursor.row - shownMax + 1), rows.length - shownMax);
  const note = row(`… ${rows.length} lines`, { dim: true });
  return {
    rows: [note, ...rows.slice(start, start + shownMax)],
    cursor: { ...cursor, row: cursor.row - start + 1 },
  };
}
