import { describe, expect, test } from "bun:test";
import { applyPatch } from "diff";
import * as fs from "node:fs";
import { findReplacements, replaced } from "../../../lib/agent/tools/edit_match.ts";
import { unifiedDiff } from "../../../lib/agent/tools/unified_diff.ts";
import { Random } from "../../support/random.ts";
import { ToolBench } from "../../support/tools.ts";

type Row = [title: string, before: string, edits: [old: string, next: string][], after: string];

const rows: Row[] = [
  ["several places at once, in any order", "a\nb\nc\n", [["c", "C"], ["a", "A"]], "A\nb\nC\n"],
  ["places that touch", "abc", [["a", "1"], ["b", "2"]], "12c"],
  ["a text by nothing", "a\nb\nc\n", [["b\n", ""]], "a\nc\n"],
  ["only the lines that change, in a file of mixed line ends", "a\r\nb\nc\r\n", [
    ["a\nb\nc", "a\nB\nc"],
  ], "a\r\nB\nc\r\n"],
  [
    "and gives new lines the style of their neighbours",
    "a\r\nb\r\n",
    [["b", "b\nc\nd"]],
    "a\r\nb\r\nc\r\nd\r\n",
  ],
  ["the end of a file without a line feed", "a\r\nb", [["b", "b\nc"]], "a\r\nb\r\nc"],
  ["and keeps a byte-order mark", "\ufeffa\r\nb\r\n", [["a", "A"]], "\ufeffA\r\nb\r\n"],
  ["a line end itself", "a\r\nb\r\n", [["a\nb", "a b"]], "a b\r\n"],
  ["a line feed at the start of the text", "a\r\nb\r\n", [["\nb", "\nB"]], "a\r\nB\r\n"],
  ["text with $ and \\ as it is", "x", [["x", "$& \\1 $1"]], "$& \\1 $1"],
  ["by look, keeping the unchanged lines of the edit", "‘a’  \n‘b’  \n‘c’\n", [
    ["'a'\n'b'\n'c'", "'a'\n'B'\n'c'"],
  ], "‘a’  \n'B'  \n‘c’\n"],
  [
    "by look, with a blank at the end of the text",
    "x = “y” + z\n",
    [['x = "y" + ', "x = "]],
    "x = z\n",
  ],
  ["by look, with blanks that are not in the file", "“x”\ny\n", [['"x"  \ny', "x\nz"]], "x\nz\n"],
  ["by look, where text ends in blanks at a line's end", "“x”\n", [['"x"  ', "z"]], "z\n"],
];
for (const [title, before, edits, after] of rows) {
  test(`edit replaces ${title}`, async () => {
    using bench = new ToolBench();
    const file = bench.write("a.txt", before);
    const called = await bench.call("edit", {
      path: "a.txt",
      edits: edits.map(([oldText, newText]) => ({ oldText, newText })),
    });
    expect([called.isError, fs.readFileSync(file, "utf8")]).toEqual([false, after]);
  });
}

const refusals: [title: string, before: string, oldText: string, message: string][] = [
  [
    "two look-alikes",
    "‘a’\n“a”\n‘a’\n",
    "'a'",
    "its oldText is in the file 2 times (as text that looks like it): line 1, 3. Add text around it that makes it the only one.",
  ],
  [
    "a text with other blanks",
    "if (x) {\n\treturn;\n}\n",
    "if (x) {\n  return;\n}",
    "its oldText is not in the file. Its first line is like line 1; read the file there, and copy the text with its blanks as it stands.",
  ],
  [
    "a text of blanks that is not there",
    "a\n",
    "   ",
    "its oldText is not in the file. Read the file, and copy the text as it stands there.",
  ],
];
for (const [title, before, oldText, message] of refusals) {
  test(`edit refuses ${title}`, async () => {
    using bench = new ToolBench();
    const file = bench.write("a.txt", before);
    const called = await bench.call("edit", { path: "a.txt", edits: [{ oldText, newText: "x" }] });
    expect([called.isError, called.text, fs.readFileSync(file, "utf8")]).toEqual([
      true,
      `Cannot edit a.txt: ${message}`,
      before,
    ]);
  });
}

test("edit keeps every byte of a file that is no UTF-8", async () => {
  using bench = new ToolBench();
  const file = bench.write("a.txt", Buffer.from("\xe9\xa0 one\r\n\xff two\n", "latin1"));
  const called = await bench.call("edit", {
    path: "a.txt",
    edits: [{ oldText: "one", newText: "é" }],
  });
  expect([called.isError, fs.readFileSync(file).toString("latin1")]).toEqual([
    false,
    "\xe9\xa0 \xc3\xa9\r\n\xff two\n",
  ]);
});

