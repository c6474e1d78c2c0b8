/** Runs ripgrep, where it is installed. */
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { errorCode } from "../../session/mod.ts";
import { gitRoot } from "./walk.ts";

/** ripgrep would not run with these arguments; nothing was found before that. */
export class RipgrepRefused extends Error {
  override readonly name = "RipgrepRefused";
}

/** The path of ripgrep, if a directory of `PATH` has it. */
export function findRipgrep(
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  for (const directory of (env["PATH"] ?? "").split(path.delimiter)) {
    if (!path.isAbsolute(directory)) continue;
    const file = path.join(directory, name);
    try {
      fs.accessSync(file, fs.constants.X_OK);
      if (fs.statSync(file).isFile()) return file;
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
    }
  }
  return undefined;
}

/** Options that make ripgrep look at the same files as our own walk, in the same order. */
export function ripgrepOptions(directory: string): string[] {
  return [
    "--no-config",
    "--hidden",
    "--no-ignore-dot",
    "--no-ignore-exclude",
    "--no-ignore-global",
    "--no-require-git",
    ...(gitRoot(directory) === undefined ? ["--no-ignore-parent"] : []),
    "--glob=!.git",
    "--sort=path",
    "--color=never",
  ];
}

/** One run of ripgrep. */
export interface RipgrepRun {
  program: string;
  args: readonly string[];
  directory: string;
  /** What its records end with. */
  separator: "\n" | "\0";
  signal: AbortSignal;
}

/**
 * Yields ripgrep's records as they come; ends it when the consumer stops. Throws `RipgrepRefused`
 * if it fails before the first, and the signal's reason when that aborts.
 */
export async function* ripgrep(run: RipgrepRun): AsyncGenerator<string> {
  run.signal.throwIfAborted();
  const child = spawn(run.program, run.args, {
    cwd: run.directory,
    stdio: ["ignore", "pipe", "ignore"],
    windowsHide: true,
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  // Who stops early does not look at how it ended.
  ended.catch(() => child.kill("SIGKILL"));
  const kill = () => child.kill("SIGKILL");
  run.signal.addEventListener("abort", kill, { once: true });
  let isEmpty = true;
  try {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const bytes of child.stdout) {
      const records = (rest + decoder.decode(bytes, { stream: true })).split(run.separator);
      rest = records.pop() ?? "";
      if (records.length > 0) isEmpty = false;
      yield* records;
    }
    const code = await ended;
    run.signal.throwIfAborted();
    // 1 means that nothing was found.
    if (isEmpty && code !== 0 && code !== 1) throw new RipgrepRefused(`ripgrep ended with ${code}`);
  } finally {
    run.signal.removeEventListener("abort", kill);
    kill();
  }
}
