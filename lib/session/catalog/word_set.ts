/** The words of texts, each once. */

const SIZE_FIRST = 1 << 14;
/** Unicode's marks between words; what is none of them may be part of a word. */
const SEPARATOR = /[\p{P}\p{S}\p{Z}\p{Cc}\p{Cf}]/u;

/** Two hashes of a word: 64 bits, so that two words do not share them. */
interface Hashes {
  first: Int32Array;
  second: Int32Array;
}

function emptyTable(size: number): Hashes {
  return { first: new Int32Array(size), second: new Int32Array(size) };
}

/**
 * Tells which words of texts are new. A word here is a run of what SQLite might take for letters and
 * digits: at least as long as its own. Texts are gone through character by character, since cutting
 * each word out only to look it up takes longer than all the rest of indexing.
 */
export class WordSet {
  #table = emptyTable(SIZE_FIRST);
  #size = 0;
  /** 1: part of a word, 2: none; 0: not asked yet. */
  readonly #kinds = new Uint8Array(0x10000);

  /** How many words there are. */
  get size(): number {
    return this.#size;
  }

  /** Adds the words of a text. @returns those that are new. */
  add(text: string): string[] {
    const kinds = this.#kinds;
    const { length } = text;
    const added: string[] = [];
    let start = -1;
    let first = 0;
    let second = 0;
    for (let at = 0; at <= length; at++) {
      const code = at < length ? text.charCodeAt(at) : 32;
      if ((kinds[code] || this.#kindOf(code)) === 1) {
        if (start < 0) {
          start = at;
          first = 0x811c9dc5;
          second = 0x2545f491;
        }
        first = Math.imul(first ^ code, 0x01000193);
        second = Math.imul(second + code, 0x9e3779b1) ^ (second >>> 15);
      } else if (start >= 0) {
        if (this.#note(first, second)) added.push(text.slice(start, at));
        start = -1;
      }
    }
    return added;
  }

  #kindOf(code: number): number {
    const kind = SEPARATOR.test(String.fromCharCode(code)) ? 2 : 1;
    this.#kinds[code] = kind;
    return kind;
  }

  /** Notes a word by its hashes; false if it was there. */
  #note(one: number, two: number): boolean {
    // Zeros stand for an empty place.
    const wanted = two || 1;
    const { first, second } = this.#table;
    const mask = first.length - 1;
    let slot = one & mask;
    for (; second[slot] !== 0; slot = (slot + 1) & mask) {
      if (first[slot] === one && second[slot] === wanted) return false;
    }
    first[slot] = one;
    second[slot] = wanted;
    this.#size++;
    if (this.#size * 2 > first.length) this.#grow();
    return true;
  }

  #grow(): void {
    const old = this.#table;
    const table = emptyTable(old.first.length * 2);
    const mask = table.first.length - 1;
    for (let place = 0; place < old.first.length; place++) {
      const one = old.first[place] ?? 0;
      const two = old.second[place] ?? 0;
      if (two === 0) continue;
      let slot = one & mask;
      while (table.second[slot] !== 0) slot = (slot + 1) & mask;
      table.first[slot] = one;
      table.second[slot] = two;
    }
    this.#table = table;
  }
}
