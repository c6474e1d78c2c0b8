/** What the session verbs have in common: which sessions there are, opening one, telling the result. */
import {
  JsonlSessionRepo,
  nodeFileSystem,
  type Session,
  waitForLock,
} from "../../../session/mod.ts";
import type { VerbCall } from "../../command_line/parse.ts";
import { boughHome } from "../../config/home.ts";
import { sessionPlace, workingDirectory } from "../../config/session_place.ts";
import { damageLines } from "../../modes/damage_text.ts";
import { UsageError } from "../../modes/exit_codes.ts";
import { Report } from "../../modes/report.ts";
import { type VerbPorts, widthOfTerminal } from "../ports.ts";

/** One use of a session verb. */
export interface SessionVerb {
  readonly call: VerbCall;
  readonly ports: VerbPorts;
  readonly repo: JsonlSessionRepo;
  /** Bough's own directory. */
  readonly home: string;
  /** The directory whose sessions go first: `--cwd`, else the process's. */
  readonly cwd: string;
  /** The process's own directory: paths on the command line begin there. */
  readonly startDirectory: string;
  readonly json: boolean;
  /** Lines on stderr. */
  readonly report: Report;
  /** The columns of the terminal; undefined if stdout is none. */
  readonly width: number | undefined;
  /** ms since the epoch. */
  now(): number;
}

export async function openVerb(call: VerbCall, ports: VerbPorts): Promise<SessionVerb> {
  const started = ports.cwd();
  const home = boughHome(ports.env, started);
  const { sessionDir, quiet } = call.run;
  const place = await sessionPlace({
    env: ports.env,
    home,
    startDirectory: started,
    ...sessionDir === undefined ? {} : { sessionDir },
  });
  return {
    call,
    ports,
    repo: new JsonlSessionRepo(place),
    home,
    cwd: workingDirectory(started, call.run.cwd),
    startDirectory: started,
    json: call.flags.has("json"),
    report: new Report(ports.stderr, { quiet }),
    width: widthOfTerminal(ports),
    now: () => ports.timer.now(),
  };
}

/** An operand that the table says is there. */
export function operand({ call }: SessionVerb, at: number): string {
  const word = call.operands[at];
  if (word === undefined) throw new UsageError(`Cannot run "${call.verb}": a word is missing`);
  return word;
}

/** All operands from one on, as one text; undefined if there are none. */
export function restOf({ call }: SessionVerb, at: number): string | undefined {
  return call.operands.length > at ? call.operands.slice(at).join(" ") : undefined;
}

/** The value of an option as `parse` reads it. @throws UsageError if it cannot. */
export function optionValue<T>(
  { call }: SessionVerb,
  name: string,
  parse: (text: string) => T | undefined,
  wanted: string,
): T | undefined {
  const text = call.values.get(name);
  if (text === undefined) return undefined;
  const value = parse(text);
  if (value === undefined) throw new UsageError(`Cannot use --${name} ${text}: ${wanted}`);
  return value;
}

/** The file of the session that an operand names. */
export async function sessionFileOf(verb: SessionVerb, at = 0): Promise<string> {
  const { repo, cwd, startDirectory } = verb;
  return await repo.find(operand(verb, at), { cwd, pathsFrom: startDirectory });
}

/** Looks into a session, without its lock and without leaving a trace; tells of damage met there. */
export async function readSession<T>(
  verb: SessionVerb,
  look: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await verb.repo.open(await sessionFileOf(verb), { access: "read" });
  try {
    const found = await look(session);
    tellDamage(verb, session);
    return found;
  } finally {
    await session.close();
  }
}

/** Changes a session under its lock; `--busy` says what to do when another process has it. */
export async function changeSession<T>(
  verb: SessionVerb,
  change: (session: Session) => Promise<T>,
): Promise<T> {
  const file = await sessionFileOf(verb);
  const session = await whenFree(verb, () => verb.repo.open(file, { access: "write" }));
  try {
    const changed = await change(session);
    tellDamage(verb, session);
    return changed;
  } finally {
    await session.close();
  }
}

/** On stderr, as a run tells it. */
function tellDamage({ report }: SessionVerb, { damage, file, id }: Session): void {
  for (const text of damageLines(damage, file ?? id)) report.note(text);
}

/** Does what takes a session's lock, at once or when the lock is free. */
export async function whenFree<T>(verb: SessionVerb, attempt: () => Promise<T>): Promise<T> {
  const { busy } = verb.call.run;
  switch (busy.kind) {
    case "fail":
      return await attempt();
    case "wait":
      return await waitForLock(attempt, {
        signal: verb.ports.signal,
        ...busy.ms === undefined ? {} : { timeoutMs: busy.ms },
        onBusy: (error) => verb.report.note(`Waiting for the session: ${error.message}`),
      });
    case "fork":
      throw new UsageError(
        `Cannot use --busy fork with "${verb.call.verb}": it is about this session alone; ` +
          "use fail or wait",
      );
  }
}

/** One JSON value on a line. */
export function printJson({ ports }: SessionVerb, value: unknown): void {
  ports.stdout.record(value);
}

/** A path or an id on a line of its own: other writers may have put anything into it. */
export function printLine({ ports }: SessionVerb, text: string): void {
  ports.stdout.show(`${text}\n`);
}

/** Writes text from sessions piece by piece, no faster than it is read. */
export async function printText({ ports }: SessionVerb, pieces: Iterable<string>): Promise<void> {
  const { stdout, signal } = ports;
  for (const piece of pieces) {
    if (signal.aborted || stdout.error) return;
    stdout.show(piece);
    await stdout.ready(signal);
  }
}

/** Whether there is a directory of this name. */
export function isDirectory(directory: string): boolean {
  return nodeFileSystem.stat(directory)?.isDirectory === true;
}
