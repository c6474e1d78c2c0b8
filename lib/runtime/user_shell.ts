/** The shell commands of a person (`!cmd`). */
import { type ProcessGroups, runShell, type Timer } from "../agent/mod.ts";
import type { BashExecutionMessage } from "../session/mod.ts";

/** What a shell command gave. */
export interface ShellOutcome {
  output: string;
  exitCode?: number;
  cancelled: boolean;
  truncated: boolean;
  fullOutputPath?: string;
}

/** Runs a command; the output comes in pieces, and as a whole (its end, if it is long) at the end. */
export type UserShell = (
  run: {
    command: string;
    cwd: string;
    signal: AbortSignal;
    onOutput: (delta: string) => void;
  },
) => Promise<ShellOutcome>;

/** A shell with the given environment; `processes` keeps track of what it runs. */
export function shellWith(
  env: () => Readonly<Record<string, string | undefined>>,
  options: { shell?: string; processes?: ProcessGroups } = {},
): UserShell {
  return async (run) => await runShell({ ...options, ...run, env: env() });
}

export interface UserShellOptions {
  cwd: string;
  shell: UserShell;
  exclude: boolean;
  onOutput: (delta: string) => void;
  signal: AbortSignal;
  timer: Timer;
  mayRun?: (command: string, signal: AbortSignal) => Promise<{ block: string } | undefined>;
}

/** Runs a person's command and gives the message that is kept of it. */
export async function runUserShell(
  command: string,
  options: UserShellOptions,
): Promise<BashExecutionMessage> {
  const outcome = await runUnlessRefused(command, options);
  const { exitCode, fullOutputPath } = outcome;
  return {
    role: "bashExecution",
    command,
    output: outcome.output,
    ...(exitCode === undefined ? {} : { exitCode }),
    cancelled: outcome.cancelled,
    truncated: outcome.truncated,
    ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
    ...(options.exclude ? { excludeFromContext: true } : {}),
    timestamp: options.timer.now(),
  };
}

async function runUnlessRefused(
  command: string,
  { cwd, mayRun, onOutput, shell, signal }: UserShellOptions,
): Promise<ShellOutcome> {
  const refusal = await mayRun?.(command, signal);
  if (refusal) return { output: refusal.block, exitCode: 126, cancelled: false, truncated: false };
  // Stopped before it began, perhaps while a person was asked.
  if (signal.aborted) return { output: "", cancelled: true, truncated: false };
  return await shell({ command, cwd, signal, onOutput });
}
