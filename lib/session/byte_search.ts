/** Looking for bytes without looking at lines: many times as fast as reading the lines' heads. */
import { Buffer } from "node:buffer";
import type { ByteSource } from "./byte_source.ts";

const BLOCK_SIZE = 256 * 1024;

/** Whether one of these texts (ASCII, short) stands in the bytes from `start` to `end`. */
export function holdsAny(
  source: ByteSource,
  texts: readonly string[],
  { start, end }: { start: number; end: number },
): boolean {
  const wanted = texts.map((text) => Buffer.from(text));
  // Blocks overlap by as much as may lie across their border.
  const overlap = Math.max(...wanted.map(({ length }) => length)) - 1;
  const scratch = Buffer.allocUnsafe(BLOCK_SIZE);
  for (let at = start; at < end; at += BLOCK_SIZE - overlap) {
    const block = source.read(at, Math.min(end, at + BLOCK_SIZE), scratch);
    if (wanted.some((bytes) => block.includes(bytes))) return true;
  }
  return false;
}
