/** What a benchmark found, and how it is shown. */

/** One line of the table. The smaller the value, the better. */
export interface Row {
  what: string;
  value: number;
  unit: "ms" | "us" | "MB";
  /** What the value is a multiple of. */
  base?: { what: string; value: number };
  /** The most that it should be: the value itself, or its ratio to the base. */
  aim?: { most: number; of: "value" | "ratio" };
}

/** Rows that belong together. `run` returns them when it has measured. */
export interface Benchmark {
  name: string;
  run(options: BenchmarkOptions): Promise<Row[]>;
}

export interface BenchmarkOptions {
  /** How often each thing is measured. */
  samples: number;
  /** Measures a session of 1 GB, too. */
  gigabyte: boolean;
  /** A directory for data; what is there from the last time is used again. */
  directory: string;
}

function cells({ what, value, unit, base, aim }: Row): string[] {
  const ratio = base && value / base.value;
  const shown = aim?.of === "ratio" ? ratio ?? value : value;
  return [
    what,
    `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`,
    base && ratio ? `${ratio.toFixed(2)} x ${base.what}` : "",
    aim ? `${aim.most}${aim.of === "ratio" ? " x" : ` ${unit}`}` : "",
    aim ? (shown <= aim.most ? "yes" : "NO") : "",
  ];
}

/** The rows as a Markdown table. */
export function table(rows: readonly Row[]): string {
  const head = ["what", "median", "ratio", "aim (at most)", "met"];
  const lines = [head, ...rows.map(cells)];
  const widths = head.map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? "").length))
  );
  const show = (line: readonly string[]) =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [show(head), rule, ...rows.map((row) => show(cells(row)))].join("\n");
}
