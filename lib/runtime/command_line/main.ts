/** From the words of the command line to an exit code. */
import { systemTimer } from "../../agent/mod.ts";
import { versionLine } from "../version.ts";
import { isTerminal } from "../terminal.ts";
import { listenForCrashes } from "../modes/crashes.ts";
import { exitCodeOf, UsageError } from "../modes/exit_codes.ts";
import { openSink, type Sink } from "../modes/output.ts";
import { Report } from "../modes/report.ts";
import { listenForSignals, STOP_MS_MAX } from "../modes/signals.ts";
import { type StopCause, stopExitCode, Stopper } from "../modes/stop.ts";
import type { ExitCode } from "./exit_code.ts";
import { parseCommandLine, type VerbCall } from "./parse.ts";
import type { RunOptions } from "./run_options.ts";
import { errorCode, reasonOf } from "../../session/mod.ts";

/** Ends the process, with nothing more said; `cli.ts` has it. */
export type EndProcess = (code: ExitCode) => void;

/**
 * Does what the words ask for and resolves with the exit code, when all output is written. Never
 * rejects: what was thrown is told on stderr, a bug with its trace.
 */
export async function main(args: readonly string[], end: EndProcess): Promise<ExitCode> {
  const stopper = new Stopper();
  const stdout = openSink(1, (error) => stopper.stop(outputCause(error)));
  const stderr = openSink(2);
  const streams: Streams = { stdout, stderr, stopper };
  const stopListening = listenForSignals(process, {
    stop: (signal) => stopper.stop({ kind: "signal", signal }),
    interrupt: () => streams.terminal?.interrupt() ?? false,
    end(code) {
      letGo(streams);
      end(code);
    },
  });
  const stopCatching = listenForCrashes(process, (error) => {
    letGo(streams);
    new Report(stderr, { quiet: false }).bug(error);
    const patience = AbortSignal.timeout(STOP_MS_MAX);
    void Promise.all([stdout, stderr].map((sink) => sink.drainUnless(patience)))
      .then(() => end(70));
  });
  let code: ExitCode;
  try {
    code = await run(args, streams);
  } catch (error) {
    code = exitCodeOf(error);
    // A wait that was stopped rejects with the signal's reason, which is no failure.
    if (error !== stopper.signal.reason) tell(error, code, stderr);
  }
  await Promise.all([stdout.drain(), stderr.drain()]);
  stopListening();
  stopCatching();
  // What was printed last may have found its reader gone.
  return stopper.cause ? stopExitCode(stopper.cause) : code;
}

function tell(error: unknown, code: ExitCode, stderr: Sink): void {
  const report = new Report(stderr, { quiet: false });
  if (code === 70) report.bug(error);
  else report.error(reasonOf(error));
}

/** Before an abrupt end: nothing of ours stays on the terminal or goes on without us. */
function letGo({ terminal, children }: Streams): void {
  terminal?.abandon();
  children?.killAll();
}

function outputCause(error: Error): StopCause {
  switch (errorCode(error)) {
    case "EPIPE":
      return { kind: "pipe" };
    case "EIO":
      // The terminal is gone.
      return { kind: "signal", signal: "SIGHUP" };
    default:
      return { kind: "output", error };
  }
}

interface Streams {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly stopper: Stopper;
  /** The commands that tools are running, once there can be some. */
  children?: { killAll(): void };
  /** The REPL has it: Ctrl-C may be a signal, and an abrupt end gives it back. */
  terminal?: { interrupt(): boolean; abandon(): void };
}

async function run(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const line = parseCommandLine(args, { stdin: isTerminal(0), stdout: streams.stdout.isTerminal });
  switch (line.kind) {
    case "usage":
      throw new UsageError(`${line.problem} (see bough ${line.see ?? "--help"})`);
    case "version":
      streams.stdout.write(`${versionLine()}\n`);
      return await toldOutput(0, streams);
    case "help":
      streams.stdout.write(await help(line.verb));
      return await toldOutput(0, streams);
    case "verb":
      return await toldOutput(await runVerb(line.call, streams), streams);
    case "run":
      return await runMode(line.options, streams);
  }
}

