/** A text made plainer for matching, with the way back to where each character came from. */

/** `plain[i]` came from the original's `startOf(i)` up to, but not including, `endOf(i)`. */
export interface FoldedText {
  plain: string;
  startOf(index: number): number;
  endOf(index: number): number;
}

/**
 * `lines` folds CR LF to LF. `loose` also folds what looks alike: quotes, dashes, blanks, blanks at
 * the end of a line, and letters that are composed differently.
 */
export type FoldLevel = "lines" | "loose";

const SINGLE_QUOTES = "‘’‚‛ʼ′";
const DOUBLE_QUOTES = "“”„‟″";
const DASHES = "‐‑‒–—―−";
const LOOKS_LIKE: ReadonlyMap<string, string> = new Map([
  ...[...SINGLE_QUOTES].map((each): [string, string] => [each, "'"]),
  ...[...DOUBLE_QUOTES].map((each): [string, string] => [each, '"']),
  ...[...DASHES].map((each): [string, string] => [each, "-"]),
]);
/** One step: a line end, a run of blanks, or a character with its combining marks. */
const LOOSE_STEP = /\r?\n|[^\S\r\n]+|\P{M}\p{M}*|\p{M}+/gsu;
const BLANKS = /^[^\S\r\n]+$/;
const LINES_STEP = /\r\n/g;

/** Folds a text. Positions count UTF-16 units. */
export function fold(text: string, level: FoldLevel): FoldedText {
  if (level === "lines" && !text.includes("\r\n")) {
    return { plain: text, startOf: (index) => index, endOf: (index) => index + 1 };
  }
  const folder = new Folder(text.length);
  switch (level) {
    case "lines": {
      let at = 0;
      for (const { index } of text.matchAll(LINES_STEP)) {
        folder.copy(text, at, index);
        folder.add("\n", index, index + 2);
        at = index + 2;
      }
      folder.copy(text, at, text.length);
      break;
    }
    case "loose":
      for (const { 0: step, index } of text.matchAll(LOOSE_STEP)) {
        foldLoosely(folder, text, step, index);
      }
      break;
  }
  return folder.end();
}

function foldLoosely(folder: Folder, text: string, step: string, at: number): void {
  const end = at + step.length;
  if (step.endsWith("\n")) folder.add("\n", at, end);
  else if (!BLANKS.test(step)) folder.add(LOOKS_LIKE.get(step) ?? step.normalize("NFC"), at, end);
  else if (!isLineEnd(text, end)) {
    for (let i = at; i < end; i++) folder.add(" ", i, i + 1);
  }
}

function isLineEnd(text: string, at: number): boolean {
  return at === text.length || text[at] === "\n" || text.startsWith("\r\n", at);
}

class Folder {
  readonly #parts: string[] = [];
  #starts: Int32Array;
  #ends: Int32Array;
  #length = 0;

  constructor(size: number) {
    this.#starts = new Int32Array(size + 1);
    this.#ends = new Int32Array(size + 1);
  }

  add(plain: string, start: number, end: number): void {
    this.#parts.push(plain);
    for (let i = 0; i < plain.length; i++) this.#place(start, end);
  }

  copy(text: string, from: number, to: number): void {
    this.#parts.push(text.slice(from, to));
    for (let at = from; at < to; at++) this.#place(at, at + 1);
  }

  end(): FoldedText {
    const [starts, ends] = [this.#starts, this.#ends];
    return {
      plain: this.#parts.join(""),
      startOf: (index) => starts[index] ?? 0,
      endOf: (index) => ends[index] ?? 0,
    };
  }

  #place(start: number, end: number): void {
    // NFC can lengthen a few letters.
    if (this.#length === this.#starts.length) {
      this.#starts = grown(this.#starts);
      this.#ends = grown(this.#ends);
    }
    this.#starts[this.#length] = start;
    this.#ends[this.#length] = end;
    this.#length++;
  }
}

function grown(array: Int32Array): Int32Array {
  const larger = new Int32Array(array.length * 2 + 8);
  larger.set(array);
  return larger;
}
