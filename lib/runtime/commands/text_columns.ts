/** Columns of text that fit a terminal. */
import { oneLine } from "../modes/terminal_text.ts";
import { fitting, widthOf } from "../modes/repl/text_width.ts";

/** A column. At most one of a table gives way where the terminal is narrow. */
export interface TextColumn {
  readonly heading: string;
  readonly align?: "right";
  readonly givesWay?: true;
  /** Of ids, a terminal shows no more than it takes to name them, where it is narrow. */
  readonly isId?: true;
}

const GAP = "  ";
const GIVING_WAY_MIN = 8;
/** On terminals that are as wide as this, ids are shown whole. */
const WIDE = 120;
/** The time in a session's id, which no other one has as a rule. */
const ID_LENGTH_MIN = 13;

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
  if (width < WIDE) {
    for (const [at, { isId }] of columns.entries()) if (isId) shortenIds(cells, at);
  }
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

/** Leaves of the ids of a column what tells them apart. */
function shortenIds(rows: string[][], at: number): void {
  const ids = new Set(rows.map((row) => row[at] ?? ""));
  const lengths = [...ids].map(({ length }) => length);
  let length = ID_LENGTH_MIN;
  const isAmbiguous = () => new Set([...ids].map((id) => id.slice(0, length))).size < ids.size;
  while (length < Math.max(...lengths) && isAmbiguous()) length++;
  for (const row of rows) row[at] = row[at]?.slice(0, length) ?? "";
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
