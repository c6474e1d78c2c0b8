/** `bough session verify`: looks for damage. */
import {
  describeHolder,
  type Finding,
  sessionsToVerify,
  type VerifyReport,
  verifySession,
} from "../../session/mod.ts";
import type { ExitCode } from "../command_line/exit_code.ts";
import type { VerbCall } from "../command_line/parse.ts";
import { UsageError } from "../modes/exit_codes.ts";
import { Report } from "../modes/report.ts";
import { findDamaged, sessionPlace } from "./damaged_session.ts";
import type { VerbPorts } from "./ports.ts";
import { Progress } from "./progress.ts";

/** What a damaged session ends with. */
const DAMAGED: ExitCode = 4;

/**
 * Verifies one session, those of this directory, or (`--all`) all. The exit code is 0 only if
 * there is no damage.
 */
export async function sessionVerify(call: VerbCall, ports: VerbPorts): Promise<ExitCode> {
  const [text] = call.operands;
  const isAll = call.flags.has("all");
  const isJson = call.flags.has("json");
  if (text !== undefined && isAll) {
    throw new UsageError("Cannot verify one session and all: leave out the session, or --all");
  }
  const place = await sessionPlace(call, ports);
  if (text !== undefined) {
    const verified = verifySession(await findDamaged(text, place));
    ports.stdout.show(isJson ? `${JSON.stringify(verified)}\n` : describeReport(verified));
    return verified.findings.length === 0 ? 0 : DAMAGED;
  }
  const { sessionsDir } = place.repo;
  const files = sessionsToVerify(isAll ? { sessionsDir } : { sessionsDir, cwd: place.cwd });
  const reports = await verifyAll(files, call, ports, isJson);
  if (isJson) ports.stdout.write(`${JSON.stringify(reports)}\n`);
  const damaged = reports.filter(({ findings }) => findings.length > 0).length;
  new Report(ports.stderr, call.run).note(`${count(files.length, "session")}, ${damaged} damaged`);
  return damaged === 0 ? 0 : DAMAGED;
}

/** Verifies files one after the other; what is wrong is shown as it is found, unless `isJson`. */
async function verifyAll(
  files: readonly string[],
  call: VerbCall,
  ports: VerbPorts,
  isJson: boolean,
): Promise<VerifyReport[]> {
  const { stdout, stderr, signal, timer } = ports;
  const progress = new Progress(stderr, {
    plain: call.run.plain,
    quiet: call.run.quiet,
    env: ports.env,
  });
  const reports: VerifyReport[] = [];
  for (const [at, file] of files.entries()) {
    // So that a signal is heard between two files.
    await timer.sleep(0, signal);
    if (signal.aborted) break;
    progress.show(`Verifying ${at + 1} of ${files.length}`);
    const report = verifySession(file);
    reports.push(report);
    if (isJson || report.findings.length === 0) continue;
    progress.clear();
    stdout.show(describeReport(report));
  }
  progress.clear();
  return reports;
}

function describeReport({ file, entries, findings, writer }: VerifyReport): string {
  const busy = writer ? ` (${describeHolder(writer)} is writing it)` : "";
  const size = count(entries, "entry", "entries");
  const verdict = findings.length === 0
    ? `sound, ${size}`
    : `${count(findings.length, "thing")} wrong, ${size} readable`;
  return [`${file}: ${verdict}${busy}`, ...findings.map(describeFinding)].join("\n") + "\n";
}

function describeFinding({ line, offset, entryId, problem, effect }: Finding): string {
  const places = [
    ...line === undefined ? [] : [`line ${line}`],
    ...offset === undefined ? [] : [`byte ${offset}`],
    ...entryId === undefined ? [] : [`entry ${entryId}`],
  ];
  const where = places.length === 0 ? "" : `${places.join(", ")}: `;
  return `  ${where}${problem}; ${effect}`;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
