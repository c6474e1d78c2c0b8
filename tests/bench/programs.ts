/** Programs to compare with, compiled as the binary is. */
import * as fs from "node:fs";
import * as path from "node:path";
import { binaryPath, ROOT } from "../support/binary.ts";

async function compile(source: string, outfile: string): Promise<string> {
  await Bun.build({
    entrypoints: [path.join(ROOT, "tests/bench", source)],
    format: "esm",
    splitting: true,
    bytecode: true,
    minify: true,
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
  });
  return outfile;
}

export interface Programs {
  bough: string;
  /** Does nothing. */
  empty: string;
  /** Makes one request. */
  bare: string;
}

/** Builds what is not there or is old. */
export async function buildPrograms(directory: string): Promise<Programs> {
  fs.mkdirSync(directory, { recursive: true });
  return {
    bough: await binaryPath(),
    empty: await compile("empty.ts", path.join(directory, "empty")),
    bare: await compile("bare.ts", path.join(directory, "bare")),
  };
}
