/** The types of `mod.ts`, as the compilers of those who import it see them. */
import { expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { ROOT } from "../support/binary.ts";
import { runProcess } from "../support/process.ts";
import { TempDirectory } from "../support/temp.ts";

const DENO = path.join(ROOT, "node_modules/.bin/deno");
const CONSUMER = fs.readFileSync(path.join(ROOT, "tests/fixtures/library/consumer.ts"), "utf8");

/** All that a compiler can be asked to be strict about. */
const STRICTEST = {
  strict: true,
  allowUnreachableCode: false,
  allowUnusedLabels: false,
  exactOptionalPropertyTypes: true,
  noFallthroughCasesInSwitch: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noPropertyAccessFromIndexSignature: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
};

interface Checked {
  code: number | null;
  problems: string;
}

async function checked(temp: TempDirectory, ...command: [string, ...string[]]): Promise<Checked> {
  const [program, ...args] = command;
  const env = { DENO_DIR: temp.make("deno"), NO_COLOR: "1" };
  const { code, stdout, stderr } = await runProcess(program, args, {
    temp,
    env,
    timeoutMs: 60_000,
  });
  return { code, problems: code === 0 ? "" : stdout + stderr };
}

const NO_PROBLEM: Checked = { code: 0, problems: "" };

test("mod.ts is sound for a program on Bun that is checked as strictly as can be", async () => {
  using temp = new TempDirectory();
  const modules = temp.make("work/node_modules");
  fs.symlinkSync(ROOT, path.join(modules, "bough"));
  fs.symlinkSync(path.join(ROOT, "node_modules/@types"), path.join(modules, "@types"));
  temp.write("work/consumer.ts", CONSUMER);
  const compilerOptions = {
    ...STRICTEST,
    target: "ESNext",
    module: "Preserve",
    lib: ["ESNext"],
    types: ["bun"],
    noEmit: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    isolatedModules: true,
    skipLibCheck: true,
  };
  temp.write("work/tsconfig.json", JSON.stringify({ compilerOptions, files: ["consumer.ts"] }));
  expect(await checked(temp, process.execPath, "check")).toEqual(NO_PROBLEM);
}, 60_000);

test("mod.ts is sound for a program on Deno that is checked as strictly as can be", async () => {
  using temp = new TempDirectory();
  temp.write("work/consumer.ts", CONSUMER);
  const config = { imports: { bough: path.join(ROOT, "mod.ts") }, compilerOptions: STRICTEST };
  temp.write("work/deno.json", JSON.stringify(config));
  expect(await checked(temp, DENO, "check", "--quiet", "--no-lock", "consumer.ts"))
    .toEqual(NO_PROBLEM);
}, 60_000);

test("mod.ts exports each type that its exports name", async () => {
  using temp = new TempDirectory();
  const { problems } = await checked(temp, DENO, "doc", "--lint", path.join(ROOT, "mod.ts"));
  // It has other things to say, too: it wants a comment at each field, however plain its name.
  expect(problems).toContain("missing-jsdoc");
  expect(problems.match(/public type .* references private type .*/g)).toBeNull();
}, 60_000);
