/** A terminal in memory: what a screen shows after the bytes that were written to it. */
import { graphemes, graphemeWidth } from "../../lib/runtime/modes/repl/text_width.ts";

interface Cell {
  text: string;
  /** 0 for the second half of a wide character. */
  width: number;
}

const BLANK: Cell = { text: " ", width: 1 };

/**
 * Understands what the REPL writes: text with wrapping, CR, LF, cursor movements, clearing, colours
 * (which it forgets) and modes. Anything else makes it throw, so that no unknown sequence goes by
 * unnoticed.
 */
export class VtScreen {
  columns: number;
  rows: number;
  /** Modes that are set, such as `?2004`. */
  readonly modes = new Set<string>();
  /** What was put into the clipboard, decoded. */
  readonly clipboard: string[] = [];
  #lines: Cell[][] = [[]];
  #row = 0;
  #column = 0;
  /** The row that is at the top of the screen. */
  #top = 0;
  #rest = "";

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  write(data: string): void {
    let text = this.#rest + data;
    this.#rest = "";
    while (text !== "") {
      // deno-lint-ignore no-control-regex
      const plain = /^[^\x00-\x1f\x7f]+/.exec(text)?.[0];
      if (plain !== undefined) {
        for (const grapheme of graphemes(plain)) this.#put(grapheme);
        text = text.slice(plain.length);
        continue;
      }
      const length = this.#control(text);
      if (length === 0) {
        this.#rest = text;
        return;
      }
      text = text.slice(length);
    }
  }

  /** The lines that scrolled away and those on the screen, without blanks at their ends. */
  get text(): string {
    return this.#lines.map(lineText).join("\n").replace(/\n+$/, "");
  }

  /** The lines on the screen now. */
  get screen(): string {
    return this.#lines.slice(this.#top).map(lineText).join("\n").replace(/\n+$/, "");
  }

  get cursor(): { row: number; column: number } {
    return { row: this.#row - this.#top, column: this.#column };
  }

  /** Lines that are too long now are broken, as most terminals do. */
  resize(columns: number, rows: number): void {
    const lines: Cell[][] = [];
    let row = 0;
    for (const [index, line] of this.#lines.entries()) {
      const cells = line.slice(0, line.findLastIndex(({ text }) => text !== " ") + 1);
      if (index === this.#row) row = lines.length + Math.floor(this.#column / columns);
      do lines.push(cells.splice(0, columns)); while (cells.length > 0);
    }
    this.columns = columns;
    this.rows = rows;
    this.#lines = lines;
    this.#row = Math.min(row, lines.length - 1);
    this.#column %= columns;
    this.#top = Math.max(0, lines.length - rows);
  }

  #put(text: string): void {
    const width = graphemeWidth(text);
    const line = this.#lines[this.#row] ?? [];
    if (width === 0) {
      const cell = line[this.#column - 1];
      if (cell) cell.text += text;
      return;
    }
    if (this.#column + width > this.columns) {
      this.#lineFeed();
      this.#column = 0;
      return this.#put(text);
    }
    while (line.length < this.#column) line.push({ ...BLANK });
    line[this.#column] = { text, width };
    if (width === 2) line[this.#column + 1] = { text: "", width: 0 };
    this.#column += width;
  }

  #lineFeed(): void {
    this.#row++;
    if (this.#row === this.#lines.length) this.#lines.push([]);
    this.#top = Math.max(this.#top, this.#row - this.rows + 1);
  }

  /** The length of the control sequence that a text begins with; 0 if it is not whole yet. */
  #control(text: string): number {
    switch (text[0]) {
      case "\r":
        this.#column = 0;
        return 1;
      case "\n":
        this.#lineFeed();
        return 1;
      case "\x07":
        return 1;
      case "\b":
        this.#column = Math.max(0, this.#column - 1);
        return 1;
    }
    if (text[0] !== "\x1b") throw new Error(`The screen got ${JSON.stringify(text.slice(0, 20))}`);
    const sequence = /^\x1b\[([?]?)([\d;]*)([A-Za-z])/.exec(text);
    if (sequence) {
      const [whole, mark = "", numbers = "", letter = ""] = sequence;
      this.#sequence(mark, numbers, letter);
      return whole.length;
    }
    const clipboard = /^\x1b\]52;c;([A-Za-z0-9+/=]*)\x07/.exec(text);
    if (clipboard) {
      this.clipboard.push(Buffer.from(clipboard[1] ?? "", "base64").toString("utf8"));
      return clipboard[0].length;
    }
    if (/^\x1b(\[[?]?[\d;]*|\]52;[^\x07]*)?$/.test(text)) return 0;
    throw new Error(`The screen got ${JSON.stringify(text.slice(0, 20))}`);
  }

  #sequence(mark: string, numbers: string, letter: string): void {
    const count = Number(numbers) || 1;
    switch (mark + letter) {
      case "A":
        this.#row = Math.max(this.#top, this.#row - count);
        return;
      case "B":
        this.#row = Math.min(this.#lines.length - 1, this.#row + count);
        return;
      case "C":
        this.#column = Math.min(this.columns - 1, this.#column + count);
        return;
      case "H":
        this.#row = this.#top;
        this.#column = 0;
        return;
      case "J":
        if (numbers === "2") return this.#clearScreen();
        this.#lines.length = this.#row + 1;
        this.#lines[this.#row]?.splice(this.#column);
        return;
      case "m":
        return;
      case "?h":
        this.modes.add(`?${numbers}`);
        return;
      case "?l":
        this.modes.delete(`?${numbers}`);
        return;
    }
    throw new Error(`The screen got ESC [ ${mark}${numbers}${letter}`);
  }

  #clearScreen(): void {
    this.#top = this.#lines.length;
    this.#row = this.#top;
    this.#lines.push([]);
  }
}

function lineText(line: readonly Cell[]): string {
  return line.map(({ text }) => text).join("").trimEnd();
}
