/**
 * Tries an expression on lines, with a limit on the time: one that backtracks without end must not
 * stop the program. V8 breaks off an expression after a time; JavaScriptCore does not, so with Bun
 * another process tries it, which can be ended.
 */
import { type ChildProcess, spawn } from "node:child_process";
import * as os from "node:os";
import * as path from "node:path";
import * as vm from "node:vm";
import { ToolError } from "../tool.ts";
import { childEnvironment } from "./process_group.ts";

/** How long one file may take. */
const FILE_MS_MAX = 3_000;

/** Indexes of lines that match, each with where the match starts. */
export type Matches = ReadonlyMap<number, number>;

export interface LineMatcher {
  /**
   * At most `most` matches, the first ones. Throws a ToolError that names the file if they are not
   * found in time, and the signal's reason when it aborts.
   */
  match(lines: readonly string[], most: number, file: string): Promise<Matches>;
  end(): void;
}

/** Which way of matching fits the expression and the runtime. */
export function lineMatcher(expression: RegExp, signal: AbortSignal): LineMatcher {
  if (!mayBacktrack(expression)) return plainMatcher(expression);
  return process.versions["bun"] === undefined
    ? timedMatcher(expression)
    : new ProcessMatcher(expression, signal);
}

/** Without repetition and choice there is only one way to match at each place. */
function mayBacktrack({ source }: RegExp): boolean {
  return /[*+?{|]/.test(source.replace(/\\./gs, ""));
}

function plainMatcher(expression: RegExp): LineMatcher {
  return {
    match: (lines, most) => Promise.resolve(matchesIn(lines, expression, most)),
    end() {},
  };
}

function matchesIn(lines: readonly string[], expression: RegExp, most: number): Matches {
  const found = new Map<number, number>();
  for (const [index, line] of lines.entries()) {
    const at = line.search(expression);
    if (at >= 0) found.set(index, at);
    if (found.size >= most) break;
  }
  return found;
}

function tooSlow(file: string): ToolError {
  return new ToolError(`Cannot search ${file}: the pattern takes too long there. Make it simpler.`);
}

function timedMatcher(expression: RegExp): LineMatcher {
  const script = new vm.Script("run()");
  return {
    match(lines, most, file) {
      let found: Matches = new Map();
      const run = () => void (found = matchesIn(lines, expression, most));
      try {
        script.runInContext(vm.createContext({ run }), { timeout: FILE_MS_MAX });
        return Promise.resolve(found);
      } catch (error) {
        // The error may come from the script's own realm, whose Error is another.
        const isLate = typeof error === "object" && error !== null && "code" in error &&
          error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
        return Promise.reject(isLate ? tooSlow(file) : error);
      }
    },
    end() {},
  };
}

/**
 * What the other process runs: one line of JSON in, one out. JavaScriptCore gives up on some
 * expressions and says that they do not match; that takes it long, and is told as `null`.
 */
const PROGRAM = `
const GIVEN_UP_MS = 200;
let pieces = [];
process.stdin.setEncoding("utf8");
process.stdin.on("data", (text) => {
  pieces.push(text);
  if (!text.endsWith("\\n")) return;
  const { source, flags, lines, most } = JSON.parse(pieces.join(""));
  pieces = [];
  const found = matches(lines, new RegExp(source, flags), most);
  process.stdout.write(JSON.stringify(found) + "\\n");
});
function matches(lines, expression, most) {
  const found = [];
  for (let index = 0; index < lines.length && found.length < most; index++) {
    const started = performance.now();
    const at = lines[index].search(expression);
    if (at >= 0) found.push([index, at]);
    else if (performance.now() - started > GIVEN_UP_MS + lines[index].length / 10_000) return null;
  }
  return found;
}
`;

/** One request at a time; whoever asks is answered, also when the process has ended. */
class ProcessMatcher implements LineMatcher {
  readonly #expression: RegExp;
  readonly #child: ChildProcess;
  readonly #signal: AbortSignal;
  readonly #failed: Promise<never>;
  #answered: (line: string) => void = () => {};

  constructor(expression: RegExp, signal: AbortSignal) {
    this.#expression = expression;
    this.#signal = signal;
    // Nothing of the directory that is searched may have a say in it.
    const options = [`--config=${os.devNull}`, "--no-env-file", "-e", PROGRAM];
    const child = spawn(process.execPath, options, {
      cwd: path.parse(process.execPath).root,
      env: { ...childEnvironment(process.env), BUN_BE_BUN: "1" },
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    });
    this.#child = child;
    this.#failed = new Promise((_, reject) => {
      const fail = (cause?: unknown) =>
        reject(new ToolError("Cannot search: the search was ended.", { cause }));
      child.once("error", fail);
      child.once("close", () => fail());
      // Who writes to a process that has ended hears of it by "close".
      child.stdin?.once("error", fail);
    });
    this.#failed.catch(() => child.kill("SIGKILL"));
    let pieces: string[] = [];
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      pieces.push(text);
      if (!text.endsWith("\n")) return;
      this.#answered(pieces.join(""));
      pieces = [];
    });
  }

  async match(lines: readonly string[], most: number, file: string): Promise<Matches> {
    this.#signal.throwIfAborted();
    const waiting = Promise.withResolvers<string>();
    this.#answered = waiting.resolve;
    const stop = () => waiting.reject(this.#signal.reason);
    this.#signal.addEventListener("abort", stop, { once: true });
    const timer = setTimeout(() => waiting.reject(tooSlow(file)), FILE_MS_MAX);
    try {
      const { source, flags } = this.#expression;
      this.#child.stdin?.write(JSON.stringify({ source, flags, lines, most }) + "\n");
      const answer: [number, number][] | null = JSON.parse(
        await Promise.race([waiting.promise, this.#failed]),
      );
      if (answer === null) throw tooSlow(file);
      return new Map(answer);
    } finally {
      clearTimeout(timer);
      this.#signal.removeEventListener("abort", stop);
    }
  }

  end(): void {
    this.#child.kill("SIGKILL");
  }
}
