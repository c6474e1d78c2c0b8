/** The choice among several completions: what is on the line, and what is shown below it. */
import { commonStart, type Completion } from "./completion.ts";
import type { LineEditor } from "./line_editor.ts";
import { cutRow, type Row, type Span, span } from "./styled.ts";
import { widthOf } from "./text_width.ts";

const ROWS_MAX = 8;

/** Replaces the word by the one candidate, or by what all share; a menu where that leaves a choice. */
export function beginCompletion(
  editor: LineEditor,
  completion: Completion,
): CompletionMenu | undefined {
  const { from, candidates } = completion;
  const [only, ...others] = candidates;
  if (!only) return undefined;
  const put = (value: string) =>
    editor.replace(editor.text.slice(0, from) + value + editor.after, from + value.length);
  if (others.length === 0) {
    put(only.goesOn || editor.after.startsWith(" ") ? only.value : `${only.value} `);
    return undefined;
  }
  const typed = editor.before.slice(from);
  const shared = commonStart(candidates.map(({ value }) => value));
  if (shared.length > typed.length) put(shared);
  return new CompletionMenu(editor, completion);
}

/** Candidates under the line; each further Tab puts the next one on it. */
export class CompletionMenu {
  readonly #editor: LineEditor;
  readonly #completion: Completion;
  readonly #before: string;
  readonly #after: string;
  #chosen = -1;

  constructor(editor: LineEditor, completion: Completion) {
    this.#editor = editor;
    this.#completion = completion;
    this.#before = editor.text.slice(0, completion.from);
    this.#after = editor.after;
  }

  turn(step: 1 | -1): void {
    const { candidates } = this.#completion;
    const first = step === 1 ? 0 : candidates.length - 1;
    this.#chosen = this.#chosen < 0
      ? first
      : (this.#chosen + step + candidates.length) % candidates.length;
    const value = candidates[this.#chosen]?.value ?? "";
    this.#editor.replace(
      this.#before + value + this.#after,
      this.#before.length + value.length,
    );
  }

  rows(columns: number): Row[] {
    const { candidates } = this.#completion;
    const start = Math.max(0, Math.min(this.#chosen - ROWS_MAX + 1, candidates.length - ROWS_MAX));
    const shown = candidates.slice(start, start + ROWS_MAX);
    const width = Math.max(...shown.map(({ value }) => widthOf(value)));
    const rows = shown.map(({ value, hint }, index): Row => {
      const style = start + index === this.#chosen ? { inverse: true } : undefined;
      const spans: Span[] = [span("  "), span(value, style)];
      if (hint !== undefined) {
        spans.push(span(" ".repeat(width - widthOf(value) + 2)), span(hint, { dim: true }));
      }
      return cutRow(spans, columns);
    });
    const hidden = candidates.length - shown.length;
    return hidden > 0
      ? [...rows, [span(`  … ${hidden} more, go on typing or press Tab`, { dim: true })]]
      : rows;
  }
}