/** Waits until all is written and tells if it cannot be; a run tells that with its result. */
async function toldOutput(
  code: ExitCode,
  { stdout, stderr, stopper }: Streams,
): Promise<ExitCode> {
  await stdout.drain();
  if (stopper.cause?.kind === "output") {
    const { stopError } = await import("../modes/result.ts");
    new Report(stderr, { quiet: false }).error(stopError(stopper.cause, "").message);
  }
  return code;
}

async function help(verb: string | undefined): Promise<string> {
  const { helpText, verbHelpText } = await import("./help.ts");
  if (verb === undefined) return helpText();
  const text = verbHelpText(verb);
  if (text !== undefined) return text;
  const near = await nearestVerb(verb);
  throw new UsageError(
    `Cannot show the help of "${verb}": there is no such verb; ` +
      (near === undefined ? "bough help lists them" : `did you mean "bough help ${near}"?`),
  );
}

async function nearestVerb(words: string): Promise<string | undefined> {
  const { nearestNames } = await import("../config/nearest.ts");
  const { VERBS } = await import("./verbs.ts");
  const names = VERBS.flatMap(({ name }) => [name, name.split(" ")[0] ?? name]);
  return nearestNames(words, names)[0];
}

async function runVerb(call: VerbCall, { stdout, stderr, stopper }: Streams): Promise<ExitCode> {
  const commands = await import("../commands/run_verb.ts");
  const { processStdin } = await import("../modes/stdin.ts");
  return await commands.runVerb(call, {
    stdout,
    stderr,
    signal: stopper.signal,
    env: process.env,
    timer: systemTimer,
    cwd: currentDirectory,
    stdin: processStdin,
    columns: () => process.stdout.columns,
  });
}

async function runMode(options: RunOptions, streams: Streams): Promise<ExitCode> {
  const cwd = currentDirectory();
  if (options.mode === "rpc") return await runRpc(options, streams, cwd);
  if (options.mode === "repl") return await runRepl(options, streams, cwd);
  const { print } = await import("../modes/print.ts");
  const { processStdin } = await import("../modes/stdin.ts");
  return await print(options, {
    ...streams,
    cwd,
    stdin: processStdin,
    async open(chosen, more) {
      const { openRuntime } = await import("../open.ts");
      const { runtime, processes, warnings } = await openRuntime(chosen, {
        ...more,
        startDirectory: cwd,
      });
      streams.children = processes;
      return {
        session: runtime.session,
        warnings,
        start: () => runtime.start(),
        close: () => runtime.dispose(),
      };
    },
  });
}

async function runRepl(options: RunOptions, streams: Streams, cwd: string): Promise<ExitCode> {
  const { startRepl } = await import("../modes/repl/start.ts");
  const { stdout, stderr, stopper } = streams;
  return await startRepl(options, {
    stdout,
    stderr,
    stopper,
    cwd,
    env: process.env,
    onProcesses: (processes) => {
      streams.children = processes;
    },
    onTerminal: (terminal) => {
      streams.terminal = terminal;
    },
  });
}

async function runRpc(options: RunOptions, streams: Streams, cwd: string): Promise<ExitCode> {
  const { rpc } = await import("../modes/rpc/rpc.ts");
  const { processStdin } = await import("../modes/stdin.ts");
  return await rpc(options, {
    ...streams,
    stdin: processStdin,
    async open(chosen, more) {
      const { openRuntime } = await import("../open.ts");
      const opened = await openRuntime(chosen, { ...more, startDirectory: cwd });
      streams.children = opened.processes;
      return opened;
    },
  });
}

/** The process's directory. Throws a `UsageError` if it was deleted. */
function currentDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new UsageError(
      "Cannot work here: the current directory was deleted; change to one that exists",
      { cause },
    );
  }
}
