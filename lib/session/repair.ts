/** Writes a sound session file in place of a damaged one, and keeps the damaged one beside it. */
import { Buffer } from "node:buffer";
import { type ByteSource, fileSource } from "./byte_source.ts";
import { SESSION_VERSION } from "./entry.ts";
import { SessionError } from "./errors.ts";
import { type Descriptor, type FileSystem, nodeFileSystem } from "./file_system.ts";
import { newerVersion, notASession } from "./header.ts";
import { plannedHeader } from "./header_repair.ts";
import { describeHolder } from "./holder.ts";
import { FileLock, type LockInspection, type LockState } from "./lock.ts";
import { statNamed } from "./named_file.ts";
import { describeMode, wrongModes } from "./permissions.ts";
import { type Clock, type Ids, randomIds, type SessionLock, systemClock } from "./ports.ts";
import { type PlannedLine, planRepair, type RepairChange } from "./repair_plan.ts";
import { replaceFile } from "./replace_file.ts";
import { parseJson } from "./sound.ts";
import { diagnose, type Diagnosis } from "./diagnosis.ts";
import { errorCode, reasonOf } from "./thrown.ts";
import { isRecord, type JsonObject } from "./record.ts";

/** What a repair did. */
export interface RepairReport {
  file: string;
  /** The damaged file; absent if nothing had to be rewritten. */
  backup?: string;
  /** Entries in the file now. */
  entries: number;
  /** Empty if the session was sound. */
  changes: RepairChange[];
}

/** What a session is repaired with; each part has the machine's own as its default. */
export interface RepairOptions {
  fs?: FileSystem;
  lock?: SessionLock & LockInspection;
  clock?: Clock;
  ids?: Ids;
}

interface Damaged {
  /** The file itself, not a link to it. */
  file: string;
  fd: Descriptor;
  ports: { fs: FileSystem; clock: Clock; ids: Ids };
}

const FILE_MODE = 0o600;

type Outcome = Omit<RepairReport, "file">;

/**
 * Repairs a session file: every readable entry and every field is kept, what damage had cut off
 * hangs where the reader hangs it, and the file opens to the same tree. The damaged file stays
 * beside it as `<name>.damaged-<time>.bak`. A sound session is left alone. Takes the lock.
 *
 * @throws SessionError `not_found`, `not_a_session` if nothing in it is readable, `newer_version`,
 * `busy`, or `write_failed`; in each case no entry is lost.
 *
 * @example
 * ```ts
 * import { appendFileSync } from "node:fs";
 * import { JsonlSessionRepo, repairSession, verifySession } from "bough";
 *
 * const repo = new JsonlSessionRepo({ sessionsDir: "sessions" });
 * const session = await repo.create({ cwd: "/tmp" });
 * await session.appendMessage({ role: "user", content: "Hello", timestamp: Date.now() });
 * await session.close();
 * const [{ path } = { path: "" }] = await repo.list();
 * appendFileSync(path, '{"type":"mess'); // a write that was cut short
 * console.log(repairSession(path).changes.map(({ did }) => did));
 * console.log(verifySession(path).findings.length); // 0
 * ```
 */
export function repairSession(file: string, options: RepairOptions = {}): RepairReport {
  const { clock = systemClock, ids = randomIds, fs = nodeFileSystem } = options;
  const lock = options.lock ?? new FileLock({ fs });
  const stat = statNamed(fs, file, "repair");
  if (!stat.isFile) throw notASession(file);
  const real = fs.realPath(file) ?? file;
  const fd = attempt(file, () => fs.open(real, "a"));
  try {
    // Looked at before this lock takes the place of a stale one.
    const before = lock.inspect(real);
    const held = lock.acquire(real, fd);
    try {
      const damaged = { file: real, fd, ports: { fs, clock, ids } };
      return attempt(file, () => ({ file, ...repair(damaged, before) }));
    } finally {
      held.release();
    }
  } finally {
    fs.close(fd);
  }
}

function attempt<T>(file: string, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    if (error instanceof SessionError || errorCode(error) === undefined) throw error;
    const reason = reasonOf(error);
    throw new SessionError(
      "write_failed",
      `Cannot repair ${file}: ${reason}; what stands under its name is whole`,
      { file, cause: error },
    );
  }
}

