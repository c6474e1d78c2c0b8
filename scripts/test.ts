/**
 * What `npm test` runs: types, lint and format, the binary, then all tests. Words after `--` choose
 * test files (`npm test -- tests/session`) and leave out the rest of the checks.
 *
 * The last line is `N passed, N failed` (and `, N skipped`), counted by the test runner. The exit
 * code is 1 if a test or a check failed, and also if no test ran.
 */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { outputName } from "./compile/targets.ts";
import { ROOT } from "./root.ts";

const REPORT = path.join(ROOT, "dist/test-report.xml");
const BUN = process.execPath;
const DENO = path.join(ROOT, "node_modules/.bin/deno");
const BINARY = path.join(ROOT, "dist", outputName(undefined));
const COMPILE = "compile";
/** A test that hangs must end; one on a busy machine must not fail for that. */
const TEST_MS_MAX = 60_000;

interface Step {
  name: string;
  command: readonly [string, ...string[]];
  /** Added to the environment. */
  env?: Readonly<Record<string, string>>;
}

const CHECKS: readonly Step[] = [
  { name: "bun check", command: [BUN, "check"] },
  { name: "deno check", command: [DENO, "check", "--quiet", "mod.ts", "cli.ts", "lib"] },
  // With Bun's types: what is run must do without them.
  {
    name: "deno check of the tests",
    command: [DENO, "check", "--quiet", "--config=deno.tests.json", "tests", "scripts"],
  },
  { name: "deno lint", command: [DENO, "lint", "--quiet"] },
  { name: "deno fmt", command: [DENO, "fmt", "--quiet", "--check"] },
  { name: COMPILE, command: [BUN, "scripts/compile/main.ts"] },
];

function run({ name, command: [program, ...args], env }: Step): boolean {
  const started = performance.now();
  console.log(`== ${name}`);
  const { status, error } = spawnSync(program, args, {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  if (error) console.error(`Cannot run ${program}: ${error.message}`);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`   ${status === 0 ? "good" : "FAILED"} (${seconds} s)`);
  return status === 0;
}

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** The totals of the runner's report; undefined if it wrote none. */
function readReport(): Counts | undefined {
  if (!fs.existsSync(REPORT)) return undefined;
  const totals = /<testsuites\b[^>]*>/.exec(fs.readFileSync(REPORT, "utf8"))?.[0];
  if (totals === undefined) return undefined;
  const count = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(totals)?.[1] ?? 0);
  const failed = count("failures") + count("errors");
  const skipped = count("skipped");
  return { passed: count("tests") - failed - skipped, failed, skipped };
}

function main(files: readonly string[]): number {
  const failedChecks = files.length > 0 ? [] : CHECKS.filter((step) => !run(step));
  fs.mkdirSync(path.dirname(REPORT), { recursive: true });
  fs.rmSync(REPORT, { force: true });
  const report = ["--reporter=junit", `--reporter-outfile=${REPORT}`];
  const chosen = files.length > 0 ? files : ["./tests"];
  const isBuilt = files.length === 0 && !failedChecks.some(({ name }) => name === COMPILE);
  const testsPass = run({
    name: "tests",
    command: [BUN, "test", "--parallel", `--timeout=${TEST_MS_MAX}`, ...report, ...chosen],
    ...(isBuilt ? { env: { BOUGH_TEST_BINARY: BINARY } } : {}),
  });
  const counts = readReport() ?? { passed: 0, failed: 0, skipped: 0 };
  const { passed, failed, skipped } = counts;
  if (failedChecks.length > 0) {
    console.log(`Failed checks: ${failedChecks.map(({ name }) => name).join(", ")}`);
  }
  if (passed + failed === 0) console.log("No test ran.");
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  return testsPass && failed === 0 && passed > 0 && failedChecks.length === 0 ? 0 : 1;
}

process.exitCode = main(process.argv.slice(2));
