/** What a verb takes from the world. */
import type { Timer } from "../../agent/mod.ts";
import type { Environment } from "../config/mod.ts";
import type { Sink } from "../modes/output.ts";
import type { StdinSource } from "../modes/stdin.ts";

export interface VerbPorts {
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** Aborts when the verb is to stop. */
  readonly signal: AbortSignal;
  readonly env: Environment;
  readonly timer: Timer;
  /** The process's directory. Throws a `UsageError` if it was deleted. */
  cwd(): string;
  stdin(): StdinSource;
  /** The columns of the terminal that stdout is; absent or undefined: not known. */
  columns?(): number | undefined;
}

const WIDTH_MIN = 20;
const WIDTH_UNKNOWN = 80;

/** The columns of the terminal that stdout is; undefined if it is none. */
export function widthOfTerminal({ stdout, columns }: VerbPorts): number | undefined {
  return stdout.isTerminal ? Math.max(WIDTH_MIN, columns?.() ?? WIDTH_UNKNOWN) : undefined;
}
