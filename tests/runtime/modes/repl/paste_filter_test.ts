import { expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { PasteFilter } from "../../../../lib/runtime/modes/repl/paste_filter.ts";
import { caseDirectory } from "../../../support/cases.ts";
import { HeldTimer } from "../../../support/manual_timer.ts";

/** What comes through for pieces of bytes; after each one time passes if it is `null`. */
async function through(...pieces: (string | Uint8Array | null)[]): Promise<string[]> {
  const timer = new HeldTimer();
  const out: string[] = [];
  const filter = new PasteFilter({
    keys: (bytes) => out.push(`keys ${JSON.stringify(new TextDecoder().decode(bytes))}`),
    paste: (text) => out.push(`paste ${JSON.stringify(text)}`),
  }, timer);
  for (const piece of [...pieces, null]) {
    if (piece === null) {
      timer.wake();
      await Promise.resolve();
      await Promise.resolve();
    } else filter.feed(typeof piece === "string" ? new TextEncoder().encode(piece) : piece);
  }
  return out;
}

const START = "\x1b[200~";
const END = "\x1b[201~";

const ROWS: readonly ([string, (string | null)[], string[]])[] = [
  ["keys go through", ["abc"], ['keys "abc"']],
  ["a marked text is a paste", [`${START}a\rb${END}`], ['paste "a\\nb"']],
  ["keys follow a paste", [`x${START}a${END}\r`], ['keys "x"', 'paste "a"', 'keys "\\r"']],
  ["a mark may come in pieces", ["\x1b", "[20", "0~a\x1b[2", "01", "~"], ['paste "a"']],
  ["an end mark within a paste ends nothing", [`${START}a${END}rm -rf\r${END}`], [
    'paste "arm -rf\\n"',
  ]],
  ["also when it comes in two pieces", [`${START}a${END}`, `b\r${END}\r`], [
    'paste "ab\\n"',
    'keys "\\r"',
  ]],
  ["two pastes stay two", [`${START}a${END}${START}b${END}`], ['paste "a"', 'paste "b"']],
  ["a lone Escape is a key after a while", ["\x1b", null, "a"], ['keys "\\u001b"', 'keys "a"']],
  ["an arrow is a key at once", ["\x1b[A"], ['keys "\\u001b[A"']],
  ["lines in one piece are one input", ["a\rb\r"], ['paste "a\\nb"', 'keys "\\r"']],
  ["a line and its Enter are keys", ["abc\r"], ['keys "abc\\r"']],
  ["a terminal that marks pastes types fast", [`${START}a${END}`, null, "b\rc"], [
    'paste "a"',
    'keys "b\\rc"',
  ]],
];

for (const [what, pieces, out] of ROWS) {
  test(`PasteFilter: ${what}`, async () => {
    expect(await through(...pieces)).toEqual(out);
  });
}

test("PasteFilter takes four lines as one paste (C121)", async () => {
  const keys = Buffer.from(
    fs.readFileSync(path.join(caseDirectory("C121"), "keys.hex"), "utf8").trim(),
    "hex",
  );
  const out = await through(keys);
  expect(out).toEqual([
    'paste "line one\\nline two\\n/looks like a command\\n\\ttabbed"',
    'keys "\\r"',
  ]);
});

test("PasteFilter loses nothing of a paste, wherever its pieces end", async () => {
  const bytes = new TextEncoder().encode(`${START}日本 👨‍👩‍👧\r\nzwei${END}`);
  for (let cut = 1; cut < bytes.length; cut++) {
    expect(await through(bytes.subarray(0, cut), bytes.subarray(cut)))
      .toEqual(['paste "日本 👨‍👩‍👧\\nzwei"']);
  }
});
