/** Columns of text that fit a terminal. */
import { oneLine } from "../modes/terminal_text.ts";
import { fitting, widthOf } from "../modes/repl/text_width.ts";

/** A column. At most one of a table gives way where the terminal is narrow. */
export interface TextColumn {
  readonly heading: string;
  readonly align?: "right";
  readonly givesWay?: true;
}

const GAP = "  ";
const GIVING_WAY_MIN = 8;

/**
 * Rows as lines. For a terminal of `width` columns they are aligned, under a heading, and cut to
 * fit; without one (a file, a pipe) each is its cells with tabs between, whole, without a heading.
 */
export function textColumns(
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
): string {
  const cells = rows.map((row) => row.map((cell) => oneLine(cell)));
  if (width === undefined) return cells.map((row) => `${row.join("\t")}\n`).join("");
  if (rows.length === 0) return "";
  const lines = [columns.map(({ heading }) => heading), ...cells];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => widthOf(line[at] ?? ""))));
  const giving = columns.findIndex(({ givesWay }) => givesWay);
  if (giving >= 0) {
    const others = widths.reduce((sum, one, at) => at === giving ? sum : sum + one, 0);
    const left = width - others - GAP.length * (columns.length - 1);
    widths[giving] = Math.min(widths[giving] ?? 0, Math.max(GIVING_WAY_MIN, left));
  }
  return lines.map((line) => {
    const text = columns.map(({ align }, at) => padded(line[at] ?? "", widths[at] ?? 0, align))
      .join(GAP).trimEnd();
    return `${cutTo(text, width)}\n`;
  }).join("");
}

function padded(cell: string, width: number, align: "right" | undefined): string {
  const cut = cutTo(cell, width);
  const blanks = " ".repeat(Math.max(0, width - widthOf(cut)));
  return align === "right" ? blanks + cut : cut + blanks;
}

/** One line cut to a number of columns, with an ellipsis where something is missing. */
export function cutTo(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${fitting(text, Math.max(0, width - 1)).text}…`;
}
