/** The compiled binary, built once for all tests that need it. */
import * as fs from "node:fs";
import * as path from "node:path";
import { ROOT } from "../../scripts/root.ts";
import {
  type FinishedProcess,
  type ProcessOptions,
  RunningProcess,
  runProcess,
} from "./process.ts";

export { ROOT };

const BINARY = path.join(ROOT, "dist", process.platform === "win32" ? "bough.exe" : "bough");
const SOURCES = ["cli.ts", "mod.ts", "lib", "package.json", "scripts/compile"];
const BUILD_LOCK = path.join(ROOT, "dist", ".building");
const BUILD_TIMEOUT_MS = 120_000;

function newestChange(file: string): number {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  const changes = fs.readdirSync(file).map((name) => newestChange(path.join(file, name)));
  return Math.max(stat.mtimeMs, ...changes);
}

function isFresh(): boolean {
  const built = fs.statSync(BINARY, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return SOURCES.every((name) => newestChange(path.join(ROOT, name)) <= built);
}

/** Takes the build lock; false if another process has it. */
function takeLock(): boolean {
  fs.mkdirSync(path.dirname(BUILD_LOCK), { recursive: true });
  const held = fs.statSync(BUILD_LOCK, { throwIfNoEntry: false });
  // Left by a killed run. Two builds at once would cost time only: the binary is renamed into place.
  if (held && Date.now() - held.mtimeMs > BUILD_TIMEOUT_MS) fs.rmSync(BUILD_LOCK, { force: true });
  try {
    fs.closeSync(fs.openSync(BUILD_LOCK, "wx"));
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

async function build(): Promise<void> {
  const { code, stderr } = await runProcess(
    process.execPath,
    [path.join(ROOT, "scripts/compile/main.ts"), "--no-smoke-test"],
    { cwd: ROOT, env: process.env, timeoutMs: BUILD_TIMEOUT_MS },
  );
  if (code !== 0) throw new Error(`Cannot build the binary:\n${stderr}`);
}

async function buildIfStale(): Promise<string> {
  // `npm test` has built it: nothing that changes meanwhile makes it old.
  const given = process.env["BOUGH_TEST_BINARY"];
  if (given) return given;
  while (!isFresh()) {
    if (takeLock()) {
      try {
        await build();
      } finally {
        fs.rmSync(BUILD_LOCK, { force: true });
      }
      return BINARY;
    }
    // Another test process is building.
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return BINARY;
}

/** The path of the binary, which is built first if a source is newer. Looked at once a process. */
export const binaryPath: () => Promise<string> = (() => {
  let built: Promise<string> | undefined;
  return () => built ??= buildIfStale();
})();

/** Starts the binary; see `RunningProcess`. Use it with `using`. */
export async function startBinary(
  args: readonly string[],
  options: ProcessOptions,
): Promise<RunningProcess> {
  return new RunningProcess(await binaryPath(), args, options);
}

/** Runs the binary to its end. */
export async function runBinary(
  args: readonly string[],
  options: ProcessOptions,
): Promise<FinishedProcess> {
  return await runProcess(await binaryPath(), args, options);
}
