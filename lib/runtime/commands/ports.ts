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
