/** A full reading of a session file: what it holds, its tree, and everything that is wrong with it. */
import { type ByteSource, memorySource } from "./byte_source.ts";
import { SESSION_VERSION } from "./entry.ts";
import type { LockHolder } from "./errors.ts";
import type { FileSystem } from "./file_system.ts";
import {
  callFindings,
  type Finding,
  headerFindings,
  lineFindings,
  lockFindings,
  permissionFindings,
  targetFindings,
  treeFindings,
} from "./findings.ts";
import { type HeaderReading, readHeader } from "./header.ts";
import { linesForward } from "./lines.ts";
import type { LockState } from "./lock.ts";
import { type Survey, surveySession } from "./survey.ts";
import { EntryIndex } from "./tree.ts";
import { type UnansweredCalls, unansweredCalls } from "./unanswered_calls.ts";
import { upgradeLog } from "./upgrade.ts";

/** What was looked at, and what was found. */
export interface VerifyReport {
  file: string;
  /** Absent where no header tells it. */
  sessionId?: string;
  version?: number;
  bytes: number;
  lines: number;
  entries: number;
  /** Who is writing the session now. What its last turn has not finished yet is no damage. */
  writer?: LockHolder;
  /** Empty if the session is sound. */
  findings: Finding[];
}

/** What a full reading gives. */
export interface Diagnosis {
  /** What was surveyed: the file, or its lines as today's version. */
  source: ByteSource;
  survey: Survey;
  index: EntryIndex;
  unanswered: UnansweredCalls[];
  report: VerifyReport;
}

/** Reads a session from its first byte to its last. */
export function diagnose(
  source: ByteSource,
  { file, fs, lock }: { file: string; fs: FileSystem; lock: LockState },
): Diagnosis {
  const reading = readHeader(source);
  const current = upgraded(source, reading);
  const survey = surveySession(current);
  const index = new EntryIndex(survey.entries.map(({ head }) => head));
  const unanswered = unansweredCalls(survey.entries, index);
  const writer = lock.state === "held" ? lock.holder : undefined;
  const findings = [
    ...lineFindings(survey).filter(({ kind }) => !writer || kind !== "torn"),
    ...headerFindings(survey),
    ...treeFindings(survey.entries, index),
    ...targetFindings(survey.entries, index),
    ...callFindings(survey.entries, unanswered, writer !== undefined),
  ].sort((a, b) => (a.offset ?? 0) - (b.offset ?? 0));
  if (current !== source) takeOffsetsFrom(source, findings);
  const { id, version } = { ...survey.header?.value, ...reading?.header };
  const report: VerifyReport = {
    file,
    ...typeof id === "string" && { sessionId: id },
    ...typeof version === "number" && { version },
    bytes: source.size,
    lines: survey.lines,
    entries: survey.entries.length,
    ...writer && { writer },
    findings: [...findings, ...permissionFindings(fs, file), ...lockFindings(lock)],
  };
  return { source: current, survey, index, unanswered, report };
}

/** An older session as today's version, line by line; what is broken in it stays as it is. */
function upgraded(source: ByteSource, reading: HeaderReading | undefined): ByteSource {
  return reading && reading.header.version < SESSION_VERSION
    ? memorySource(upgradeLog(source, reading))
    : source;
}

/** Offsets are to be those of the file, not of its upgraded lines. */
function takeOffsetsFrom(source: ByteSource, findings: Finding[]): void {
  const starts: number[] = [];
  if (findings.length > 0) { for (const { start } of linesForward(source)) starts.push(start); }
  for (const finding of findings) {
    const start = finding.line === undefined ? undefined : starts[finding.line - 1];
    if (start !== undefined) finding.offset = start;
  }
}
