/**
 * What is a word: letters, digits and marks in a row. Han and Kana are written without blanks, so
 * there each two neighbours are one, and the last one of a row by itself; then any part of a row is
 * found by the words in it.
 */

/** Between words; in a word; in a row that is written without blanks. */
export type CharKind = 0 | 1 | 2;

const IN_WORD = /[\p{L}\p{N}\p{M}]/u;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** The kinds of characters; those below U+10000 are remembered. */
export class CharKinds {
  readonly #known = new Uint8Array(0x10000);

  of(codePoint: number): CharKind {
    const known = this.#known[codePoint];
    if (known) return known === 1 ? 0 : known === 2 ? 1 : 2;
    const kind = kindOf(String.fromCodePoint(codePoint));
    if (codePoint < 0x10000) this.#known[codePoint] = kind + 1;
    return kind;
  }
}

function kindOf(char: string): CharKind {
  if (!IN_WORD.test(char)) return 0;
  return UNSPACED.test(char) ? 2 : 1;
}

/** Whether the characters on both sides of a place belong to one word. */
export function isInWord(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  const before = text.codePointAt(isLow(text.charCodeAt(at - 1)) ? at - 2 : at - 1) ?? 0;
  const after = text.codePointAt(at) ?? 0;
  return kindOf(String.fromCodePoint(before)) === 1 && kindOf(String.fromCodePoint(after)) === 1;
}

function isLow(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}

/** A row of characters of one kind. */
export interface WordRow {
  text: string;
  isUnspaced: boolean;
  /** Where it begins in the text. */
  at: number;
}

/** The rows of a text, in order: for texts that are short. */
export function rowsOf(text: string): WordRow[] {
  const rows: WordRow[] = [];
  let at = 0;
  let last: CharKind = 0;
  for (const char of text) {
    const kind = kindOf(char);
    const row = rows.at(-1);
    if (kind !== 0 && kind === last && row) row.text += char;
    else if (kind !== 0) rows.push({ text: char, isUnspaced: kind === 2, at });
    last = kind;
    at += char.length;
  }
  return rows;
}

/** The words of a row that is written without blanks: each two neighbours. */
export function pairsOf(row: string): string[] {
  const chars = [...row];
  return chars.slice(1).map((char, at) => `${chars[at]}${char}`);
}

const SIZE_FIRST = 1 << 14;

/** Two hashes of each word: 64 bits, so that two words do not share them; and the last text. */
interface Table {
  first: Int32Array;
  second: Int32Array;
  stamp: Int32Array;
}

function emptyTable(size: number): Table {
  return {
    first: new Int32Array(size),
    second: new Int32Array(size),
    stamp: new Int32Array(size),
  };
}

/** The words of a text. */
export interface TextWords {
  /** Each once, with blanks between. */
  words: string;
  /** Those (of texts with blanks) that no text before had. */
  fresh: string[];
}

/**
 * Takes the words out of texts. They are gone through character by character, and only words that
 * are new to a text are cut out: anything else takes longer than all the rest of indexing.
 */
export class WordReader {
  readonly #kinds = new CharKinds();
  #table = emptyTable(SIZE_FIRST);
  #size = 0;
  #texts = 0;
  /** What the last `#note` found: nothing new, new to the text, new to all texts. */
  static readonly #KNOWN = 0;
  static readonly #NEW_HERE = 1;
  static readonly #NEW = 2;

  /** The words of a folded text. */
  read(text: string): TextWords {
    this.#texts++;
    const fresh: string[] = [];
    let words = "";
    let kind: CharKind = 0;
    let start = 0;
    let last = 0;
    let first = 0;
    let second = 0;
    for (let at = 0; at <= text.length;) {
      const point = at < text.length ? pointAt(text, at) : 0x20;
      const next = this.#kinds.of(point);
      if (next === 1) {
        if (kind !== 1) {
          start = at;
          first = 0x811c9dc5;
          second = 0x2545f491;
        }
        first = Math.imul(first ^ point, 0x01000193);
        second = Math.imul(second + point, 0x9e3779b1) ^ (second >>> 15);
      }
      if (kind === 1 && next !== 1) {
        const found = this.#note(first, second);
        if (found !== WordReader.#KNOWN) {
          const word = text.slice(start, at);
          words += `${word} `;
          if (found === WordReader.#NEW) fresh.push(word);
        }
      } else if (kind === 2) {
        // With its neighbour, or by itself at the end of the row.
        const end = next === 2 ? at + (point > 0xffff ? 2 : 1) : at;
        words += this.#noteShort(text.slice(last, end));
      }
      if (next === 2) last = at;
      kind = next;
      at += point > 0xffff ? 2 : 1;
    }
    return { words, fresh };
  }

  #noteShort(word: string): string {
    let first = 0x811c9dc5;
    let second = 0x2545f491;
    for (let at = 0; at < word.length; at++) {
      const unit = word.charCodeAt(at);
      first = Math.imul(first ^ unit, 0x01000193);
      second = Math.imul(second + unit, 0x9e3779b1) ^ (second >>> 15);
    }
    return this.#note(first, second) === WordReader.#KNOWN ? "" : `${word} `;
  }

  #note(one: number, two: number): number {
    // Zeros stand for an empty place.
    const wanted = two || 1;
    const { first, second, stamp } = this.#table;
    const mask = first.length - 1;
    let slot = one & mask;
    for (; second[slot] !== 0; slot = (slot + 1) & mask) {
      if (first[slot] !== one || second[slot] !== wanted) continue;
      if (stamp[slot] === this.#texts) return WordReader.#KNOWN;
      stamp[slot] = this.#texts;
      return WordReader.#NEW_HERE;
    }
    first[slot] = one;
    second[slot] = wanted;
    stamp[slot] = this.#texts;
    this.#size++;
    if (this.#size * 2 > first.length) this.#grow();
    return WordReader.#NEW;
  }

  #grow(): void {
    const old = this.#table;
    const table = emptyTable(old.first.length * 2);
    const mask = table.first.length - 1;
    for (let place = 0; place < old.first.length; place++) {
      if (old.second[place] === 0) continue;
      let slot = (old.first[place] ?? 0) & mask;
      while (table.second[slot] !== 0) slot = (slot + 1) & mask;
      table.first[slot] = old.first[place] ?? 0;
      table.second[slot] = old.second[place] ?? 0;
      table.stamp[slot] = old.stamp[place] ?? 0;
    }
    this.#table = table;
  }
}

/** The code point at a place; one of a lone surrogate is its unit. */
function pointAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return (unit & 0xfc00) === 0xd800 ? text.codePointAt(at) ?? unit : unit;
}
