/** `bough doctor`: whether a run can work in the very environment that it is called from. */
import * as path from "node:path";
import { JsonlSessionRepo } from "../../session/mod.ts";
import type { ExitCode } from "../command_line/exit_code.ts";
import type { VerbCall } from "../command_line/parse.ts";
import type { RunOptions } from "../command_line/run_options.ts";
import { boughHome, ConfigError, type Environment } from "../config/mod.ts";
import { workingDirectory } from "../config/session_place.ts";
import { UsageError } from "../modes/exit_codes.ts";
import { oneLine } from "../modes/terminal_text.ts";
import { openRepo } from "../open.ts";
import { type Check, CHECK_NAMES, type CheckStatus, failed } from "./doctor/check.ts";
import { checkClock } from "./doctor/clock.ts";
import { checkDirectory, checkHome, checkSessionsDirectory } from "./doctor/places.ts";
import { checkRipgrep, checkShell } from "./doctor/programs.ts";
import { checkSetup } from "./doctor/setup.ts";
import { checkLocks, checkSessions, newestChange } from "./doctor/stored.ts";
import type { VerbPorts } from "./ports.ts";

/** Looks at everything and resolves with 0, or with 3 if a run cannot work. */
export async function doctor(call: VerbCall, ports: VerbPorts): Promise<ExitCode> {
  const { stdout } = ports;
  const checks = await examine(call.run, ports, call.flags.has("online"));
  const isWell = checks.every(({ status }) => status !== "error");
  if (call.flags.has("json")) {
    stdout.record({ type: "doctor", version: 1, ok: isWell, checks });
  } else {
    stdout.write(shown(checks, call.run.quiet));
    if (!call.run.quiet) stdout.write(isWell ? "A run can work.\n" : "A run cannot work.\n");
  }
  return isWell ? 0 : 3;
}

const MARKS: Record<CheckStatus, string> = { ok: "ok", warning: "warning", error: "ERROR" };

const MARK_WIDTH = Math.max(...Object.values(MARKS).map((mark) => mark.length));
const NAME_WIDTH = Math.max(...CHECK_NAMES.map((name) => name.length));

/** A line each; messages are not cut, because they say what to do. */
function shown(checks: readonly Check[], quiet: boolean): string {
  return checks.filter(({ status }) => !quiet || status === "error")
    .map(({ name, status, message }) =>
      `${MARKS[status].padEnd(MARK_WIDTH)}  ${name.padEnd(NAME_WIDTH)}  ${oneLine(message)}\n`
    ).join("");
}

async function examine(options: RunOptions, ports: VerbPorts, online: boolean): Promise<Check[]> {
  const { env, signal, timer } = ports;
  const start = startDirectory(ports);
  if (typeof start !== "string") return [start];
  const home = homeOf(env, start);
  if (typeof home !== "string") return [home];
  const sessionsDir = await sessionsDirectory(options, { env, home, startDirectory: start });
  const cwd = workingDirectory(start, options.cwd);
  const setup = await checkSetup({ options, ports, home, cwd, startDirectory: start, online });
  const shell = setup.services?.settings.shellPath;
  return [
    checkDirectory(cwd),
    checkHome(home),
    checkSessionsDirectory(sessionsDir),
    ...setup.checks,
    await checkShell({
      // The directory itself is another matter.
      cwd: path.parse(cwd).root,
      env,
      signal,
      ...(shell === undefined ? {} : { shell }),
    }),
    checkRipgrep(env),
    ...checkLocks(sessionsDir),
    ...checkSessions(sessionsDir),
    checkClock(timer.now(), newestChange(sessionsDir)),
  ];
}

/** The process's directory, or that it was deleted. */
function startDirectory({ cwd }: VerbPorts): string | Check {
  try {
    return cwd();
  } catch (error) {
    if (error instanceof UsageError) return failed("directory", error.message);
    throw error;
  }
}

function homeOf(env: Environment, start: string): string | Check {
  try {
    return boughHome(env, start);
  } catch (error) {
    if (error instanceof ConfigError) return failed("home", error.message);
    throw error;
  }
}

async function sessionsDirectory(
  options: RunOptions,
  places: { env: Environment; home: string; startDirectory: string },
): Promise<string> {
  try {
    const repo = await openRepo({ ...options, session: { kind: "new" } }, places);
    if (repo instanceof JsonlSessionRepo) return repo.sessionsDir;
  } catch (error) {
    // The settings are wrong, which is told elsewhere.
    if (!(error instanceof ConfigError)) throw error;
  }
  return path.join(places.home, "sessions");
}
