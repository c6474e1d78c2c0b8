import { expect, test } from "bun:test";
import { type SseEvent, SseParser } from "../../../lib/agent/providers/sse.ts";

function parse(...pieces: (string | Uint8Array)[]): SseEvent[] {
  const parser = new SseParser();
  const bytes = pieces.map((piece) =>
    typeof piece === "string" ? new TextEncoder().encode(piece) : piece
  );
  return [...bytes.flatMap((piece) => parser.push(piece)), ...parser.end()];
}

const STREAM =
  '\uFEFF: hello\r\n:\r\nevent: a\r\nid: 7\rretry: 3\ndata: {"x":\r\ndata: "grüße 🦀"}\n\n' +
  "data\n\ndata:\n\ndata:one\r\rdata:  two\nnocolon\n\nevent: named\n\ndata: last";
const EVENTS = [
  { name: "a", data: '{"x":\n"grüße 🦀"}' },
  { name: "", data: "one" },
  { name: "", data: " two" },
  { name: "", data: "last" },
];

test("SseParser reads the format as its standard says", () => {
  expect(parse(STREAM)).toEqual(EVENTS);
});

test("SseParser gives the same events wherever the pieces end", () => {
  const bytes = new TextEncoder().encode(STREAM);
  for (let cut = 1; cut < bytes.length; cut++) {
    expect(parse(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(EVENTS);
  }
  expect(parse(...[...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(EVENTS);
});

test("SseParser reads a long line that comes in many pieces in linear time", () => {
  const piece = "x".repeat(16_384);
  const pieces = Array.from({ length: 500 }, () => piece);
  expect(parse("data: ", ...pieces, "\n\n")[0]?.data.length).toBe(500 * 16_384);
});
