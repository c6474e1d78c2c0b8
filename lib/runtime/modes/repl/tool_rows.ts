/** What is shown of a tool call: one line, the first lines of its result, a coloured diff. */
import type { ToolResult } from "../../../agent/mod.ts";
import { textOf } from "../../../session/mod.ts";
import { mainArgument } from "../report.ts";
import { cutRow, type Row, row, rowsOf, type Span, span, type Style, wrapRow } from "./styled.ts";

const RESULT_ROWS_MAX = 5;
const DIFF_ROWS_MAX = 60;
const INDENT = "  ";

export interface ToolCallView {
  readonly toolName: string;
  readonly args: Record<string, unknown>;
}

/** What a call does, without a mark in front. */
export function callSpans({ toolName, args }: ToolCallView): Span[] {
  const argument = mainArgument(args);
  return [
    span(toolName, { bold: true }),
    ...(argument === "" ? [] : [span(` ${argument}`)]),
  ];
}

/** What is done and how long it takes: where both do not fit, the time stays whole. */
export function rowWithTime(what: Row, time: string, columns: number): Row {
  if (time === "") return cutRow(what, columns);
  const end = span(`  ${time}`, { dim: true });
  return [...cutRow(what, columns - end.text.length), end];
}

/** A finished call with its result. */
export function finishedCallRows(
  call: ToolCallView,
  end: { readonly result: ToolResult; readonly isError: boolean; readonly durationMs: number },
  columns: number,
): Row[] {
  const mark: Span = end.isError ? span("✗ ", { colour: "red" }) : span("● ", { colour: "green" });
  const seconds = end.durationMs / 1000;
  const time = seconds >= 1 ? `${seconds.toFixed(1)} s` : "";
  const head = rowWithTime([mark, ...callSpans(call)], time, columns);
  const diff = diffOf(end.result.details);
  const body = diff === undefined ? resultRows(end.result, end.isError) : diffRows(diff);
  return [head, ...body.flatMap((each) => fitted(each, columns, end.isError))];
}

/** A row of a result on one row of the screen; an error is told whole. */
function fitted(body: Row, columns: number, isError: boolean): Row[] {
  const indented = [span(INDENT), ...body];
  return isError ? wrapRow(indented, columns, [span(INDENT)]) : [cutRow(indented, columns)];
}

function resultRows(result: ToolResult, isError: boolean): Row[] {
  const text = textOf(result.content).trimEnd();
  const images = result.content.filter(({ type }) => type === "image").length;
  const style: Style = isError ? { colour: "red" } : { dim: true };
  const rows = text === "" ? [] : rowsOf(text, style);
  if (images > 0) rows.push(row(images === 1 ? "(an image)" : `(${images} images)`, style));
  return shortened(rows, RESULT_ROWS_MAX);
}

function diffOf(details: unknown): string | undefined {
  if (typeof details !== "object" || details === null || !("diff" in details)) return undefined;
  return typeof details.diff === "string" && details.diff !== "" ? details.diff : undefined;
}

/** A unified diff in colours; the signs in front say the same without. */
function diffRows(diff: string): Row[] {
  const lines = diff.trimEnd().split("\n").filter((line) => !/^(---|\+\+\+) /.test(line));
  return shortened(lines.map((line) => row(line, styleOfDiff(line))), DIFF_ROWS_MAX);
}

function styleOfDiff(line: string): Style {
  switch (line[0]) {
    case "+":
      return { colour: "green" };
    case "-":
      return { colour: "red" };
    case "@":
      return { colour: "cyan", dim: true };
    default:
      return { dim: true };
  }
}

/** The first rows, and how many are left out. */
export function shortened(rows: readonly Row[], max: number): Row[] {
  // A note takes a row itself, so it never stands for just one.
  if (rows.length <= max + 1) return [...rows];
  return [...rows.slice(0, max), row(`… ${rows.length - max} more lines`, { dim: true })];
}
