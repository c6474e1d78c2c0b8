/** Columns of text. */

/** Lines whose cells stand under each other, without blanks at their ends. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const cells of rows) {
    for (const [column, cell] of cells.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, [...cell].length);
    }
  }
  return rows.map((cells) => {
    const padded = cells.map((cell, column) =>
      cell + " ".repeat((widths[column] ?? 0) - [...cell].length)
    );
    return `${padded.join("  ").trimEnd()}\n`;
  }).join("");
}