function repair(damaged: Damaged, lock: LockState): Outcome {
  const { file, fd, ports: { fs } } = damaged;
  const stat = fs.stat(fd);
  if (!stat) throw new Error(`${file} is not open`);
  const diagnosis = diagnose(fileSource(fs, fd, stat.size), { file, fs, lock });
  const { survey, report } = diagnosis;
  if (!survey.header && survey.entries.length === 0) throw notASession(file);
  const { version = 1 } = report;
  if (version > SESSION_VERSION) throw newerVersion(file, version);
  const isDamaged = report.findings.some(({ kind }) => kind !== "permissions" && kind !== "lock");
  const modes = wrongModes(fs, file);
  const outcome: Outcome = isDamaged
    ? rewrite(damaged, diagnosis)
    : { entries: survey.entries.length, changes: [] };
  for (const { path: open, right } of modes) fs.changeMode(open, right);
  return {
    ...outcome,
    changes: [
      ...outcome.changes,
      ...modes.map((mode) => ({ did: `closed to other users: ${describeMode(mode)}` })),
      ...lockChanges(lock),
    ],
  };
}

function rewrite({ file, fd, ports }: Damaged, diagnosis: Diagnosis): Outcome {
  const { fs, clock, ids } = ports;
  const now = new Date(clock.now()).toISOString();
  const taken = new Set(diagnosis.survey.entries.map(({ head }) => head.id));
  const freshId = () => {
    let id = ids.entryId(8);
    while (taken.has(id)) id = ids.entryId(8);
    taken.add(id);
    return id;
  };
  const header = plannedHeader(diagnosis, { fs, file, now, newId: ids.sessionId() });
  const plan = planRepair(diagnosis, { freshId, now });
  const backup = replaceFile(fs, {
    file,
    chunks: joined(contentOf(header.line, plan.lines, diagnosis.source)),
    mode: FILE_MODE,
    old: fileSource(fs, fd, fs.stat(fd)?.size ?? 0),
    backup: `${file}.damaged-${now.replace(/[:.]/g, "-")}`,
  });
  fs.changeMode(backup, FILE_MODE);
  const changes = [...header.changes, ...lineChanges(diagnosis), ...plan.changes]
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return { backup, entries: plan.lines.length, changes };
}

const LF = Buffer.from("\n");
const CHUNK_SIZE = 256 * 1024;

/** Small pieces put together, so that each line is not a write of its own. */
function* joined(pieces: Iterable<Buffer>): Generator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for (const piece of pieces) {
    waiting.push(piece);
    size += piece.length;
    if (size < CHUNK_SIZE) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    size = 0;
  }
  yield Buffer.concat(waiting);
}

function* contentOf(
  header: Buffer,
  lines: readonly PlannedLine[],
  source: ByteSource,
): Generator<Buffer> {
  yield header;
  yield LF;
  for (const line of lines) {
    yield bytesOf(line, source);
    yield LF;
  }
}

function bytesOf(line: PlannedLine, source: ByteSource): Buffer {
  if (line.kind === "add") return encode(line.entry);
  const bytes = source.read(line.offset, line.offset + line.length);
  if (line.kind === "copy") return bytes;
  const value = parseJson(bytes);
  if (!isRecord(value)) throw new Error("the file changed while it was repaired");
  return encode(line.change(value));
}

/** An entry with its place in the tree in its first bytes, as our writer has it. */
function encode({ type, id, parentId, timestamp, ...rest }: JsonObject): Buffer {
  return Buffer.from(JSON.stringify({ type, id, parentId, timestamp, ...rest }));
}

function lineChanges({ survey }: Diagnosis): RepairChange[] {
  return survey.problems.map(({ kind, line, length, reason }) => ({
    line,
    did: kind === "salvaged"
      ? `cut down to what is whole in it: ${reason}`
      : `left out (${length} bytes): ${reason}`,
  }));
}

function lockChanges(lock: LockState): RepairChange[] {
  switch (lock.state) {
    case "free":
    case "held":
    // Not ours to remove.
    case "unreadable":
      return [];
    case "stale":
    case "elsewhere":
      return [{ did: `removed ${lock.path}, left by ${describeHolder(lock.holder)}` }];
  }
}
