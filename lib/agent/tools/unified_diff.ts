/** A unified diff from replacements that are known: nothing has to be searched for. */
import type { Replacement } from "./edit_match.ts";

const CONTEXT_LINES = 3;

/** Lines that change: `count` of the old ones, from `first` (0 is the first line) on. */
interface LineChange {
  first: number;
  count: number;
  newLines: string[];
}

/**
 * What replacements change in a text, as a unified diff of the file `name`. Lines are shown without
 * the CR of a CR LF.
 */
export function unifiedDiff(
  name: string,
  text: string,
  replacements: readonly Replacement[],
): string {
  const oldLines = linesOf(text);
  const changes = lineChanges(text, replacements);
  const out = [`--- a/${name}`, `+++ b/${name}`];
  let shift = 0;
  for (let i = 0; i < changes.length;) {
    const hunk = [changes[i++]].filter((each) => each !== undefined);
    let last = hunk[0];
    for (let next = changes[i]; last && next; next = changes[++i]) {
      if (next.first - (last.first + last.count) > 2 * CONTEXT_LINES) break;
      hunk.push(next);
      last = next;
    }
    shift += writeHunk(out, oldLines, hunk, shift);
  }
  return `${out.join("\n")}\n`;
}

/** Writes one hunk; gives back how many lines it adds. */
function writeHunk(
  out: string[],
  oldLines: readonly string[],
  hunk: readonly LineChange[],
  shift: number,
): number {
  const from = Math.max(0, (hunk[0]?.first ?? 0) - CONTEXT_LINES);
  const lines: string[] = [];
  let at = from;
  let added = 0;
  const keep = (until: number) => {
    for (; at < until; at++) lines.push(...shownLine(" ", oldLines[at] ?? ""));
  };
  for (const { first, count, newLines } of hunk) {
    keep(first);
    for (; at < first + count; at++) lines.push(...shownLine("-", oldLines[at] ?? ""));
    for (const line of newLines) lines.push(...shownLine("+", line));
    added += newLines.length - count;
  }
  keep(Math.min(oldLines.length, at + CONTEXT_LINES));
  const oldCount = at - from;
  const range = (first: number, count: number) => `${count === 0 ? first : first + 1},${count}`;
  out.push(`@@ -${range(from, oldCount)} +${range(from + shift, oldCount + added)} @@`);
  // Not spread into the call: a hunk may have more lines than a call takes arguments.
  for (const line of lines) out.push(line);
  return added;
}

function shownLine(mark: string, line: string): string[] {
  if (line.endsWith("\n")) return [mark + line.slice(0, line.endsWith("\r\n") ? -2 : -1)];
  return [mark + line, "\\ No newline at end of file"];
}

/** The lines of a text, each with its line end. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Widens replacements to whole lines, joins those that share a line, drops what stays the same. */
function lineChanges(text: string, replacements: readonly Replacement[]): LineChange[] {
  const changes: LineChange[] = [];
  let line = 0;
  let counted = 0;
  for (let i = 0; i < replacements.length;) {
    const first = replacements[i];
    if (!first) break;
    const start = text.lastIndexOf("\n", first.start - 1) + 1;
    let at = start;
    let end = start;
    let changed = "";
    for (let next: Replacement | undefined = first; next; next = replacements[++i]) {
      if (next !== first && next.start >= end) break;
      changed += text.slice(at, next.start) + next.newText;
      at = next.end;
      end = Math.max(end, lineEnd(text, at));
    }
    changed += text.slice(at, end);
    // What is put in at the very end of a line has no line feed of its own.
    line += countNewlines(text, counted, start);
    counted = start;
    changes.push(...trimmed(line, linesOf(text.slice(start, end)), linesOf(changed)));
  }
  return changes;
}

/** Just behind the line feed of the line that a position is in, or follows. */
function lineEnd(text: string, position: number): number {
  const at = text.indexOf("\n", position);
  return at < 0 ? text.length : at + 1;
}

function countNewlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) {
    count++;
  }
  return count;
}

function trimmed(first: number, oldLines: string[], newLines: string[]): LineChange[] {
  const most = Math.min(oldLines.length, newLines.length);
  let above = 0;
  while (above < most && oldLines[above] === newLines[above]) above++;
  let below = 0;
  while (below < most - above && oldLines.at(-1 - below) === newLines.at(-1 - below)) below++;
  const count = oldLines.length - above - below;
  const changed = newLines.slice(above, newLines.length - below);
  return count === 0 && changed.length === 0
    ? []
    : [{ first: first + above, count, newLines: changed }];
}
