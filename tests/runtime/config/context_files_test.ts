import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { loadContextFiles } from "../../../lib/runtime/config/context_files.ts";
import { denyFiles } from "../../support/denied_files.ts";
import { TempDirectory } from "../../support/temp.ts";

test("loadContextFiles() reads the user's file, then one a directory from the root down", () => {
  using temp = new TempDirectory();
  const user = temp.write("home/AGENTS.md", "user\n");
  const root = temp.write("CLAUDE.md", "root é😀\n");
  temp.write("a/CLAUDE.md", "not read: there is an AGENTS.md\n");
  const middle = temp.write("a/AGENTS.md", "\ufeffmiddle\r\n");
  const leaf = temp.write("a/b/AGENTS.md", "leaf");
  temp.write("a/b/c/AGENTS.md", " \n");
  temp.write("a/b/c/d/AGENTS.md", "below the directory");
  const loaded = loadContextFiles({ home: temp.home, cwd: temp.join("a/b/c") });
  expect(loaded).toEqual({
    contextFiles: [
      { file: user, text: "user\n" },
      { file: root, text: "root é😀\n" },
      { file: middle, text: "middle\r\n" },
      { file: leaf, text: "leaf" },
    ],
    warnings: [],
  });
});

test("loadContextFiles() reads one file by two names once", () => {
  using temp = new TempDirectory();
  const file = temp.write("AGENTS.md", "text");
  temp.make("a");
  fs.symlinkSync(file, temp.join("a/AGENTS.md"));
  const { contextFiles } = loadContextFiles({ home: temp.home, cwd: temp.join("a") });
  expect(contextFiles).toEqual([{ file, text: "text" }]);
});

test("loadContextFiles() uses the beginning of a long file, in whole lines, and says so", () => {
  using temp = new TempDirectory();
  const line = "é".repeat(49) + "\n";
  const file = temp.write("work/AGENTS.md", line.repeat(1000));
  const { contextFiles, warnings } = loadContextFiles({ home: temp.home, cwd: temp.cwd });
  expect(contextFiles).toEqual([{ file, text: line.repeat(Math.floor(65_536 / 99)) }]);
  expect(warnings).toEqual([
    { file, message: `${file} is longer than 64 KB; only its beginning is used` },
  ]);
});

test("loadContextFiles() leaves out what it cannot read, and says so", () => {
  using temp = new TempDirectory();
  const denied = temp.write("work/AGENTS.md", "secret");
  const other = temp.write("work/CLAUDE.md", "other");
  const binary = temp.write("AGENTS.md", new Uint8Array([0, 1, 2]));
  const folder = temp.make("home/AGENTS.md");
  const loaded = loadContextFiles({ home: temp.home, cwd: temp.cwd, fs: denyFiles(denied) });
  expect(loaded).toEqual({
    contextFiles: [{ file: other, text: "other" }],
    warnings: [
      { file: folder, message: `Cannot read ${folder}: it is a directory; it is left out` },
      { file: binary, message: `Cannot read ${binary}: it is not UTF-8 text; it is left out` },
      { file: denied, message: `Cannot read ${denied}: permission denied; it is left out` },
    ],
  });
});
