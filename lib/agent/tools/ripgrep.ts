/** Runs ripgrep, where it is installed. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import type { Readable } from "node:stream";
import { gitRoot } from "./walk.ts";

/** ripgrep would not run, or not with these arguments; nothing was found before that. */
export class RipgrepRefused extends Error {
  override readonly name = "RipgrepRefused";
}

/** The path of ripgrep, if a directory of `PATH` has it, and we may look there. */
export function findRipgrep(
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  for (const directory of searchPath(env)) {
    if (!path.isAbsolute(directory)) continue;
    const file = path.join(directory, name);
    try {
      fs.accessSync(file, fs.constants.X_OK);
      if (fs.statSync(file).isFile()) return file;
    } catch {
      // It is not there, or Deno was not allowed to look there: then it is not there for us.
      continue;
    }
  }
  return undefined;
}

function searchPath(env: Readonly<Record<string, string | undefined>>): string[] {
  try {
    return (env["PATH"] ?? "").split(path.delimiter);
  } catch {
    // Deno without permission to read the environment.
    return [];
  }
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

function started(
  { program, args, directory }: RipgrepRun,
): ChildProcessByStdio<null, Readable, null> {
  try {
    return spawn(program, args, {
      cwd: directory,
      stdio: ["ignore", "pipe", "ignore"],
      windowsHide: true,
    });
  } catch (cause) {
    // Deno without permission to run it.
    throw new RipgrepRefused("ripgrep did not start", { cause });
  }
}

/**
 * Yields ripgrep's records as they come; ends it when the consumer stops. Throws `RipgrepRefused`
 * if it fails before the first, and the signal's reason when that aborts.
 */
export async function* ripgrep(run: RipgrepRun): AsyncGenerator<string> {
  run.signal.throwIfAborted();
  const child = started(run);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", (cause) => reject(new RipgrepRefused("ripgrep did not start", { cause })));
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
    for await (const bytes of outputOf(child, ended)) {
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

/** Where the output of one that did not start breaks off, what counts is that it did not start. */
async function* outputOf(
  child: ChildProcessByStdio<null, Readable, null>,
  ended: Promise<unknown>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* child.stdout;
  } catch (error) {
    child.kill("SIGKILL");
    await ended;
    throw error;
  }
}
