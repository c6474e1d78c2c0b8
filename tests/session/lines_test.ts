import { describe, expect, test } from "bun:test";
import { memorySource } from "../../lib/session/byte_source.ts";
import {
  BackwardLines,
  lineNumbers,
  linesForward,
  type LineSpan,
} from "../../lib/session/lines.ts";
import { Random } from "../support/random.ts";

function forward(bytes: Buffer): LineSpan[] {
  return [...linesForward(memorySource(bytes))];
}

function backward(bytes: Buffer, blockSize: number): LineSpan[] {
  const lines = new BackwardLines(memorySource(bytes), 0, blockSize);
  const spans: LineSpan[] = [];
  while (!lines.done) {
    for (const span of lines.next()) {
      expect(lines.bytes(span.start, span.end)).toEqual(bytes.subarray(span.start, span.end));
      spans.push(span);
    }
  }
  expect(lines.next()).toEqual([]);
  return spans.reverse();
}

describe("BackwardLines", () => {
  test.each(["", "a", "\n", "\n\n", "a\n", "a\nb", "\na", "ab\r\n\u2028c\u0085\n", "x".repeat(40)])(
    "reads %j as linesForward() does, whatever the size of the blocks",
    (text: string) => {
      const bytes = Buffer.from(text);
      for (const blockSize of [1, 2, 3, 7, 1000]) {
        expect(backward(bytes, blockSize)).toEqual(forward(bytes));
      }
    },
  );

  test("reads random lines as linesForward() does", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = new Random(seed);
      const parts = Array.from(
        { length: random.int(0, 30) },
        () => random.chance(0.4) ? "\n" : "x".repeat(random.int(0, 12)),
      );
      const bytes = Buffer.from(parts.join(""));
      expect({ seed, lines: backward(bytes, random.int(1, 20)) }).toEqual({
        seed,
        lines: forward(bytes),
      });
    }
  });
});

describe("linesForward()", () => {
  test("ends lines at LF alone, across blocks", () => {
    const long = "é".repeat(300_000);
    const bytes = Buffer.from(`${long}\n\u2028\n${long}`);
    const size = Buffer.byteLength(long);
    expect(forward(bytes)).toEqual([
      { start: 0, end: size, terminated: true },
      { start: size + 1, end: size + 4, terminated: true },
      { start: size + 5, end: 2 * size + 5, terminated: false },
    ]);
  });
});

describe("lineNumbers()", () => {
  test("counts from 1, several offsets to a line", () => {
    const source = memorySource(Buffer.from("a\nbb\n\nccc"));
    expect(lineNumbers(source, [0, 2, 3, 5, 6, 8])).toEqual([1, 2, 2, 3, 4, 4]);
    expect(lineNumbers(source, [])).toEqual([]);
  });
});
