/** Lines of a file of any size, read in blocks. */
import { Buffer } from "node:buffer";
import * as fs from "node:fs/promises";
import { BYTES_MAX } from "./truncate.ts";

const BLOCK_BYTES = 256 * 1024;
/** Bytes of a line that are kept; more than is ever shown. */
const LINE_BYTES_MAX = 2 * BYTES_MAX;
/** How far into a file a NUL byte makes it a binary one. */
const BINARY_PROBE_BYTES = 8_192;

/** Lines as they were asked for. */
export interface FileLines {
  /** Without line ends; a very long line is cut. */
  lines: string[];
  totalLines: number;
  /** The bytes of each of `lines` in the file. */
  lineBytes: number[];
  /** Not all of it was UTF-8: U+FFFD stands for what was not. */
  isMended: boolean;
}

/** Whether the beginning of a file shows that it is no text. */
export function isBinary(head: Uint8Array): boolean {
  return head.subarray(0, BINARY_PROBE_BYTES).includes(0);
}

/** The first bytes of a file. */
export async function headOf(file: string): Promise<Uint8Array> {
  const handle = await fs.open(file, "r");
  try {
    const head = Buffer.alloc(BINARY_PROBE_BYTES);
    const { bytesRead } = await handle.read(head, 0, head.length, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/**
 * Reads lines `first` (from 1) to `last` of a text file, and counts all. The last line needs no
 * line feed; a byte-order mark and the CR of a CR LF are left out. Throws the signal's reason when
 * it aborts.
 */
export async function readLines(
  file: string,
  range: { first: number; last: number },
  signal: AbortSignal,
): Promise<FileLines> {
  const collector = new LineCollector(range);
  const handle = await fs.open(file, "r");
  try {
    const block = Buffer.alloc(BLOCK_BYTES);
    while (true) {
      signal.throwIfAborted();
      const { bytesRead } = await handle.read(block, 0, block.length, null);
      if (bytesRead === 0) return collector.end();
      collector.push(block.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}

class LineCollector {
  readonly #range: { first: number; last: number };
  readonly #lines: string[] = [];
  readonly #lineBytes: number[] = [];
  /** The parts of the line that is open, up to `LINE_BYTES_MAX`. */
  #open: Buffer[] = [];
  #openKept = 0;
  #openBytes = 0;
  #line = 1;
  #isMended = false;
  /** Bytes of all lines kept so far: more than can be shown are not kept. */
  #kept = 0;

  constructor(range: { first: number; last: number }) {
    this.#range = range;
  }

  push(bytes: Buffer): void {
    let start = 0;
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, start)) {
      this.#take(bytes.subarray(start, at));
      this.#close();
      start = at + 1;
    }
    this.#take(bytes.subarray(start));
  }

  end(): FileLines {
    if (this.#openBytes > 0) this.#close();
    return {
      lines: this.#lines,
      lineBytes: this.#lineBytes,
      totalLines: this.#line - 1,
      isMended: this.#isMended,
    };
  }

  get #isWanted(): boolean {
    return this.#line >= this.#range.first && this.#line <= this.#range.last &&
      this.#kept <= LINE_BYTES_MAX;
  }

  #take(bytes: Buffer): void {
    this.#openBytes += bytes.length;
    if (!this.#isWanted || this.#openKept >= LINE_BYTES_MAX) return;
    // The block is used again, so the part is copied.
    const part = Buffer.from(bytes.subarray(0, LINE_BYTES_MAX - this.#openKept));
    this.#open.push(part);
    this.#openKept += part.length;
  }

  #close(): void {
    if (this.#isWanted) {
      const bytes = Buffer.concat(this.#open);
      const isCut = bytes.length < this.#openBytes;
      const text = new TextDecoder("utf-8", { ignoreBOM: this.#line > 1 }).decode(bytes);
      // A line that is cut may end in the middle of a character.
      if (!isCut && text.includes("\ufffd") && !bytes.includes("\ufffd")) this.#isMended = true;
      this.#lines.push(text.endsWith("\r") ? text.slice(0, -1) : text);
      this.#lineBytes.push(this.#openBytes);
      this.#kept += this.#openBytes;
    }
    this.#open = [];
    this.#openKept = 0;
    this.#openBytes = 0;
    this.#line++;
  }
}
