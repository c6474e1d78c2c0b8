/** Runs a program for an extension: its words as they are, without a shell. */
import { Buffer } from "node:buffer";
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import * as os from "node:os";
import * as path from "node:path";
import { childEnvironment, ProcessGroups } from "../../agent/mod.ts";
import type { ExecOptions, ExecResult } from "./api.ts";
import { reasonOf } from "../../session/mod.ts";

const TIMEOUT_MS = 60_000;
/** The longest that a timer can be set to; a longer one, `Infinity` too, would fire at once. */
const TIMER_MS_MAX = 2_147_483_647;
const OUTPUT_BYTES_MAX = 10 * 1024 * 1024;
/** How long late output is waited for once the program has ended. */
const LATE_MS = 200;

export interface ProgramPorts {
  /** The session's directory. */
  cwd: string;
  env(): Readonly<Record<string, string | undefined>>;
  processes?: ProcessGroups;
}

/** The programs that the extensions of a conversation run; none outlives it. */
export class Programs {
  readonly #ports: ProgramPorts;
  readonly #stopped = new AbortController();
  readonly #running = new Set<Promise<ExecResult>>();

  constructor(ports: ProgramPorts) {
    this.#ports = ports;
  }

  /** Rejects if the program cannot be started; what it does afterwards stands in the result. */
  async run(
    program: string,
    args: readonly string[],
    options: ExecOptions,
  ): Promise<ExecResult> {
    const { signal } = this.#stopped;
    const either = options.signal ? AbortSignal.any([options.signal, signal]) : signal;
    const running = exec(program, args, { ...options, signal: either }, this.#ports);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Ends what is still running. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.allSettled(this.#running);
  }
}

async function exec(
  program: string,
  args: readonly string[],
  options: ExecOptions,
  ports: ProgramPorts,
): Promise<ExecResult> {
  const processes = ports.processes ?? new ProcessGroups();
  const child = await start(program, args, options, ports);
  processes.add(child);
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= processes.stop(child);
  };
  const timer = setTimeout(stop, Math.min(options.timeoutMs ?? TIMEOUT_MS, TIMER_MS_MAX));
  options.signal?.addEventListener("abort", stop, { once: true });
  if (options.signal?.aborted) stop();
  child.stdin?.on("error", () => child.stdin?.destroy());
  child.stdin?.end(options.stdin ?? "");
  const output = { stdout: new Collected(child.stdout), stderr: new Collected(child.stderr) };
  try {
    const exitCode = await ended(child);
    await stopping;
    return {
      stdout: output.stdout.text(),
      stderr: output.stderr.text(),
      exitCode,
      stopped: stopping !== undefined,
      truncated: output.stdout.isCut || output.stderr.isCut,
    };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", stop);
  }
}

function start(
  program: string,
  args: readonly string[],
  options: ExecOptions,
  ports: ProgramPorts,
): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const failed = (cause: unknown) =>
      reject(new Error(`Cannot run ${program}: ${reasonOf(cause)}`, { cause }));
    try {
      const child = spawn(program, [...args], {
        cwd: path.resolve(ports.cwd, options.cwd ?? "."),
        env: childEnvironment({ ...ports.env(), ...options.env }),
        detached: process.platform !== "win32",
        windowsHide: true,
        stdio: ["pipe", "pipe", "pipe"],
      });
      child.once("error", failed);
      if (child.pid !== undefined) resolve(child);
    } catch (error) {
      failed(error);
    }
  });
}

/** The exit code, once the output is here too; what runs on in the background is not waited for. */
function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once("exit", () => {
      const late = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, LATE_MS);
      child.once("close", () => clearTimeout(late));
    });
    child.once("close", (code, signal) => {
      resolve(code ?? 128 + (signal ? os.constants.signals[signal] ?? 0 : 0));
    });
  });
}

/** The first part of a stream. */
class Collected {
  readonly #pieces: Uint8Array[] = [];
  #size = 0;
  isCut = false;

  constructor(stream: Readable | null) {
    stream?.on("data", (bytes: Uint8Array) => {
      const room = OUTPUT_BYTES_MAX - this.#size;
      if (bytes.length > room) this.isCut = true;
      if (room <= 0) return;
      const piece = bytes.subarray(0, room);
      this.#pieces.push(piece);
      this.#size += piece.length;
    });
    stream?.on("error", () => stream.destroy());
  }

  text(): string {
    return new TextDecoder().decode(Buffer.concat(this.#pieces));
  }
}
