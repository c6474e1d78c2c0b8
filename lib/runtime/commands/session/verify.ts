/** `bough session verify`: looks for damage. */
import {
  describeHolder,
  type Finding,
  sessionsToVerify,
  type VerifyReport,
  verifySession,
} from "../../../session/mod.ts";
import type { ExitCode } from "../../command_line/exit_code.ts";
import { UsageError } from "../../modes/exit_codes.ts";
import { findDamaged } from "./damaged.ts";
import { Progress } from "./progress.ts";
import { printJson, printText, type SessionVerb } from "./verb.ts";

/** What a damaged session ends with. */
const DAMAGED: ExitCode = 4;

/**
 * Verifies one session, those of this directory, or (`--all`) all. The exit code is 0 only if
 * there is no damage.
 */
export async function verify(verb: SessionVerb): Promise<ExitCode> {
  const [text] = verb.call.operands;
  const isAll = verb.call.flags.has("all");
  if (text !== undefined && isAll) {
    throw new UsageError("Cannot verify one session and all: leave out the session, or --all");
  }
  if (text !== undefined) {
    const report = verifySession(await findDamaged(text, verb));
    if (verb.json) printJson(verb, report);
    else await printText(verb, linesOf(report));
    return report.findings.length === 0 ? 0 : DAMAGED;
  }
  const { sessionsDir } = verb.repo;
  const files = sessionsToVerify(isAll ? { sessionsDir } : { sessionsDir, cwd: verb.cwd });
  const reports = await verifyAll(files, verb);
  if (verb.json) printJson(verb, reports);
  const damaged = reports.filter(({ findings }) => findings.length > 0).length;
  verb.report.note(`${count(reports.length, "session")}, ${damaged} damaged`);
  return damaged === 0 ? 0 : DAMAGED;
}

/** Verifies files one after the other; what is wrong is shown as it is found, unless as JSON. */
async function verifyAll(files: readonly string[], verb: SessionVerb): Promise<VerifyReport[]> {
  const { stderr, signal, timer, env } = verb.ports;
  const progress = new Progress(stderr, { ...verb.call.run, env });
  const reports: VerifyReport[] = [];
  for (const [at, file] of files.entries()) {
    // So that a signal is heard between two files.
    await timer.sleep(0, signal);
    if (signal.aborted) break;
    progress.show(`Verifying ${at + 1} of ${files.length}`);
    const report = verifySession(file);
    reports.push(report);
    if (verb.json || report.findings.length === 0) continue;
    progress.clear();
    await printText(verb, linesOf(report));
  }
  progress.clear();
  return reports;
}

function* linesOf({ file, entries, findings, writer }: VerifyReport): Generator<string> {
  const size = count(entries, "entry", "entries");
  const verdict = findings.length === 0
    ? `sound, ${size}`
    : `${count(findings.length, "thing")} wrong, ${size} readable`;
  yield `${file}: ${verdict}${writer ? ` (${describeHolder(writer)} is writing it)` : ""}\n`;
  for (const finding of findings) yield `  ${describeFinding(finding)}\n`;
}

function describeFinding({ line, offset, entryId, problem, effect }: Finding): string {
  const places = [
    ...line === undefined ? [] : [`line ${line}`],
    ...offset === undefined ? [] : [`byte ${offset}`],
    ...entryId === undefined ? [] : [`entry ${entryId}`],
  ];
  const where = places.length === 0 ? "" : `${places.join(", ")}: `;
  return `${where}${problem}; ${effect}`;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
