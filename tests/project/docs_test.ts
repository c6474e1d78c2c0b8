import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { ROOT } from "../support/binary.ts";
import { documentation, examplesIn, exportsOf } from "../support/exports.ts";
import { runProcess } from "../support/process.ts";
import { TempDirectory } from "../support/temp.ts";

const EXPORTS = exportsOf("mod.ts");
const DOCS = documentation("mod.ts");
const VALUES = EXPORTS.filter(({ isType }) => !isType).map(({ name }) => name);

test("mod.ts exports nothing without a sentence that says what it is", () => {
  const bare = EXPORTS.filter(({ name }) => (DOCS.get(name) ?? "") === "");
  expect(bare.map(({ name }) => name)).toEqual([]);
});

test("mod.ts exports no value without an example", () => {
  expect(VALUES.filter((name) => examplesIn(DOCS.get(name) ?? "").length === 0)).toEqual([]);
});

/** The texts with examples, by the name under which they are written to files. */
const TEXTS = [
  ...VALUES.map((name) => [name, DOCS.get(name) ?? ""] as const),
  ["library_page", fs.readFileSync(path.join(ROOT, "docs/library.md"), "utf8")] as const,
];

describe("the examples of mod.ts and docs/library.md", () => {
  const examples = TEXTS.flatMap(([name, text]) =>
    examplesIn(text).map((code, index) => ({ file: `${name}_${index}.ts`, code }))
  );
  /** Below the project, so that `bough` means the project itself. */
  let directory: string;

  beforeAll(() => {
    fs.mkdirSync(path.join(ROOT, "dist"), { recursive: true });
    directory = fs.mkdtempSync(path.join(ROOT, "dist/examples-"));
    // The `export` makes each a module, also one without an import.
    for (const { file, code } of examples) {
      fs.writeFileSync(path.join(directory, file), `${code}\nexport {};\n`);
    }
  });
  afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

  test("type-check", async () => {
    const files = examples.map(({ file }) => path.join(directory, file));
    const run = await runProcess(process.execPath, ["check", ...files], {
      cwd: ROOT,
      env: process.env,
    });
    expect({ code: run.code, problems: run.code === 0 ? "" : run.stdout + run.stderr })
      .toEqual({ code: 0, problems: "" });
  }, 60_000);

  test.each(examples)("$file runs, and prints what it says", async ({ file, code }) => {
    using temp = new TempDirectory();
    const run = await runProcess(process.execPath, [path.join(directory, file)], { temp });
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: "" });
    const said = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text = ""]) =>
      text
    );
    const printed = Bun.stripANSI(run.stdout).split("\n");
    expect(said.filter((text) => !printed.includes(text))).toEqual([]);
  });
});
