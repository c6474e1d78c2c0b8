/** A text that is being edited: a pure model, without keys and without a screen. */
import { graphemes } from "./text_width.ts";

interface State {
  readonly text: string;
  readonly cursor: number;
}

const UNDO_MAX = 200;
const WORD = /[\p{L}\p{N}_]/u;

/**
 * Invariant: the cursor stands between two characters as a person counts them, so no edit parts an
 * emoji or a letter from its accent.
 */
export class LineEditor {
  #state: State = { text: "", cursor: 0 };
  #past: State[] = [];
  #future: State[] = [];
  #killed = "";
  /** Letters typed one after the other are undone together. */
  #typing = false;

  get text(): string {
    return this.#state.text;
  }

  /** A position in `text`. */
  get cursor(): number {
    return this.#state.cursor;
  }

  get before(): string {
    return this.text.slice(0, this.cursor);
  }

  get after(): string {
    return this.text.slice(this.cursor);
  }

  /** Begins anew, with nothing to undo. */
  reset(text = ""): void {
    this.#state = { text, cursor: text.length };
    this.#past = [];
    this.#future = [];
    this.#typing = false;
  }

  /** Replaces the text; that can be undone. */
  replace(text: string, cursor = text.length): void {
    this.#edit({ text, cursor });
  }

  insert(text: string): void {
    const isLetter = graphemes(text).length === 1 && text !== " ";
    const joins = isLetter && this.#typing;
    this.#edit(
      { text: this.before + text + this.after, cursor: this.cursor + text.length },
      joins,
    );
    this.#typing = isLetter;
  }

  /** Removes so many code units before the cursor, by default one character. */
  deleteBack(length = graphemes(this.before).at(-1)?.length ?? 0): void {
    if (length === 0) return;
    this.#edit({
      text: this.before.slice(0, this.cursor - length) + this.after,
      cursor: this.cursor - length,
    });
  }

  deleteForward(): void {
    const length = graphemes(this.after)[0]?.length ?? 0;
    if (length === 0) return;
    this.#edit({ text: this.before + this.after.slice(length), cursor: this.cursor });
  }

  /** Back to the last blank, as a shell does. */
  killWordBack(): void {
    this.#kill(this.cursor - (/\S*\s*$/.exec(this.before)?.[0].length ?? 0), this.cursor);
  }

  killWordForward(): void {
    this.#kill(this.cursor, this.#wordEnd());
  }

  killToLineEnd(): void {
    const end = this.#lineEnd();
    // At the end of a line the line end itself goes.
    this.#kill(this.cursor, end === this.cursor ? Math.min(end + 1, this.text.length) : end);
  }

  killToLineStart(): void {
    const start = this.#lineStart();
    // At the start of a line the line end before it goes.
    this.#kill(start === this.cursor ? Math.max(0, start - 1) : start, this.cursor);
  }

  /** Inserts what was killed last. */
  yank(): void {
    if (this.#killed !== "") this.insert(this.#killed);
  }

  left(): void {
    this.#move(this.cursor - (graphemes(this.before).at(-1)?.length ?? 0));
  }

  right(): void {
    this.#move(this.cursor + (graphemes(this.after)[0]?.length ?? 0));
  }

  wordLeft(): void {
    let at = this.cursor;
    while (at > 0 && !WORD.test(this.text[at - 1] ?? "")) at--;
    while (at > 0 && WORD.test(this.text[at - 1] ?? "")) at--;
    this.#move(at);
  }

  wordRight(): void {
    this.#move(this.#wordEnd());
  }

  lineStart(): void {
    this.#move(this.#lineStart());
  }

  lineEnd(): void {
    this.#move(this.#lineEnd());
  }

  toStart(): void {
    this.#move(0);
  }

  toEnd(): void {
    this.#move(this.text.length);
  }

  /** To the line above; false if there is none. */
  up(): boolean {
    const start = this.#lineStart();
    if (start === 0) return false;
    this.#move(this.#inLine(this.text.lastIndexOf("\n", start - 2) + 1, start - 1));
    return true;
  }

  /** To the line below; false if there is none. */
  down(): boolean {
    const end = this.#lineEnd();
    if (end === this.text.length) return false;
    const next = this.text.indexOf("\n", end + 1);
    this.#move(this.#inLine(end + 1, next < 0 ? this.text.length : next));
    return true;
  }

  undo(): void {
    const state = this.#past.pop();
    if (!state) return;
    this.#future.push(this.#state);
    this.#state = state;
    this.#typing = false;
  }

  redo(): void {
    const state = this.#future.pop();
    if (!state) return;
    this.#past.push(this.#state);
    this.#state = state;
    this.#typing = false;
  }

  #edit(next: State, joins = false): void {
    this.#typing = false;
    if (!joins) {
      this.#past.push(this.#state);
      if (this.#past.length > UNDO_MAX) this.#past.shift();
    }
    this.#future = [];
    this.#state = next;
  }

  #move(cursor: number): void {
    this.#typing = false;
    this.#state = { text: this.text, cursor };
  }

  #kill(from: number, to: number): void {
    if (from >= to) return;
    this.#killed = this.text.slice(from, to);
    this.#edit({ text: this.text.slice(0, from) + this.text.slice(to), cursor: from });
  }

  #lineStart(): number {
    return this.before.lastIndexOf("\n") + 1;
  }

  #lineEnd(): number {
    const end = this.text.indexOf("\n", this.cursor);
    return end < 0 ? this.text.length : end;
  }

  #wordEnd(): number {
    let at = this.cursor;
    while (at < this.text.length && !WORD.test(this.text[at] ?? "")) at++;
    while (at < this.text.length && WORD.test(this.text[at] ?? "")) at++;
    return at;
  }

  /** The place in another line that is as many characters from its start as the cursor is now. */
  #inLine(start: number, end: number): number {
    const column = graphemes(this.text.slice(this.#lineStart(), this.cursor)).length;
    return start + graphemes(this.text.slice(start, end)).slice(0, column).join("").length;
  }
}
