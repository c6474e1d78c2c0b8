/**
 * Builds the binary: `npm run compile` for this machine (`dist/bough`), `npm run compile -- TARGET`
 * for another, `npm run compile -- all` for all of them. Then tries out what can run here.
 *
 * Exit code: 0 if something was built and all that was tried works, 1 otherwise, 2 for a bad target.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { ROOT } from "../root.ts";
import { build } from "./build.ts";
import { smokeTest } from "./smoke.ts";
import { hostTarget, isTarget, type Target, TARGETS } from "./targets.ts";

const USAGE = `npm run compile [-- target]
target: all, or one of ${TARGETS.join(", ")}; without one, this machine.
--no-smoke-test: builds only.
`;

/** What to build (undefined: for this machine), or undefined if a word is no target. */
function chosenTargets(words: readonly string[]): (Target | undefined)[] | undefined {
  if (words.length === 0) return [undefined];
  if (words.length === 1 && words[0] === "all") return [...TARGETS];
  return words.every(isTarget) ? [...words] : undefined;
}

/** Why a build failed, for people: a builder's complaints come as one error that holds them. */
function reasons(error: unknown): string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(reasons);
  return [(error instanceof Error ? error.message : String(error)).trim()];
}

async function buildOne(target: Target | undefined): Promise<string | undefined> {
  const started = performance.now();
  try {
    const file = await build(target);
    const megabytes = (fs.statSync(file).size / 1e6).toFixed(1);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${path.relative(ROOT, file)}: ${megabytes} MB, built in ${seconds} s`);
    return file;
  } catch (error) {
    console.error(`Cannot build ${target ?? "for this machine"}: ${reasons(error).join("\n  ")}`);
    return undefined;
  }
}

/** Tries out a binary if it can run here. */
function passesSmokeTest(file: string, target: Target | undefined): boolean {
  if (target !== undefined && target !== hostTarget()) {
    console.log(`  not run: it is for ${target}`);
    return true;
  }
  const problems = smokeTest(file);
  for (const problem of problems) console.error(`  ${problem}`);
  if (problems.length === 0) console.log("  --version, --help and a canned run work");
  return problems.length === 0;
}

async function main(args: readonly string[]): Promise<number> {
  const words = args.filter((arg) => !arg.startsWith("-"));
  const flags = args.filter((arg) => arg.startsWith("-"));
  const targets = chosenTargets(words);
  if (!targets || flags.some((flag) => flag !== "--no-smoke-test")) {
    console.error(USAGE);
    return 2;
  }
  let built = 0;
  let works = true;
  for (const target of targets) {
    const file = await buildOne(target);
    if (file === undefined) continue;
    built += 1;
    if (flags.length === 0) works = passesSmokeTest(file, target) && works;
  }
  return built > 0 && works ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
