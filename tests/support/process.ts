/** Child processes for tests: started, watched, ended, with all that they said. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import type { TempDirectory } from "./temp.ts";

export interface ProcessOptions {
  /** Gives `cwd` and the environment, and is left in place. */
  temp?: TempDirectory;
  cwd?: string;
  /** Added to `temp.env()`; the whole environment where there is no `temp`. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Written to stdin, which is then closed. `"open"` leaves it to the test; absent: no stdin. */
  stdin?: string | Uint8Array | "open";
  /** The process is killed after this long, and `finished` rejects. */
  timeoutMs?: number;
  /** More pipes to the child, from descriptor 3 on. */
  morePipes?: number;
}

export interface FinishedProcess {
  stdout: string;
  stderr: string;
  /** Null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  durationMs: number;
}

const TIMEOUT_MS = 30_000;

/** A child process that a test talks to. */
export class RunningProcess implements Disposable {
  readonly #child: ChildProcess;
  readonly #command: string;
  readonly #waiting = new Set<() => void>();
  readonly #output = { stdout: "", stderr: "" };
  #ended = false;
  /** Settles when the process has ended and all its output is here. */
  readonly finished: Promise<FinishedProcess>;

  constructor(command: string, args: readonly string[], options: ProcessOptions = {}) {
    const { temp, stdin } = options;
    this.#command = [command, ...args].join(" ");
    const started = performance.now();
    const pipes = Array.from({ length: options.morePipes ?? 0 }, () => "pipe" as const);
    this.#child = spawn(command, args, {
      cwd: options.cwd ?? temp?.cwd,
      env: temp ? temp.env(options.env) : options.env,
      stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe", ...pipes],
    });
    for (const name of ["stdout", "stderr"] as const) {
      this.#child[name]?.setEncoding("utf8");
      this.#child[name]?.on("data", (text: string) => {
        this.#output[name] += text;
        this.#wake();
      });
    }
    // A child that ends without reading its stdin breaks the pipe; what counts is how it ended.
    this.#child.stdin?.on("error", () => this.#wake());
    if (stdin !== undefined && stdin !== "open") this.#child.stdin?.end(stdin);
    this.finished = this.#finish(started, options.timeoutMs ?? TIMEOUT_MS);
    // A test that only kills the process does not look at how it ended.
    this.finished.catch(() => this.#wake());
  }

  #finish(started: number, timeoutMs: number): Promise<FinishedProcess> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#child.kill("SIGKILL");
        reject(new Error(this.#report(`did not end within ${timeoutMs} ms`)));
      }, timeoutMs);
      this.#child.on("error", (error) => {
        clearTimeout(timer);
        this.#end();
        reject(error);
      });
      this.#child.on("close", (code, signal) => {
        clearTimeout(timer);
        this.#end();
        resolve({ ...this.#output, code, signal, durationMs: performance.now() - started });
      });
    });
  }

  #end(): void {
    this.#ended = true;
    this.#wake();
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  #report(what: string): string {
    return `${this.#command}: ${what}\nstdout: ${this.#output.stdout}\nstderr: ${this.#output.stderr}`;
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(this.#report("did not start"));
    return this.#child.pid;
  }

  /** What it has said so far. */
  get stdout(): string {
    return this.#output.stdout;
  }

  get stderr(): string {
    return this.#output.stderr;
  }

  write(text: string | Uint8Array): void {
    this.#child.stdin?.write(text);
  }

  /** Closes stdin. */
  end(): void {
    this.#child.stdin?.end();
  }

  /** One of `morePipes`; 3 is the first. */
  pipe(descriptor: number): Writable {
    const stream = this.#child.stdio[descriptor];
    if (!stream || !("write" in stream)) throw new Error(this.#report(`no pipe ${descriptor}`));
    return stream;
  }

  kill(signal: NodeJS.Signals = "SIGTERM"): void {
    this.#child.kill(signal);
  }

  /** Waits until the output matches; rejects if the process ends, or the time, before that. */
  async waitFor(
    pattern: RegExp | string,
    options: { stream?: "stdout" | "stderr"; timeoutMs?: number } = {},
  ): Promise<string> {
    const { stream = "stdout", timeoutMs = TIMEOUT_MS } = options;
    const text = () => this.#output[stream];
    await this.until(
      () => typeof pattern === "string" ? text().includes(pattern) : pattern.test(text()),
      { what: `${pattern} on ${stream}`, timeoutMs },
    );
    return text();
  }

  /** Waits until something holds of the output; it is looked at whenever there is more. */
  until(
    holds: () => boolean,
    options: { what?: string; timeoutMs?: number } = {},
  ): Promise<void> {
    const { what = "what was waited for", timeoutMs = TIMEOUT_MS } = options;
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(look);
      };
      const look = () => {
        const found = holds();
        if (!found && !this.#ended) return;
        done();
        if (found) resolve();
        else reject(new Error(this.#report(`ended before there was ${what}`)));
      };
      const timer = setTimeout(() => {
        done();
        reject(new Error(this.#report(`no ${what} within ${timeoutMs} ms`)));
      }, timeoutMs);
      this.#waiting.add(look);
      look();
    });
  }

  [Symbol.dispose](): void {
    if (!this.#ended) this.#child.kill("SIGKILL");
  }
}

/** Runs a program to its end. */
export function runProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions = {},
): Promise<FinishedProcess> {
  return new RunningProcess(command, args, options).finished;
}
