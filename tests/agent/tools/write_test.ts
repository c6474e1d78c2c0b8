import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { ToolBench } from "../../support/tools.ts";

const isRoot = process.getuid?.() === 0;

test("write makes a file and the directories that it needs", async () => {
  using bench = new ToolBench();
  const called = await bench.call("write", { path: "a/b/c.txt", content: "größe\n" });
  expect([called.isError, called.text]).toEqual([false, "Wrote a/b/c.txt (8 bytes)."]);
  expect(bench.temp.read("work/a/b/c.txt")).toBe("größe\n");
});

test("write replaces a file whole, keeps its mode, and leaves nothing beside it", async () => {
  using bench = new ToolBench();
  const file = bench.write("run.sh", "old and longer\n");
  fs.chmodSync(file, 0o751);
  const before = fs.statSync(file).ino;
  await bench.call("write", { path: "run.sh", content: "new\n" });
  expect({
    content: fs.readFileSync(file, "utf8"),
    mode: fs.statSync(file).mode & 0o777,
    isReplaced: fs.statSync(file).ino !== before,
    names: fs.readdirSync(bench.cwd),
  }).toEqual({ content: "new\n", mode: 0o751, isReplaced: true, names: ["run.sh"] });
});

test("write follows links, also one to a file that is not there yet", async () => {
  using bench = new ToolBench();
  const target = bench.write("dir/target.txt", "old");
  fs.symlinkSync("dir/target.txt", bench.temp.join("work", "link"));
  fs.symlinkSync("dir/new.txt", bench.temp.join("work", "open"));
  await bench.call("write", { path: "link", content: "1" });
  await bench.call("write", { path: "open", content: "2" });
  expect([
    fs.readFileSync(target, "utf8"),
    bench.temp.read("work/dir/new.txt"),
    fs.lstatSync(bench.temp.join("work", "link")).isSymbolicLink(),
  ]).toEqual(["1", "2", true]);
});

test("write keeps the other names of a file", async () => {
  using bench = new ToolBench();
  const file = bench.write("a.txt", "old");
  fs.linkSync(file, bench.temp.join("work", "b.txt"));
  await bench.call("write", { path: "a.txt", content: "new" });
  expect(bench.temp.read("work/b.txt")).toBe("new");
});

test("write follows a link that goes up from where it is, not from the path to it", async () => {
  using bench = new ToolBench();
  bench.write("real/dir/x.txt", "");
  bench.write("real/target.txt", "old");
  fs.symlinkSync("../target.txt", bench.temp.join("work", "real", "dir", "link"));
  fs.symlinkSync("real/dir", bench.temp.join("work", "short"));
  await bench.call("write", { path: "short/link", content: "new" });
  expect(bench.temp.read("work/real/target.txt")).toBe("new");
  expect(fs.existsSync(bench.temp.join("work", "target.txt"))).toBe(false);
});

test.if(isRoot)("write keeps the owner and the group of a file", async () => {
  for (const [uid, gid] of [[1, 0], [0, 1]] as const) {
    using bench = new ToolBench();
    const file = bench.write("a.txt", "old");
    fs.chownSync(file, uid, gid);
    await bench.call("write", { path: "a.txt", content: "new" });
    const stat = fs.statSync(file);
    expect([stat.uid, stat.gid, fs.readFileSync(file, "utf8"), fs.readdirSync(bench.cwd)])
      .toEqual([uid, gid, "new", ["a.txt"]]);
  }
});

test("write makes a lone surrogate well-formed", async () => {
  using bench = new ToolBench();
  await bench.call("write", { path: "a.txt", content: "a\ud83d b" });
  expect(bench.temp.read("work/a.txt")).toBe("a\ufffd b");
});

test("write says what is wrong and leaves all as it was", async () => {
  using bench = new ToolBench();
  bench.write("dir/file.txt", "kept");
  const directory = await bench.call("write", { path: "dir", content: "x" });
  const below = await bench.call("write", { path: "dir/file.txt/x", content: "x" });
  const device = await bench.call("write", { path: "/dev/null", content: "x" });
  const missing = await bench.call("write", { path: "y" });
  expect([directory, below, device, missing].map(({ isError, text }) => [isError, text])).toEqual([
    [true, "Cannot write dir: it is a directory."],
    [true, "Cannot write dir/file.txt/x: a part of its path is a file, not a directory."],
    [true, "Cannot write /dev/null: it is no regular file."],
    [
      true,
      'its arguments do not fit.\n- content is missing\nThe right shape is: { "path": string, "content": string }',
    ],
  ]);
  expect(bench.temp.read("work/dir/file.txt")).toBe("kept");
});

test.if(!isRoot)("write respects a file's own permission", async () => {
  using bench = new ToolBench();
  const file = bench.write("a.txt", "kept");
  fs.chmodSync(file, 0o444);
  const called = await bench.call("write", { path: "a.txt", content: "x" });
  expect([called.text, fs.readFileSync(file, "utf8")]).toEqual([
    "Cannot write a.txt: permission is denied.",
    "kept",
  ]);
});

test("write does nothing after an abort", async () => {
  using bench = new ToolBench();
  const called = await bench.call("write", { path: "a.txt", content: "x" }, {
    signal: AbortSignal.abort(),
  });
  expect([called.isError, fs.readdirSync(bench.cwd)]).toEqual([true, []]);
});
