/** `--mode rpc`: a program talks to the agent, a JSON record a line each way (`docs/rpc.md`). */
import { systemTimer, type Timer } from "../../../agent/mod.ts";
import type { ExitCode } from "../../command_line/exit_code.ts";
import type { RunOptions } from "../../command_line/run_options.ts";
import type { Sink } from "../output.ts";
import { PrintTally } from "../print_tally.ts";
import { Report } from "../report.ts";
import type { StdinSource } from "../stdin.ts";
import type { Stopper } from "../stop.ts";
import { eventsView } from "../view.ts";
import { RpcClient } from "./client.ts";
import { readCommand, type ReadLine, tooLong } from "./command.ts";
import { LineSplitter } from "./line_splitter.ts";
import type { RpcRuntime } from "./perform.ts";

/** The runtime that the options ask for, with what is to be told once. */
export interface RpcOpened {
  readonly runtime: RpcRuntime;
  /** Grows with each session that is opened. */
  readonly warnings: readonly { readonly message: string }[];
}

/** The world around rpc mode. */
export interface RpcPorts {
  readonly stdout: Sink;
  readonly stderr: Sink;
  stdin(): StdinSource;
  open(
    options: RunOptions,
    more: {
      readonly signal: AbortSignal;
      readonly onWait: (message: string) => void;
      readonly ui: Pick<Report, "notify">;
    },
  ): Promise<RpcOpened>;
  readonly stopper: Stopper;
  readonly timer?: Timer;
}

/** The longest line that is read: a prompt with several images. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Answers commands until stdin ends, `shutdown` comes or the stopper stops it; then what is going on
 * is aborted, and what was said is saved. Resolves with the exit code; rejects if the session could
 * not be opened, once a result record has said why.
 */
export async function rpc(options: RunOptions, ports: RpcPorts): Promise<ExitCode> {
  const { stopper: { signal }, timer = systemTimer } = ports;
  const report = new Report(ports.stderr, options);
  const view = eventsView(ports.stdout);
  let opened: RpcOpened;
  try {
    opened = await ports.open(options, {
      signal,
      onWait: (message) => report.note(message),
      ui: report,
    });
  } catch (error) {
    const tally = new PrintTally(timer);
    tally.failure = error;
    view.end(tally.result(ports.stopper.cause), undefined);
    throw error;
  }
  const client = new RpcClient({ ...opened, view, report, stdout: ports.stdout, signal, timer });
  try {
    await client.start();
    await serve(client, ports);
  } finally {
    await client.close();
  }
  return 0;
}

/** Hands each line to the client, in order, no faster than the answers are read. */
async function serve(client: RpcClient, { stdin, stdout, stopper }: RpcPorts): Promise<void> {
  const { signal } = stopper;
  for await (const line of linesOf(stdin(), AbortSignal.any([signal, client.ended]))) {
    await stdout.ready(signal);
    if (signal.aborted) return;
    client.receive(line);
  }
  await client.end();
}

/** The commands on stdin, until it ends or the signal aborts. */
async function* linesOf(stdin: StdinSource, signal: AbortSignal): AsyncGenerator<ReadLine> {
  // A stdin that is closed, or a device, has nothing to say.
  if (stdin.kind === "none") return;
  const splitter = new LineSplitter(LINE_BYTES_MAX);
  const stopped = Promise.withResolvers<undefined>();
  const stop = () => stopped.resolve(undefined);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  for (;;) {
    const bytes = await Promise.race([stdin.read(), stopped.promise]);
    if (signal.aborted) return;
    for (const line of bytes ? splitter.push(bytes) : splitter.end()) {
      const read = line.kind === "line" ? readCommand(line.bytes) : tooLong(LINE_BYTES_MAX);
      if (read) yield read;
    }
    if (!bytes) return;
  }
}
