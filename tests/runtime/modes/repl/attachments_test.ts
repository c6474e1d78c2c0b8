import { expect, test } from "bun:test";
import { filesIn, withFiles } from "../../../../lib/runtime/modes/repl/attachments.ts";
import { TempDirectory } from "../../../support/temp.ts";

test("filesIn() finds the names that are files, each once, a sentence's end cut off", () => {
  using temp = new TempDirectory();
  temp.write("work/a.txt", "a");
  temp.write("work/b", "b");
  expect(filesIn("see @a.txt, @b and @a.txt! not@b, @gone", temp.cwd)).toEqual(["a.txt", "b"]);
});

test("withFiles() leaves as text what no file can be called", async () => {
  using temp = new TempDirectory();
  temp.write("work/a", "");
  for (const name of ["x".repeat(5_000), "a/b", "a\0b"]) {
    expect(await withFiles(`@${name}`, { cwd: temp.cwd, maxFileBytes: 10 })).toEqual({
      text: `@${name}`,
      images: [],
    });
  }
});
