/**
 * Lines of a session file by their offsets, forwards and backwards, in blocks: memory stays bounded
 * whatever the length of a line. Only LF ends a line.
 */
import { Buffer } from "node:buffer";
import type { ByteSource } from "./byte_source.ts";

const BLOCK_SIZE = 256 * 1024;
const LF = 10;

/** Where a line's bytes are, without its LF. */
export interface LineSpan {
  start: number;
  end: number;
  /** False for a last line that lacks its LF. */
  terminated: boolean;
}

/** The lines from `from` (the start of a line) to the end, in file order. */
export function* linesForward(source: ByteSource, from = 0): Generator<LineSpan> {
  let start = from;
  const scratch = Buffer.allocUnsafe(BLOCK_SIZE);
  for (let position = from; position < source.size; position += BLOCK_SIZE) {
    const block = source.read(position, position + BLOCK_SIZE, scratch);
    for (let at = block.indexOf(LF); at !== -1; at = block.indexOf(LF, at + 1)) {
      yield { start, end: position + at, terminated: true };
      start = position + at + 1;
    }
    if (block.length === 0) break;
  }
  if (start < source.size) yield { start, end: source.size, terminated: false };
}

/** The numbers (1 for the first) of the lines that hold these offsets, which are sorted. */
export function lineNumbers(source: ByteSource, offsets: readonly number[]): number[] {
  const numbers: number[] = [];
  if (offsets.length === 0) return numbers;
  let number = 0;
  for (const line of linesForward(source)) {
    number++;
    while ((offsets[numbers.length] ?? Infinity) <= line.end) numbers.push(number);
    if (numbers.length === offsets.length) break;
  }
  return numbers;
}

/**
 * Reads the lines between `floor` (the start of a line) and the end of a source, last line first,
 * a block at a time.
 */
export class BackwardLines {
  readonly #source: ByteSource;
  readonly #floor: number;
  readonly #blockSize: number;
  /** Where the line that is being put together ends. */
  #lineEnd: number;
  #terminated: boolean;
  #position: number;
  #block: { start: number; bytes: Buffer } | undefined;
  /** Where blocks are read to. */
  #scratch: Buffer | undefined;

  constructor(source: ByteSource, floor: number, blockSize = BLOCK_SIZE) {
    this.#source = source;
    this.#floor = floor;
    this.#blockSize = blockSize;
    this.#position = source.size;
    this.#lineEnd = source.size;
    this.#terminated = false;
    if (source.size > floor && source.read(source.size - 1, source.size)[0] === LF) {
      this.#lineEnd = source.size - 1;
      this.#terminated = true;
      this.#position = source.size - 1;
    }
  }

  /** Whether every line has been handed out. */
  get done(): boolean {
    return this.#lineEnd < this.#floor || (this.#lineEnd === this.#floor && !this.#terminated);
  }

  /** The lines that begin in the next block down, last first; none if a longer line goes on. */
  next(): LineSpan[] {
    if (this.done) return [];
    const start = Math.max(this.#floor, this.#position - this.#blockSize);
    this.#scratch ??= Buffer.allocUnsafe(Math.min(this.#blockSize, this.#position - start));
    const bytes = this.#source.read(start, this.#position, this.#scratch);
    this.#block = { start, bytes };
    const ends: number[] = [];
    for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) ends.push(at);
    const lines: LineSpan[] = [];
    for (const at of ends.reverse()) {
      lines.push({ start: start + at + 1, end: this.#lineEnd, terminated: this.#terminated });
      this.#lineEnd = start + at;
      this.#terminated = true;
    }
    this.#position = start;
    if (start === this.#floor) {
      lines.push({ start, end: this.#lineEnd, terminated: this.#terminated });
      this.#lineEnd = this.#floor - 1;
    }
    return lines;
  }

  /**
   * Bytes of a line just handed out, from the block in hand where it has them all: they hold until
   * the next one is read.
   */
  bytes(start: number, end: number): Buffer {
    const block = this.#block;
    if (block && start >= block.start && end <= block.start + block.bytes.length) {
      return block.bytes.subarray(start - block.start, end - block.start);
    }
    return this.#source.read(start, end);
  }
}
