/** Lines of a byte stream. LF alone ends a line: U+2028 is an ordinary character. */
import { Buffer } from "node:buffer";

/** One line, without its end; or that it was too long to keep. */
export type SplitLine =
  | { readonly kind: "line"; readonly bytes: Uint8Array }
  | { readonly kind: "too long" };

const LF = 10;
const CR = 13;

/** Puts lines together from pieces of any size; memory is bounded by the longest line allowed. */
export class LineSplitter {
  readonly #bytesMax: number;
  #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The lines that these bytes complete. */
  push(bytes: Uint8Array): SplitLine[] {
    const lines: SplitLine[] = [];
    let start = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
      this.#add(bytes.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#add(bytes.subarray(start));
    return lines;
  }

  /** The last line, if it has no end. */
  end(): SplitLine[] {
    return this.#length === 0 ? [] : [this.#take()];
  }

  #add(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length > this.#bytesMax) this.#pieces = [];
    // The reader may use its buffer again.
    else if (piece.length > 0) this.#pieces.push(piece.slice());
  }

  #take(): SplitLine {
    const line: SplitLine = this.#length > this.#bytesMax
      ? { kind: "too long" }
      : { kind: "line", bytes: withoutCr(Buffer.concat(this.#pieces)) };
    this.#pieces = [];
    this.#length = 0;
    return line;
  }
}

function withoutCr(line: Uint8Array): Uint8Array {
  return line.at(-1) === CR ? line.subarray(0, -1) : line;
}
