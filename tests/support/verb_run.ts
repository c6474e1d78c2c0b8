/** Runs of verbs in this process, over ports of the test's own. */
import type { ExitCode } from "../../lib/runtime/command_line/exit_code.ts";
import { parseCommandLine } from "../../lib/runtime/command_line/parse.ts";
import type { VerbPorts } from "../../lib/runtime/commands/ports.ts";
import { runVerb } from "../../lib/runtime/commands/run_verb.ts";
import type { StdinSource } from "../../lib/runtime/modes/stdin.ts";
import { HeldTimer } from "./manual_timer.ts";
import { recordedSink } from "./recorded_sink.ts";
import type { TempDirectory } from "./temp.ts";

export interface VerbRun {
  code: ExitCode;
  stdout: string;
  stderr: string;
}

/** Runs a verb with the home and the directory of `temp`; rejects with what it throws. */
export async function verbRun(
  temp: TempDirectory,
  args: readonly string[],
  ports: Partial<VerbPorts> = {},
): Promise<VerbRun> {
  const line = parseCommandLine(args, { stdin: false, stdout: false });
  if (line.kind !== "verb") throw new Error(JSON.stringify(line));
  const stdout = recordedSink();
  const stderr = recordedSink();
  const code = await runVerb(line.call, {
    stdout: stdout.sink,
    stderr: stderr.sink,
    signal: new AbortController().signal,
    env: temp.env(),
    timer: new HeldTimer(Date.UTC(2100, 0, 1)),
    cwd: () => temp.cwd,
    stdin: () => stdinOf(undefined),
    ...ports,
  });
  await stdout.sink.drain();
  await stderr.sink.drain();
  return { code, stdout: stdout.writer.text, stderr: stderr.writer.text };
}

/** stdin with this text, as a pipe; without one, `/dev/null`. */
export function stdinOf(text: string | undefined): StdinSource {
  const pieces = text === undefined || text === "" ? [] : [new TextEncoder().encode(text)];
  return {
    kind: text === undefined ? "none" : "pipe",
    read: () => Promise.resolve(pieces.shift()),
  };
}