test("edit takes one edit beside the path, one that is no list, and a list as JSON text", async () => {
  using bench = new ToolBench();
  const file = bench.write("a.txt", "1 2 3");
  const edit = (oldText: string, newText: string) => ({ oldText, newText });
  await bench.call("edit", { path: "a.txt", ...edit("1", "a") });
  await bench.call("edit", { path: "a.txt", edits: edit("2", "b") });
  await bench.call("edit", { path: "a.txt", edits: JSON.stringify([edit("3", "c")]) });
  expect(fs.readFileSync(file, "utf8")).toBe("a b c");
});

test("edit says what is wrong with a directory, a binary file and no file", async () => {
  using bench = new ToolBench();
  bench.write("dir/a.bin", new Uint8Array([97, 0, 98]));
  const edits = [{ oldText: "a", newText: "b" }];
  const texts = ["dir", "dir/a.bin", "none"].map(async (path) =>
    (await bench.call("edit", { path, edits })).text
  );
  expect(await Promise.all(texts)).toEqual([
    "Cannot edit dir: it is a directory.",
    "Cannot edit dir/a.bin: it is a binary file.",
    "Cannot edit none: there is no such file or directory.",
  ]);
});

test("edit gives a unified diff and the first line that changed", async () => {
  using bench = new ToolBench();
  bench.write("src/a.ts", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\r\n13");
  const { result, text } = await bench.call("edit", {
    path: "src/a.ts",
    edits: [{ oldText: "13", newText: "xiii" }, { oldText: "\n2\n", newText: "\n2a\n2b\n" }],
  });
  expect(text).toBe("Edited src/a.ts: 2 places, from line 2, 13.");
  expect(result.details).toEqual({
    firstChangedLine: 2,
    diff: [
      "--- a/src/a.ts",
      "+++ b/src/a.ts",
      "@@ -1,5 +1,6 @@",
      " 1",
      "-2",
      "+2a",
      "+2b",
      " 3",
      " 4",
      " 5",
      "@@ -10,4 +11,4 @@",
      " 10",
      " 11",
      " 12",
      "-13",
      "\\ No newline at end of file",
      "+xiii",
      "\\ No newline at end of file",
      "",
    ].join("\n"),
  });
});

test("edit bounds its diff", async () => {
  using bench = new ToolBench();
  bench.write("a.txt", `${"x".repeat(200_000)}needle`);
  const { result } = await bench.call("edit", {
    path: "a.txt",
    edits: [{ oldText: "needle", newText: "pin" }],
  });
  expect(JSON.stringify(result).length).toBeLessThan(60_000);
});

test("two edits of one file, called side by side, both count", async () => {
  using bench = new ToolBench();
  const file = bench.write("a.txt", "a b");
  await Promise.all(
    [["a", "1"], ["b", "2"]].map(([oldText, newText]) =>
      bench.call("edit", { path: "a.txt", edits: [{ oldText, newText }] })
    ),
  );
  expect(fs.readFileSync(file, "utf8")).toBe("1 2");
});

describe("unifiedDiff()", () => {
  test("gives a patch that a patch program takes, whatever the edits", () => {
    const random = new Random(7);
    let patches = 0;
    for (let round = 0; round < 400; round++) {
      const lines = Array.from({ length: random.int(1, 30) }, (_, index) => `${index}-x`);
      const text = lines.join("\n") + (random.chance(0.5) ? "\n" : "");
      const edits = lines.filter(() => random.chance(0.2)).map((line) => ({
        oldText: random.chance(0.5) ? line : `${line}\n`,
        newText: random.pick(["", "new", "new\n", "new\nlines\n"]),
      })).filter(({ oldText }) => text.split(oldText).length === 2);
      if (edits.length === 0) continue;
      const replacements = findReplacements(text, edits);
      const after = replaced(text, replacements);
      const diff = unifiedDiff("a", text, replacements);
      expect(applyPatch(text, diff)).toBe(after);
      patches++;
    }
    expect(patches).toBeGreaterThan(200);
  });
});

test("edit puts in more lines than a call takes arguments", async () => {
  using bench = new ToolBench();
  bench.write("a.txt", "one\ntwo\n");
  const edits = [{ oldText: "two", newText: "x\n".repeat(2_000_000) }];
  const { isError, text } = await bench.call("edit", { path: "a.txt", edits });
  expect([isError, text]).toEqual([false, "Edited a.txt: 1 place, from line 2."]);
});
