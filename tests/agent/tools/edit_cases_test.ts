import { expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { caseDirectory } from "../../support/cases.ts";
import { ToolBench } from "../../support/tools.ts";

interface Row {
  beforeBase64: string;
  edits: { oldText: string; newText: string }[];
  afterBase64?: string;
  error?: string;
  check?: string;
  note?: string;
}

function rows(name: string): Row[] {
  const file = path.join(caseDirectory(name), "edits.json");
  return JSON.parse(fs.readFileSync(file, "utf8"));
}

async function edited(row: Row) {
  using bench = new ToolBench();
  const before = Buffer.from(row.beforeBase64, "base64");
  const file = bench.write("file.txt", before);
  fs.utimesSync(file, 1, 1);
  const called = await bench.call("edit", { path: "file.txt", edits: row.edits });
  return {
    ...called,
    before: before.toString(),
    after: fs.readFileSync(file),
    isTouched: fs.statSync(file).mtimeMs !== 1_000,
    files: fs.readdirSync(bench.cwd),
  };
}

for (const name of ["C115", "C117"]) {
  for (const row of rows(name)) {
    test(`edit does as case ${name} says: ${row.note ?? row.error}`, async () => {
      const { isError, after, isTouched, files } = await edited(row);
      expect({ isError, after: after.toString("base64"), isTouched, files }).toEqual({
        isError: row.error !== undefined,
        after: row.afterBase64 ?? row.beforeBase64,
        isTouched: row.error === undefined,
        files: ["file.txt"],
      });
    });
  }
}

test("edit names the edit that is not found, and how often a text is there (case C117)", async () => {
  const texts = await Promise.all(
    rows("C117").slice(1, 5).map(async (row) => (await edited(row)).text),
  );
  expect(texts).toEqual([
    "Cannot edit file.txt: its oldText is in the file 2 times: line 1, 2. Add text around it that makes it the only one.",
    "Cannot edit file.txt: its oldText is in the file 2 times: line 1, 1. Add text around it that makes it the only one.",
    "Cannot edit file.txt: the oldText of edit 3 of 3 is not in the file. Read the file, and copy the text as it stands there.",
    "Cannot edit file.txt: edits 1 and 2 overlap. Make them one edit.",
  ]);
});

const loose: [title: string, line: number, after: string][] = [
  ["a line with curly quotes", 1, 'say "A2" - x\nkeep “B” — y  \n'],
  ["lines with blanks at their ends", 2, "def f():   \n    return 2\t\n\nz = 2   \n"],
  ["no-break spaces", 1, "price: 6 000\nother\u00a0line\n"],
  ["decomposed letters", 1, "hiver\n"],
];
for (const [index, row] of rows("C119").entries()) {
  const [title, line, after] = loose[index] ?? ["", 0, ""];
  test(`edit replaces ${title} and keeps all else (case C119)`, async () => {
    const called = await edited(row);
    expect([called.text, called.after.toString()]).toEqual([
      `Edited file.txt: 1 place, from line ${line}. 1 of them matched only by look (quotes, dashes, blanks or letter forms differ).`,
      after,
    ]);
  });
}
