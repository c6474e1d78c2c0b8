/** Runs one shell command: for the bash tool, and for commands that a person gives (`!ls`). */
import { type ChildProcess, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { errorCode, reasonOf } from "../../session/mod.ts";
import { ToolError } from "../tool.ts";
import { PlainTextDecoder } from "./control_text.ts";
import { OutputFile, OutputTail, type ShownOutput } from "./output_tail.ts";
import { childEnvironment, ProcessGroups } from "./process_group.ts";

/** A command and what it runs in. */
export interface ShellOptions {
  command: string;
  cwd: string;
  /** The whole environment; `BUN_OPTIONS` and `BUN_BE_BUN` are left out of it. */
  env: Readonly<Record<string, string | undefined>>;
  /** Path or name of a shell that takes `-c`; bash if absent, else sh. */
  shell?: string;
  signal?: AbortSignal;
  timeoutMs?: number;
  /** Gets all output as plain text, each piece once. */
  onOutput?(text: string): void;
  /** Keeps track of the command while it runs. */
  processes?: ProcessGroups;
  /** Where the whole of a long output goes; the system's directory for such files if absent. */
  temporaryDirectory?: string;
}

/** How a command ended, and the end of its output. */
export interface ShellResult {
  /** stdout and stderr as they came: the last 2,000 lines or 50 KB, without control sequences. */
  output: string;
  /** 128 + n after signal n; absent if the command was cancelled. */
  exitCode?: number;
  /** The signal aborted it. */
  cancelled: boolean;
  timedOut: boolean;
  /** `output` is not all. */
  truncated: boolean;
  /** A file, readable by its owner only, with all output byte for byte. */
  fullOutputPath?: string;
  /** Why that file does not have everything, or is not there. */
  fullOutputProblem?: string;
  /** Which part of the output is shown. */
  shown: ShownOutput;
}

/** How long late output is waited for once the shell has ended: without any, and in all. */
const QUIET_MS = 200;
const LATE_MS = 1_000;
const WINDOWS_SHELLS = ["C:\\Program Files\\Git\\bin\\bash.exe", "bash.exe"];

/**
 * Runs a command in a shell and a process group of its own, without stdin, until the shell ends:
 * what it left running in the background is not waited for. An abort or the timeout ends the whole
 * group. Throws a ToolError if the command could not be started.
 */
export async function runShell(options: ShellOptions): Promise<ShellResult> {
  const { signal, timeoutMs } = options;
  const processes = options.processes ?? new ProcessGroups();
  const tail = new OutputTail();
  const file = new OutputFile(options.temporaryDirectory ?? os.tmpdir());
  const told = (text: string) => {
    tail.push(text);
    if (tail.isCut) file.spill();
    if (text !== "") options.onOutput?.(text);
  };
  if (signal?.aborted) return resultOf({ code: null, signal: null }, tail, file, "cancelled");
  const child = await start(options);
  processes.add(child);
  let why: "cancelled" | "timedOut" | undefined;
  let stopping: Promise<void> | undefined;
  const stop = (reason: "cancelled" | "timedOut") => {
    why ??= reason;
    stopping ??= processes.stop(child);
  };
  const cancel = () => stop("cancelled");
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted) cancel();
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop("timedOut"), timeoutMs);
  // The command ended in time, even if what it left running is listened to for a moment.
  child.once("exit", () => clearTimeout(timer));
  try {
    const ended = await outputEnd(child, file, told);
    await stopping;
    return resultOf(ended, tail, file, why);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
    file.close();
  }
}

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

function resultOf(
  ended: Ended,
  tail: OutputTail,
  file: OutputFile,
  why: "cancelled" | "timedOut" | undefined,
): ShellResult {
  const shown = tail.shown();
  if (!tail.isCut) file.discard();
  const signalNumber = ended.signal === null ? 0 : os.constants.signals[ended.signal] ?? 0;
  return {
    output: shown.text,
    ...(why === "cancelled" ? {} : { exitCode: ended.code ?? 128 + signalNumber }),
    cancelled: why === "cancelled",
    timedOut: why === "timedOut",
    truncated: tail.isCut,
    ...(file.path === undefined ? {} : { fullOutputPath: file.path }),
    ...(file.problem === undefined ? {} : { fullOutputProblem: file.problem }),
    shown,
  };
}

/** Starts the shell; resolves when it runs. */
function start(options: ShellOptions): Promise<ChildProcess> {
  const { cwd } = options;
  if (!fs.statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ToolError(
      `Cannot run the command: the directory ${cwd} is gone. Make it again first.`,
    );
  }
  const env = childEnvironment(options.env);
  const shell = options.shell ?? defaultShell();
  const failed = (cause: unknown) => new ToolError(startProblem(shell, cause), { cause });
  return new Promise((resolve, reject) => {
    try {
      const child = spawn(shell, ["-c", options.command], {
        cwd,
        env,
        detached: process.platform !== "win32",
        windowsHide: true,
        stdio: ["ignore", "pipe", "pipe"],
      });
      child.once("error", (error) => reject(failed(error)));
      if (child.pid !== undefined) resolve(child);
    } catch (error) {
      reject(failed(error));
    }
  });
}

function startProblem(shell: string, error: unknown): string {
  switch (errorCode(error)) {
    case "ENOENT":
      return `Cannot run the command: there is no shell ${shell}. Install it, or set shellPath in the settings.`;
    case "E2BIG":
      return "Cannot run the command: it is too long. Write it to a file first, and run that.";
    case "ERR_INVALID_ARG_VALUE":
      return "Cannot run the command: it contains a NUL character.";
    default:
      return `Cannot run the command with ${shell}: ${reasonOf(error)}`;
  }
}

function defaultShell(): string {
  if (process.platform === "win32") {
    return WINDOWS_SHELLS.find((each) => path.isAbsolute(each) && fs.existsSync(each)) ??
      "bash.exe";
  }
  return fs.existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";
}

/**
 * Hands on output until the shell has ended and its pipes are closed. Where a background process
 * holds them open, they are let go of when nothing came for a moment.
 */
function outputEnd(
  child: ChildProcess,
  file: OutputFile,
  told: (text: string) => void,
): Promise<Ended> {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  let pieces = 0;
  const decoders = streams.map((stream) => {
    const decoder = new PlainTextDecoder();
    stream.on("data", (bytes: Uint8Array) => {
      pieces++;
      file.push(bytes);
      told(decoder.push(bytes));
      // A flood of output must not keep timers and an abort from their turn.
      stream.pause();
      setImmediate(() => stream.resume());
    });
    // Reading ends here either way; how the command ended is told by "exit".
    stream.on("error", () => stream.destroy());
    return decoder;
  });
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let ended: Ended | undefined;
    const letGo = () => streams.forEach((stream) => stream.destroy());
    const waitForQuiet = (untilMs: number, seen: number) => {
      timer = setTimeout(() =>
        // What is already in the pipe counts, so it is looked at once more before it is let go of.
        setImmediate(() => {
          if (pieces === seen || performance.now() >= untilMs) letGo();
          else waitForQuiet(untilMs, pieces);
        }), QUIET_MS);
    };
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      ended = { code, signal };
      waitForQuiet(performance.now() + LATE_MS, pieces);
    });
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      for (const decoder of decoders) told(decoder.end());
      resolve(ended ?? { code, signal });
    });
  });
}
