import { expect, test } from "bun:test";
import { saidIn, shortenMessage } from "../../lib/session/fences.ts";

const DATA = `<stdin>\n${"x".repeat(200)}\n</stdin>\n\n`;

test("shortenMessage() leaves what is short enough", () => {
  expect(shortenMessage("<stdin>\nx\n</stdin>\n\nGo", 23)).toBe("<stdin>\nx\n</stdin>\n\nGo");
});

test("shortenMessage() keeps what was said about data that is too long", () => {
  expect(shortenMessage(`${DATA}Sum it up`, 60)).toBe(
    `<stdin>\n${"x".repeat(31)}…\n</stdin>\n\nSum it up`,
  );
  const files = `<file path="a b">\n${"y".repeat(99)}\n</file>\n\n${DATA}Sum it up`;
  expect(saidIn(shortenMessage(files, 60))).toBe("Sum it up");
});

for (
  const [what, message, lengthMax, wanted] of [
    ["of words alone their beginning", "one two three", 8, "one two…"],
    ["of data that nothing was said about its beginning", DATA, 12, "<stdin>\nxxx…"],
    ["of data without an end its beginning", `<stdin>\n${"x".repeat(50)}`, 12, "<stdin>\nxxx…"],
    ["no half of a character", "ab😀cd", 4, "ab\ufffd…"],
    [
      "of long words no more than fits, the data gone",
      `${DATA}${"w".repeat(99)}`,
      20,
      `${"w".repeat(19)}…`,
    ],
  ] as const
) {
  test(`shortenMessage() keeps ${what}`, () => {
    expect(shortenMessage(message, lengthMax)).toBe(wanted);
  });
}
