/** The line at the bottom: typed, completed, searched for, sent. */
import { beginCompletion, type CompletionMenu } from "./completion_menu.ts";
import type { Completer } from "./completion.ts";
import { editByKey } from "./editor_keys.ts";
import type { Focus, FocusView } from "./focus.ts";
import { HistorySearch, HistoryWalk } from "./history_walk.ts";
import { layOut } from "./input_layout.ts";
import type { Key } from "./key.ts";
import { LineEditor } from "./line_editor.ts";
import { Pastes } from "./pastes.ts";
import { cutRow, row, span, wrapRow } from "./styled.ts";

export interface InputLineOptions {
  readonly prompt: string;
  /** Stands above the line. */
  readonly question?: string;
  readonly initial?: string;
  /** What was typed before, oldest first; absent: there is no history. */
  readonly history?: readonly string[];
  readonly completer?: Completer;
  /** Opens the text in an editor; resolves with what it was left as. */
  readonly edit?: (text: string) => Promise<string | undefined>;
  /** The line was sent; pastes are in it. */
  onSubmit(text: string): void;
  /** Ctrl-C; whether the line is to be cleared. */
  onInterrupt(): boolean;
  /** Ctrl-D on an empty line. */
  onEnd(): void;
  /** Something changed without a key. */
  onChange(): void;
}

/** Whether a line says that it goes on on the next: it ends in one backslash. */
export function goesOn(line: string): boolean {
  return line.endsWith("\\") && !line.endsWith("\\\\");
}

/** Of the screen's height, how much the text may take. */
const HEIGHT_SHARE = 0.5;

export class InputLine implements Focus {
  readonly #options: InputLineOptions;
  readonly #editor = new LineEditor();
  readonly #pastes = new Pastes();
  readonly #walk: HistoryWalk;
  #menu: CompletionMenu | undefined;
  #search: HistorySearch | undefined;
  /** An editor has the text, or candidates are being looked for. */
  #busy = false;

  constructor(options: InputLineOptions) {
    this.#options = options;
    this.#editor.reset(options.initial);
    this.#walk = new HistoryWalk(options.history ?? []);
  }

  /** What is on the line now. */
  get text(): string {
    return this.#editor.text;
  }

  /** Puts a text on the line; what was on it can be had back by undoing. */
  put(text: string): void {
    this.#editor.replace(text);
    this.#walk.restart();
    this.#menu = undefined;
    this.#search = undefined;
  }

  paste(text: string): void {
    this.#menu = undefined;
    if (this.#search) this.#search.type(text.split("\n", 1)[0] ?? "");
    else this.#editor.insert(this.#pastes.take(text));
  }

  key(key: Key): void {
    if (this.#search) return this.#searchKey(this.#search, key);
    if (this.#menu && this.#menuKey(this.#menu, key)) return;
    this.#menu = undefined;
    if (key.ctrl) return this.#controlKey(key);
    switch (key.name) {
      case "return":
        return this.#enter(key);
      case "tab":
        return this.#complete();
      case "escape":
        // A question can be waved away; the line itself stays.
        if (this.#options.question !== undefined) this.#options.onEnd();
        return;
      case "up":
        if (!this.#editor.up()) this.#recall(this.#walk.older(this.text));
        return;
      case "down":
        if (!this.#editor.down()) this.#recall(this.#walk.newer());
        return;
      case "backspace": {
        const sign = key.alt ? undefined : this.#pastes.signLengthAtEnd(this.#editor.before);
        if (sign !== undefined) return this.#editor.deleteBack(sign);
      }
    }
    editByKey(this.#editor, key);
  }

  view({ columns, rows }: { columns: number; rows: number }): FocusView {
    const { prompt, question } = this.#options;
    const above = question === undefined ? [] : wrapRow(row(question, { bold: true }), columns);
    const { match } = this.#search ?? {};
    const text = match ?? this.text;
    const input = layOut({
      prompt,
      promptStyle: { bold: true, colour: "cyan" },
      text,
      cursor: this.#search ? text.length : this.#editor.cursor,
      columns,
      rowsMax: Math.max(2, Math.floor(rows * HEIGHT_SHARE)),
    });
    const below = this.#search
      ? [cutRow([
        span("search: ", { dim: true }),
        span(this.#search.query),
        ...(match === undefined && this.#search.query !== ""
          ? [span("  (not found)", { dim: true })]
          : []),
      ], columns)]
      : this.#menu?.rows(columns) ?? [];
    const cursor = input.cursor && { ...input.cursor, row: input.cursor.row + above.length };
    return { rows: [...above, ...input.rows, ...below], ...(cursor ? { cursor } : {}) };
  }

  #controlKey(key: Key): void {
    switch (key.name) {
      case "c":
        if (this.#options.onInterrupt()) this.put("");
        return;
      case "d":
        if (this.text === "") return this.#options.onEnd();
        break;
      case "r":
        if (this.#options.history) this.#search = new HistorySearch(this.#options.history);
        return;
      case "p":
        return this.#recall(this.#walk.older(this.text));
      case "n":
        return this.#recall(this.#walk.newer());
      case "g":
        return this.#openEditor();
    }
    editByKey(this.#editor, key);
  }

  #enter(key: Key): void {
    const { before } = this.#editor;
    if (key.alt || key.shift) return this.#editor.insert("\n");
    if (goesOn(before)) {
      this.#editor.deleteBack(1);
      return this.#editor.insert("\n");
    }
    const text = this.#pastes.expand(this.text);
    this.#editor.reset();
    this.#walk.restart();
    this.#options.onSubmit(text);
  }

  #recall(text: string | undefined): void {
    if (text !== undefined) this.#editor.replace(text);
  }

  #menuKey(menu: CompletionMenu, key: Key): boolean {
    switch (key.name) {
      case "tab":
        menu.turn(key.shift ? -1 : 1);
        return true;
      case "down":
        menu.turn(1);
        return true;
      case "up":
        menu.turn(-1);
        return true;
      case "escape":
        this.#menu = undefined;
        return true;
      default:
        return false;
    }
  }

  #searchKey(search: HistorySearch, key: Key): void {
    if (key.ctrl && key.name === "r") return search.older();
    if (key.name === "backspace") return search.deleteBack();
    if (!key.ctrl && !key.alt && key.text !== "") return search.type(key.text);
    this.#search = undefined;
    // Escape, Ctrl-G and Ctrl-C leave the line as it was before.
    if (key.name === "escape" || (key.ctrl && (key.name === "c" || key.name === "g"))) return;
    if (search.match !== undefined) this.#editor.replace(search.match);
    this.key(key);
  }

  #complete(): void {
    const { completer } = this.#options;
    if (!completer || this.#busy) return;
    const { text, before } = this.#editor;
    this.#aside(completer(before), (completion) => {
      // What was typed meanwhile counts more.
      if (!completion || this.#editor.text !== text) return;
      this.#menu = beginCompletion(this.#editor, completion);
    });
  }

  #openEditor(): void {
    const { edit } = this.#options;
    if (!edit || this.#busy) return;
    this.#aside(edit(this.#pastes.expand(this.text)), (text) => {
      if (text !== undefined) this.#editor.replace(text);
    });
  }

  /** Something that takes time; a failure leaves the line as it is, its owner has told it. */
  #aside<T>(task: Promise<T>, then: (value: T) => void): void {
    this.#busy = true;
    task.then(then).catch(() => {}).finally(() => {
      this.#busy = false;
      this.#options.onChange();
    });
  }
}
