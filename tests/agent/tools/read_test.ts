import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { IMAGE_BYTES_MAX } from "../../../lib/agent/mod.ts";
import { ToolBench } from "../../support/tools.ts";

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`).join("\n");

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A PNG that says it has another width, or has more bytes. */
function png(more: { width?: number; padding?: number }): Buffer {
  const image = Buffer.from(PNG);
  if (more.width !== undefined) image.writeUInt32BE(more.width, 16);
  return Buffer.concat([
    image.subarray(0, 33),
    Buffer.alloc(more.padding ?? 0),
    image.subarray(33),
  ]);
}

const texts: [title: string, content: string | Uint8Array, args: object, text: string][] = [
  ["gives a text as it is", "a\n\n  b\n", {}, "a\n\n  b"],
  ["leaves out the CR of CR LF and a byte-order mark", "\ufeffa\r\nb\r\n", {}, "a\nb"],
  ["keeps a lone CR", "a\rb", {}, "a\rb"],
  ["says that a file is empty", "", {}, "file.txt is empty."],
  [
    "gives the lines that are asked for",
    lines(1, 10),
    { offset: 4, limit: 2 },
    "line 4\nline 5\n\n[Lines 4-5 of 10 are shown. Go on with offset 6.]",
  ],
  ["gives the last lines without a note", lines(1, 10), { offset: 9, limit: 9 }, "line 9\nline 10"],
  [
    "stops after 2,000 lines and says how to go on",
    `${lines(1, 2500)}\n`,
    {},
    `${lines(1, 2000)}\n\n[Lines 1-2000 of 2500 are shown. Go on with offset 2001.]`,
  ],
  [
    "stops after 50 KB, at a whole line",
    `${`${"é".repeat(499)}\n`.repeat(100)}`,
    {},
    `${
      Array(51).fill("é".repeat(499)).join("\n")
    }\n\n[Lines 1-51 of 100 are shown. Go on with offset 52.]`,
  ],
  [
    "shows the start of a line that is too long, in whole characters",
    `a${"🦀".repeat(20_000)}\nnext\n`,
    {},
    `a${
      "🦀".repeat(12_799)
    }\n\n[Line 1 is cut: the first 50.0 KB of its 78.1 KB are shown. Use bash to see more of it, for example with cut -c. Lines 1-1 of 2 are shown. Go on with offset 2.]`,
  ],
  [
    "says that bytes are no UTF-8",
    Buffer.from("caf\xe9\n", "latin1"),
    {},
    "caf\ufffd\n\n[Some bytes are no UTF-8; \ufffd stands for them.]",
  ],
  ["takes U+FFFD itself for what it is", "a\ufffdb\n", {}, "a\ufffdb"],
];
for (const [title, content, args, text] of texts) {
  test(`read ${title}`, async () => {
    using bench = new ToolBench();
    bench.write("file.txt", content);
    const called = await bench.call("read", { path: "file.txt", ...args });
    expect([called.isError, called.text]).toEqual([false, text]);
  });
}

test("read joins characters that a block of the file cuts in two", async () => {
  using bench = new ToolBench();
  const line = `${"🦀".repeat(300)}\n`;
  bench.write("file.txt", `x${line.repeat(1000)}`);
  const called = await bench.call("read", { path: "file.txt", offset: 200, limit: 40 });
  expect(called.text.split("\n").slice(0, 40)).toEqual(Array(40).fill(line.trimEnd()));
  expect(called.result.details).toEqual({
    firstLine: 200,
    lastLine: 239,
    totalLines: 1000,
    truncated: true,
  });
});

const problems: [title: string, path: string, args: object, text: string][] = [
  [
    "a file that is not there",
    "none.txt",
    {},
    "Cannot read none.txt: there is no such file or directory.",
  ],
  ["a directory", "dir", {}, "Cannot read dir: it is a directory. Use ls to see what is in it."],
  [
    "a line behind the end",
    "dir/two.txt",
    { offset: 9 },
    "Cannot read dir/two.txt from line 9 on: it has 2 lines.",
  ],
  [
    "a binary file",
    "dir/data.bin",
    {},
    "Cannot read dir/data.bin as text: it is a binary file (5 bytes). Use bash with a program that knows the format, or with file, xxd or strings.",
  ],
  ["an empty path", " ", {}, "Cannot use an empty path: name a file or directory."],
  ["a path with a NUL", "a\0b", {}, "Cannot use this path: it contains a NUL character."],
  [
    "a path through a file",
    "dir/two.txt/x",
    {},
    "Cannot read dir/two.txt/x: there is no such file or directory.",
  ],
];
for (const [title, path, args, text] of problems) {
  test(`read says what is wrong with ${title}`, async () => {
    using bench = new ToolBench();
    bench.write("dir/two.txt", "1\n2\n");
    bench.write("dir/data.bin", new Uint8Array([1, 2, 0, 3, 4]));
    const called = await bench.call("read", { path, ...args });
    expect([called.isError, called.text]).toEqual([true, text]);
  });
}

test.if(process.platform !== "win32")("read does not wait for a pipe", async () => {
  using bench = new ToolBench();
  await bench.call("bash", { command: "mkfifo pipe" });
  expect((await bench.call("read", { path: "pipe" })).text).toBe(
    "Cannot read pipe: it is no regular file.",
  );
});

test("read shows an image by its content, whatever it is called", async () => {
  using bench = new ToolBench();
  bench.write("picture.txt", PNG);
  const { result } = await bench.call("read", { path: "picture.txt" });
  expect(result.content).toEqual([
    { type: "text", text: "picture.txt (image/png, 70 bytes)" },
    { type: "image", data: PNG.toString("base64"), mimeType: "image/png" },
  ]);
});

const images: [title: string, content: Buffer, note: string][] = [
  ["is too wide", png({ width: 9_000 }), "it is 9000x1, the limit is 8000"],
  ["is cut off", PNG.subarray(0, 40), "its data is cut off or broken"],
];
for (const [title, content, note] of images) {
  test(`read leaves out an image that ${title}, and says so (case C100)`, async () => {
    using bench = new ToolBench();
    bench.write("big.png", content);
    const { result, isError } = await bench.call("read", { path: "big.png" });
    expect([isError, result.content]).toEqual([false, [
      { type: "text", text: `big.png is an image that cannot be shown: ${note}.` },
    ]]);
  });
}

test("read leaves out an image of too many bytes, and says so (case C100)", async () => {
  using bench = new ToolBench();
  bench.write("big.png", png({ padding: IMAGE_BYTES_MAX }));
  const { result } = await bench.call("read", { path: "big.png" });
  expect(result.content).toEqual([{
    type: "text",
    text:
      "big.png is an image of 3.8 MB; at most 3.8 MB can be shown. Make a smaller copy and read that.",
  }]);
});

const paths: [title: string, stored: string, given: (bench: ToolBench) => string][] = [
  ["an absolute path", "a.txt", (bench) => bench.temp.join("work", "a.txt")],
  ["a path with @ in front", "a.txt", () => "@a.txt"],
  ["a name that has an @", "@a.txt", () => "@a.txt"],
  ["a path from the home directory", "../user/a.txt", () => "~/a.txt"],
  ["a plain blank for a narrow one", "at 3.04\u202fPM.txt", () => "at 3.04 PM.txt"],
  ["composed letters for decomposed ones", "e\u0301te\u0301/a.txt", () => "\u00e9t\u00e9/a.txt"],
  ["a plain quote for a curly one", "it’s.txt", () => "it's.txt"],
];
for (const [title, stored, given] of paths) {
  test(`read takes ${title}`, async () => {
    using bench = new ToolBench();
    bench.write(stored, "here");
    expect((await bench.call("read", { path: given(bench) })).text).toBe("here");
  });
}

test("read does not choose between two look-alikes", async () => {
  using bench = new ToolBench();
  bench.write("a\u00a0b.txt", "1");
  bench.write("a\u202fb.txt", "2");
  expect((await bench.call("read", { path: "a b.txt" })).isError).toBe(true);
});

test("ls lists names in order, hidden ones too, and marks directories", async () => {
  using bench = new ToolBench();
  bench.write("b.txt", "");
  bench.write(".hidden", "");
  bench.write("B/x", "");
  bench.write("a/x", "");
  fs.symlinkSync("a", bench.temp.join("work", "link"));
  fs.symlinkSync("circle", bench.temp.join("work", "circle"));
  expect((await bench.call("ls", {})).text).toBe(".hidden\nB/\na/\nb.txt\ncircle\nlink/");
  expect((await bench.call("ls", { path: "a" })).text).toBe("x");
  expect((await bench.call("ls", { limit: 2 })).text).toBe(
    ".hidden\nB/\n\n[2 of 6 names are shown.]",
  );
  expect((await bench.call("ls", { path: "b.txt" })).text).toBe(
    "Cannot list b.txt: it is a file. Use read to see what is in it.",
  );
  bench.temp.make("work", "empty");
  expect((await bench.call("ls", { path: "empty" })).text).toBe("(empty directory)");
});
