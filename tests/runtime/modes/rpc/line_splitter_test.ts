import { expect, test } from "bun:test";
import { LineSplitter, type SplitLine } from "../../../../lib/runtime/modes/rpc/line_splitter.ts";

function shown(lines: readonly SplitLine[]): string[] {
  return lines.map((line) =>
    line.kind === "line" ? new TextDecoder().decode(line.bytes) : "(too long)"
  );
}

function split(pieces: readonly Uint8Array[], bytesMax = 100): string[] {
  const splitter = new LineSplitter(bytesMax);
  return shown([...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]);
}

const bytes = (text: string) => new TextEncoder().encode(text);

test.each([
  ["", []],
  ["\n", [""]],
  ["a\nb\n", ["a", "b"]],
  ["a\nb", ["a", "b"]],
  ["a\r\nb\r\n", ["a", "b"]],
  ["a\rb\n", ["a\rb"]],
  // Ends of a line to others, not to JSON.
  ["a\u2028b\u2029c\u0085d\n", ["a\u2028b\u2029c\u0085d"]],
])("LineSplitter ends %j at LF alone", (text, lines) => {
  expect(split([bytes(text)])).toEqual(lines);
});

test("LineSplitter gives the same lines wherever the pieces end", () => {
  const whole = bytes('{"a":"é😀"}\r\n\n{"b":1}\nlast');
  for (let at = 0; at <= whole.length; at++) {
    expect(split([whole.subarray(0, at), whole.subarray(at)])).toEqual(
      ['{"a":"é😀"}', "", '{"b":1}', "last"],
    );
  }
  const single = Array.from(whole, (_, at) => whole.subarray(at, at + 1));
  expect(split(single)).toEqual(['{"a":"é😀"}', "", '{"b":1}', "last"]);
});

test("LineSplitter keeps its lines where the reader uses its buffer again", () => {
  const splitter = new LineSplitter(100);
  const buffer = bytes("first");
  splitter.push(buffer);
  buffer.fill(120);
  expect(shown(splitter.push(bytes("\n")))).toEqual(["first"]);
});

test("LineSplitter says which line is too long, and goes on after it", () => {
  const pieces = ["1234", "5", "678\nok\n", "12345\n123456"].map(bytes);
  expect(split(pieces, 5)).toEqual(["(too long)", "ok", "12345", "(too long)"]);
});
