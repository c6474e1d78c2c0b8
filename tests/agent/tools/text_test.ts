import { expect, test } from "bun:test";
import { plainText, PlainTextDecoder } from "../../../lib/agent/tools/control_text.ts";
import { OutputTail } from "../../../lib/agent/tools/output_tail.ts";
import { byteLength, cutEnd, cutStart, sizeText } from "../../../lib/agent/tools/truncate.ts";
import { Random } from "../../support/random.ts";

test("cutEnd() and cutStart() keep whole characters and at most the bytes given", () => {
  const text = "aé€🦀z";
  expect([0, 1, 2, 3, 5, 6, 9, 10, 11, 12].map((bytes) => cutEnd(text, bytes))).toEqual(
    ["", "a", "a", "aé", "aé", "aé€", "aé€", "aé€🦀", "aé€🦀z", "aé€🦀z"],
  );
  expect([0, 1, 2, 4, 5, 7, 8, 10, 11, 12].map((bytes) => cutStart(text, bytes))).toEqual(
    ["", "z", "z", "z", "🦀z", "🦀z", "€🦀z", "é€🦀z", "aé€🦀z", "aé€🦀z"],
  );
});

test("cutEnd() and cutStart() are the longest that fit, whatever the text", () => {
  const random = new Random(3);
  for (let round = 0; round < 300; round++) {
    const characters = Array.from({ length: random.int(0, 40) }, () => random.pick([..."aé€🦀"]));
    const bytesMax = random.int(0, 60);
    const longest = (texts: string[]) => texts.findLast((text) => byteLength(text) <= bytesMax);
    const counts = [0, ...characters.keys()].map((_, count) => count);
    expect(cutEnd(characters.join(""), bytesMax)).toBe(
      longest(counts.map((count) => characters.slice(0, count).join(""))) ?? "",
    );
    expect(cutStart(characters.join(""), bytesMax)).toBe(
      longest(counts.map((count) => characters.slice(characters.length - count).join(""))) ?? "",
    );
  }
});

test("sizeText() picks the unit", () => {
  expect([0, 1023, 1024, 51_200, 5 * 1024 ** 2, 3 * 1024 ** 3].map(sizeText)).toEqual(
    ["0 bytes", "1023 bytes", "1.0 KB", "50.0 KB", "5.0 MB", "3.0 GB"],
  );
});

const CODES =
  "\x1b[1;31mred\x1b[0m \x1b]0;title\x07\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ \x1b(B\x00end\r\nnext\rlast é🦀\x7f\u009b\tx";

test("plainText() takes control sequences out and keeps text, tabs and lines", () => {
  expect(plainText(CODES)).toBe("red link end\nnext\nlast é🦀\tx");
});

test("PlainTextDecoder gives the same however the bytes are cut", () => {
  const bytes = new TextEncoder().encode(CODES);
  for (let size = 1; size <= bytes.length; size++) {
    const decoder = new PlainTextDecoder();
    let text = "";
    for (let at = 0; at < bytes.length; at += size) {
      text += decoder.push(bytes.subarray(at, at + size));
    }
    expect([size, text + decoder.end()]).toEqual([size, "red link end\nnext\nlast é🦀\tx"]);
  }
});

test("OutputTail shows the same however the text is cut, as counting it whole would", () => {
  const random = new Random(11);
  for (let round = 0; round < 60; round++) {
    const lines = Array.from(
      { length: random.int(1, 4000) },
      () => random.pick(["", "a", "é".repeat(20), "🦀".repeat(random.int(0, 30))]),
    );
    const text = lines.join("\n") + (random.chance(0.5) ? "\n" : "");
    const tail = new OutputTail();
    for (let at = 0; at < text.length;) {
      // As a decoder does, a surrogate pair is never cut.
      let end = at + random.int(1, 5000);
      if (/[\ud800-\udbff]/.test(text[end - 1] ?? "")) end++;
      tail.push(text.slice(at, end));
      at = end;
    }
    const whole = text.endsWith("\n") ? text.slice(0, -1) : text;
    const all = text === "" ? [] : whole.split("\n");
    const shown = tail.shown();
    const count = shown.text === "" && all.length === 0 ? 0 : shown.text.split("\n").length;
    expect(shown).toEqual({
      text: all.slice(all.length - count).join("\n"),
      firstLine: all.length === 0 ? 0 : all.length - count + 1,
      lastLine: all.length,
      totalLines: all.length,
      totalBytes: byteLength(text),
    });
    const oneMore = all.slice(-count - 1).join("\n");
    const isFull = count === all.length || count === 2000 || byteLength(oneMore) > 51_200;
    expect([byteLength(shown.text) <= 51_200, count <= 2000, isFull]).toEqual([true, true, true]);
    expect(tail.isCut).toBe(count < all.length);
  }
});

test("OutputTail shows the end of a line that is too long, closed or not", () => {
  for (const end of ["", "\n"]) {
    const tail = new OutputTail();
    tail.push("first\n");
    for (let i = 0; i < 100; i++) tail.push("🦀".repeat(1000));
    tail.push(end);
    expect({ ...tail.shown(), isCut: tail.isCut }).toEqual({
      text: "🦀".repeat(12_800),
      firstLine: 2,
      lastLine: 2,
      totalLines: 2,
      totalBytes: 6 + 400_000 + end.length,
      cutLineBytes: 400_000,
      isCut: true,
    });
  }
});
