/** A list to choose from, narrowed down by typing. */
import { editByKey } from "./editor_keys.ts";
import type { Focus, FocusView } from "./focus.ts";
import { layOut } from "./input_layout.ts";
import type { Key } from "./key.ts";
import { LineEditor } from "./line_editor.ts";
import { cutRow, type Row, row, span } from "./styled.ts";
import { widthOf } from "./text_width.ts";

/** One line of a list. */
export interface Item {
  readonly text: string;
  /** Stands at the right, as far as there is room. */
  readonly note?: string;
  /** What typing looks in, besides the text. */
  readonly keywords?: string;
}

export interface PickerOptions {
  readonly title: string;
  readonly items: readonly Item[];
  /** Keys with Ctrl that do something with the item: their letter, and what they do. */
  readonly actions?: readonly { readonly key: string; readonly does: string }[];
  /** The index of the item, and the letter of the action; Enter has none. */
  onPick(index: number, action?: string): void;
  onCancel(): void;
}

/** Rows of the screen that are not for items: title, search line, and what stands above. */
const OTHER_ROWS = 7;

export class Picker implements Focus {
  readonly #options: PickerOptions;
  readonly #query = new LineEditor();
  #chosen = 0;

  constructor(options: PickerOptions) {
    this.#options = options;
  }

  paste(text: string): void {
    this.#query.insert(text.replaceAll("\n", " "));
    this.#chosen = 0;
  }

  key(key: Key): void {
    const found = this.#found();
    const current = found[Math.min(this.#chosen, found.length - 1)];
    const action = key.ctrl && this.#options.actions?.find((each) => each.key === key.name);
    if (action) {
      if (current !== undefined) this.#options.onPick(current, action.key);
      return;
    }
    if (key.name === "escape" || (key.ctrl && (key.name === "c" || key.name === "d"))) {
      return this.#options.onCancel();
    }
    switch (key.ctrl ? `ctrl-${key.name}` : key.name) {
      case "return":
        if (current !== undefined) this.#options.onPick(current);
        return;
      case "up":
      case "ctrl-p":
        this.#chosen = Math.max(0, this.#chosen - 1);
        return;
      case "down":
      case "ctrl-n":
      case "tab":
        this.#chosen = Math.max(0, Math.min(found.length - 1, this.#chosen + 1));
        return;
      case "pageup":
        this.#chosen = Math.max(0, this.#chosen - 10);
        return;
      case "pagedown":
        this.#chosen = Math.max(0, Math.min(found.length - 1, this.#chosen + 10));
        return;
      default:
        if (editByKey(this.#query, key)) this.#chosen = 0;
    }
  }

  view({ columns, rows }: { columns: number; rows: number }): FocusView {
    const { title, items, actions = [] } = this.#options;
    const found = this.#found();
    const room = Math.max(1, rows - OTHER_ROWS);
    const start = Math.max(0, Math.min(this.#chosen - Math.floor(room / 2), found.length - room));
    const hints = [
      "Enter takes it",
      ...actions.map(({ key, does }) => `Ctrl-${key.toUpperCase()} ${does}`),
      "Esc leaves",
    ];
    const input = layOut({
      prompt: "search: ",
      promptStyle: { dim: true },
      text: this.#query.text,
      cursor: this.#query.cursor,
      columns,
      rowsMax: 1,
    });
    const count = found.length === items.length
      ? `${items.length}`
      : `${found.length} of ${items.length}`;
    const head = [
      cutRow([span(title, { bold: true }), span(` (${count})`)], columns),
      cutRow(row(hints.join(" · "), { dim: true }), columns),
    ];
    const list = found.slice(start, start + room).map((index, place) =>
      itemRow(items[index], start + place === this.#chosen, columns)
    );
    const none = found.length === 0 ? [row("  nothing fits", { dim: true })] : [];
    const cursor = input.cursor && { ...input.cursor, row: head.length };
    return { rows: [...head, ...input.rows, ...list, ...none], ...(cursor ? { cursor } : {}) };
  }

  /** The indexes of the items in which each typed word stands; exact hits of the text first. */
  #found(): number[] {
    const words = this.#query.text.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const ranked = this.#options.items.map(({ text, keywords = "" }, index) => {
      const inText = text.toLowerCase();
      const all = `${inText} ${keywords.toLowerCase()}`;
      const fits = words.every((word) => all.includes(word));
      return { index, fits, rank: words.every((word) => inText.includes(word)) ? 0 : 1 };
    });
    return ranked.filter(({ fits }) => fits).sort((a, b) => a.rank - b.rank).map(({ index }) =>
      index
    );
  }
}

function itemRow(item: Item | undefined, isChosen: boolean, columns: number): Row {
  if (!item) return [];
  const mark = isChosen ? "> " : "  ";
  const style = isChosen ? { bold: true } : undefined;
  const note = item.note ?? "";
  const noteWidth = note === "" ? 0 : widthOf(note) + 2;
  const hasNote = noteWidth > 0 && noteWidth < columns / 2;
  const text = cutRow(
    [span(mark, style), span(item.text, style)],
    columns - 1 - (hasNote ? noteWidth : 0),
  );
  if (!hasNote) return text;
  const used = text.reduce((width, each) => width + widthOf(each.text), 0);
  return [...text, span(" ".repeat(columns - 1 - used - widthOf(note))), span(note, { dim: true })];
}
