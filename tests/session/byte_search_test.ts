import { Buffer } from "node:buffer";
import { expect, test } from "bun:test";
import { holdsAny } from "../../lib/session/byte_search.ts";
import { memorySource } from "../../lib/session/byte_source.ts";

const BLOCK = 256 * 1024;

test("holdsAny() finds a text wherever it stands, also across the borders of blocks", () => {
  const bytes = Buffer.alloc(3 * BLOCK, "x");
  const places = [0, 1, BLOCK - 4, BLOCK - 1, BLOCK, 2 * BLOCK - 13, 3 * BLOCK - 4];
  const found = places.map((place) => {
    bytes.write("mark", place);
    const holds = holdsAny(memorySource(bytes), ["another", "mark"], {
      start: 0,
      end: bytes.length,
    });
    bytes.fill("x", place, place + 4);
    return holds;
  });
  expect(found).toEqual(places.map(() => true));
});

test("holdsAny() looks at nothing before its start or after its end", () => {
  const source = memorySource(Buffer.from("mark.....mark"));
  expect(holdsAny(source, ["mark"], { start: 1, end: 12 })).toBe(false);
  expect(holdsAny(source, ["mark"], { start: 1, end: 13 })).toBe(true);
});
