import { describe, expect, test } from "bun:test";
import { execFileSync, spawn } from "node:child_process";
import { UsageError } from "../../../lib/runtime/modes/exit_codes.ts";
import { assemblePrompts, type PromptParts } from "../../../lib/runtime/modes/prompt_input.ts";
import { TempDirectory } from "../../support/temp.ts";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PNG = Buffer.from(PIXEL, "base64");

/** A user message to be: what stands in front of its text, and the text. */
type Wanted = string | [preface: string, text: string];

function prompt(wanted: Wanted) {
  if (typeof wanted === "string") return { text: wanted, images: [] };
  return { text: wanted[1], images: [], preface: wanted[0] };
}

function assemble(parts: Partial<PromptParts>) {
  return assemblePrompts({ prompts: [], files: [], cwd: "/", maxFileBytes: 100, ...parts });
}

describe("assemblePrompts()", () => {
  const rows: [string, Partial<PromptParts>, Wanted[]][] = [
    ["takes prompts one by one", { prompts: ["one", "two"] }, ["one", "two"]],
    ["takes stdin as the prompt", { stdin: "piped\n" }, ["piped"]],
    ["puts stdin before the prompt, fenced", { stdin: "line 1\nline 2\n", prompts: ["ask"] }, [
      ["<stdin>\nline 1\nline 2\n</stdin>", "ask"],
    ]],
    ["ends stdin's last line", { stdin: "x", prompts: ["ask"] }, [["<stdin>\nx\n</stdin>", "ask"]]],
    ["gives stdin to the first prompt alone", { stdin: "x\n", prompts: ["a", "b"] }, [
      ["<stdin>\nx\n</stdin>", "a"],
      "b",
    ]],
    ["leaves out blank prompts", { prompts: [" ", "a", "\n"] }, ["a"]],
    ["takes stdin for a blank prompt", { stdin: "x", prompts: [""] }, ["x"]],
  ];
  for (const [what, parts, wanted] of rows) {
    test(what, async () => {
      expect(await assemble(parts)).toEqual(wanted.map(prompt));
    });
  }

  test("puts files in front of stdin and prompt, images beside the text", async () => {
    using temp = new TempDirectory();
    temp.write("notes.txt", "\ufeffone\n");
    temp.write("sub/a b.md", "two");
    temp.write("shot.png", PNG);
    const prompts = await assemble({
      cwd: temp.path,
      files: ["notes.txt", "shot.png", "sub/a b.md"],
      stdin: "data\n",
      prompts: ["ask"],
    });
    expect(prompts).toEqual([{
      text: "ask",
      preface: '<file path="notes.txt">\none\n</file>\n\n<file path="sub/a b.md">\ntwo\n</file>' +
        "\n\n<stdin>\ndata\n</stdin>",
      images: [{
        type: "image",
        mimeType: "image/png",
        data: PIXEL,
      }],
    }]);
  });

  test("is content with a file alone", async () => {
    using temp = new TempDirectory();
    temp.write("task.md", "do it");
    expect(await assemble({ cwd: temp.path, files: ["task.md"] })).toEqual([
      prompt(['<file path="task.md">\ndo it\n</file>', ""]),
    ]);
  });
});

test("assemblePrompts() puts a note in the place of an image that no provider takes (C100)", async () => {
  using temp = new TempDirectory();
  temp.write("broken.png", PNG.subarray(0, 40));
  const told: string[] = [];
  const assembled = await assemble({
    cwd: temp.path,
    files: ["broken.png"],
    prompts: ["look"],
    onUnfitImage: (message) => told.push(message),
  });
  const note = "[An image was left out: its data is cut off or broken.]";
  expect(assembled).toEqual([prompt([`<file path="broken.png">\n${note}\n</file>`, "look"])]);
  expect(told).toEqual([
    "Cannot use @broken.png: no provider takes this image, its data is cut off or broken; " +
    "a note goes in its place",
  ]);
});

describe("assemblePrompts() refuses", () => {
  const rows: [string, Partial<PromptParts>, string][] = [
    ["nothing", {}, "Cannot run: there is no prompt"],
    ["blanks", { prompts: [" \n"] }, "Cannot run: there is no prompt"],
    ["a file that is not there", { files: ["gone"] }, "Cannot read @gone: there is no such file"],
    ["a directory", { files: ["home"] }, "Cannot use @home: it is a directory"],
    ["a big file", { files: ["big"] }, "Cannot use @big: it has 101 bytes, and the limit is 100"],
    ["a broken image", { files: ["broken.png"] }, "Cannot use @broken.png: no provider takes"],
    ["bytes", { files: ["binary"] }, "Cannot use @binary: it is neither text nor"],
    ["a device without an end", { files: ["/dev/zero"] }, "Cannot use @/dev/zero: more than 100"],
  ];
  for (const [what, parts, wanted] of rows) {
    test(what, async () => {
      using temp = new TempDirectory();
      temp.write("big", "x".repeat(101));
      temp.write("binary", new Uint8Array([1, 0, 2]));
      temp.write("broken.png", PNG.subarray(0, 40));
      const assembling = assemble({ cwd: temp.path, ...parts });
      await expect(assembling).rejects.toBeInstanceOf(UsageError);
      await expect(assembling).rejects.toThrow(wanted);
    });
  }
});

test("assemblePrompts() reads a pipe to its end", async () => {
  using temp = new TempDirectory();
  execFileSync("mkfifo", [temp.join("pipe")]);
  spawn("sh", ["-c", "(echo one; echo two) > pipe"], { cwd: temp.path, stdio: "ignore" });
  const assembling = assemble({ cwd: temp.path, files: ["pipe"], prompts: ["ask"] });
  expect(await assembling).toEqual([
    prompt(['<file path="pipe">\none\ntwo\n</file>', "ask"]),
  ]);
});
