/** The programs that tools use. */
import { findRipgrep, runShell } from "../../../agent/mod.ts";
import type { Environment } from "../../config/mod.ts";
import { type Check, failed, ok, warning } from "./check.ts";
import { reasonOf } from "../../../session/mod.ts";

const SHELL_TIMEOUT_MS = 5_000;
/** Says which shell runs it, and whether it finds what every system has. */
const QUESTION = 'echo "$0"; command -v ls';

export interface ShellQuestion {
  readonly cwd: string;
  readonly env: Environment;
  /** As set; the usual one if absent. */
  readonly shell?: string;
  readonly signal: AbortSignal;
}

/** Runs a command as the bash tool would. */
export async function checkShell(question: ShellQuestion): Promise<Check> {
  try {
    const { output, exitCode, timedOut } = await runShell({
      ...question,
      command: QUESTION,
      timeoutMs: SHELL_TIMEOUT_MS,
    });
    const [shell = "", found] = output.split("\n");
    if (timedOut) {
      const seconds = SHELL_TIMEOUT_MS / 1000;
      return failed("shell", `Cannot run commands: the shell did nothing for ${seconds} s`);
    }
    if (shell === "") {
      return failed("shell", `Cannot run commands: the shell ended with ${exitCode ?? "nothing"}`);
    }
    return found ? ok("shell", shell) : warning(
      "shell",
      `${shell} finds no programs: PATH is "${question.env["PATH"] ?? ""}"; set it to where ` +
        "programs are, such as /usr/bin:/bin",
    );
  } catch (error) {
    return failed("shell", reasonOf(error));
  }
}

/** Looks for ripgrep, which `grep` and `find` can do without. */
export function checkRipgrep(env: Environment): Check {
  const found = findRipgrep(env);
  return found === undefined
    ? warning("ripgrep", "rg is not in PATH: grep and find work without it, more slowly")
    : ok("ripgrep", found);
}
