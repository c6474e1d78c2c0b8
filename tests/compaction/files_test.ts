import { expect, test } from "bun:test";
import { fileBlocks, fileLists, withoutFileBlocks } from "../../lib/compaction/files.ts";
import { assistant, branchOf, toolResult, user } from "../support/conversation.ts";

test("fileLists() takes the files from the calls that succeeded, a changed one only once", () => {
  const { items } = branchOf(
    user("go"),
    assistant("", {
      calls: [
        ["a", "read", { path: "read.ts" }],
        ["b", "read", { path: "both.ts" }],
        ["c", "read", { path: "missing.ts" }],
        ["d", "edit", { path: "both.ts" }],
        ["e", "write", { path: "new.ts", content: "" }],
        ["f", "bash", { path: "not-a-file-tool" }],
        ["g", "read", { path: 7 }],
      ],
    }),
    toolResult("a", "read", ""),
    toolResult("b", "read", ""),
    toolResult("c", "read", "", { isError: true }),
    toolResult("d", "edit", ""),
    toolResult("e", "write", ""),
    toolResult("f", "bash", ""),
    toolResult("g", "read", ""),
    toolResult("stray", "read", ""),
  );
  expect(fileLists(items)).toEqual({
    readFiles: ["read.ts"],
    modifiedFiles: ["both.ts", "new.ts"],
  });
});

test("fileLists() carries on the lists of the last summary, whatever they are made of", () => {
  const { items } = branchOf(
    assistant("", { calls: [["a", "edit", { path: "x.ts" }], ["b", "read", { path: "z.ts" }]] }),
    toolResult("a", "edit", ""),
    toolResult("b", "read", ""),
  );
  const earlier = { readFiles: ["x.ts", "y.ts", 5], modifiedFiles: ["w.ts"], more: true };
  expect(fileLists(items, earlier)).toEqual({
    readFiles: ["y.ts", "z.ts"],
    modifiedFiles: ["w.ts", "x.ts"],
  });
  for (const odd of [null, undefined, "text", [], { readFiles: "no", modifiedFiles: {} }]) {
    expect(fileLists([], odd)).toEqual({ readFiles: [], modifiedFiles: [] });
  }
});

test("fileBlocks() and withoutFileBlocks() are each other's undoing", () => {
  const lists = [
    { readFiles: [], modifiedFiles: [] },
    { readFiles: ["a<b>.ts"], modifiedFiles: [] },
    { readFiles: [], modifiedFiles: ["b.ts"] },
    { readFiles: ["a.ts", "c.ts"], modifiedFiles: ["b.ts"] },
  ];
  const summary = "Summary with <read-files> in its text.";
  for (const list of lists) {
    expect(withoutFileBlocks(summary + fileBlocks(list, 1_000))).toBe(summary);
  }
});

test("fileBlocks() shows the latest of long lists and counts the rest", () => {
  const readFiles = Array.from({ length: 100 }, (_, index) => `f${index}.ts`);
  expect(fileBlocks({ readFiles, modifiedFiles: [] }, 8)).toBe(
    "\n\n<read-files>\n(and 98 more)\nf98.ts\nf99.ts\n</read-files>",
  );
});
