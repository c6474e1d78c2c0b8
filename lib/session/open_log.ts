/** Opens a session's file, or plans one. */
import { Buffer } from "node:buffer";
import { memorySource } from "./byte_source.ts";
import { encodeHeader } from "./codec.ts";
import { SESSION_VERSION, type SessionHeader } from "./entry.ts";
import { SessionError } from "./errors.ts";
import type { Descriptor, FileStat } from "./file_system.ts";
import {
  type HeaderReading,
  isDirectory,
  newerVersion,
  notASession,
  readHeader,
} from "./header.ts";
import type { OpenLog } from "./jsonl_storage.ts";
import { LogReader } from "./log_reader.ts";
import { attempt, statNamed } from "./named_file.ts";
import { type FilePlan, SessionLog } from "./session_log.ts";
import type { StorageEnvironment } from "./storage_env.ts";
import { upgradeLog } from "./upgrade.ts";
import { upgradeFile } from "./upgrade_file.ts";

/**
 * `write` takes the lock at once; `read` never does, and refuses appends; absent, the lock is taken
 * by the first append.
 */
export type Access = "read" | "write";

/**
 * A session whose file is made when a person or a model first says something. It may begin with
 * some entries' lines, and may take over an empty file.
 */
export function planLog(
  file: string,
  header: SessionHeader,
  environment: StorageEnvironment,
  { lines = Buffer.alloc(0), ...plan }: { lines?: Buffer } & Omit<FilePlan, "first"> = {},
): OpenLog {
  const line = Buffer.from(encodeHeader(header));
  const log = SessionLog.toBeMade(
    file,
    { ...plan, first: Buffer.concat([line, lines]) },
    environment,
  );
  return { header, log, reader: new LogReader(log.source(), line.length, file), damage: [] };
}

/**
 * Opens an existing session file.
 *
 * @param newHeader The header that an empty file is given.
 * @throws SessionError `not_found`, `not_a_session`; with `write` also `busy`, `newer_version`,
 * `write_failed`.
 */
export function openLog(
  file: string,
  environment: StorageEnvironment,
  access: Access | undefined,
  newHeader: () => SessionHeader,
): OpenLog {
  const { fd, stat } = openForReading(file, environment);
  if (stat.size > 0 || access === "read") return openExisting(file, fd, stat, environment, access);
  environment.fs.close(fd);
  const plan = planLog(file, newHeader(), environment, { adopts: true });
  if (access === "write") plan.log.append(Buffer.alloc(0), environment.durability !== "none");
  return plan;
}

function openForReading(
  file: string,
  { fs }: StorageEnvironment,
): { fd: Descriptor; stat: FileStat } {
  const stat = statNamed(fs, file, "open session");
  if (stat.isDirectory) throw isDirectory(file);
  // A pipe or a device would block the open.
  if (!stat.isFile) throw notASession(file);
  return attempt(file, "open session", () => {
    const fd = fs.open(file, "r");
    return { fd, stat: fs.stat(fd) ?? stat };
  });
}

function openExisting(
  file: string,
  fd: Descriptor,
  stat: FileStat,
  environment: StorageEnvironment,
  access: Access | undefined,
): OpenLog {
  const log = SessionLog.existing(file, fd, stat, environment);
  try {
    const reading = readHeader(log.source());
    if (!reading) throw notASession(file);
    return reading.header.version < SESSION_VERSION
      ? openOlder(reading, log, environment, access)
      : openCurrent(reading, log, access);
  } catch (error) {
    log.close();
    throw error;
  }
}

function openCurrent(
  { header, end, damage }: HeaderReading,
  log: SessionLog,
  access: Access | undefined,
): OpenLog {
  const { file } = log;
  const open: OpenLog = { header, log, reader: new LogReader(log.source(), end, file), damage };
  if (header.version > SESSION_VERSION) open.readOnly = newerVersion(file, header.version);
  else if (access === "read") open.readOnly = openedForReading(file);
  if (access === "write") {
    if (open.readOnly) throw open.readOnly;
    log.prepare();
    open.reader.restart(log.source());
  }
  return open;
}

function openedForReading(file: string): SessionError {
  return new SessionError(
    "closed",
    `Cannot append to session ${file}: it was opened for reading; open it again without that`,
    { file },
  );
}

/** An older file: upgraded on the disk if it may be written, else (and until then) in memory. */
function openOlder(
  reading: HeaderReading,
  log: SessionLog,
  environment: StorageEnvironment,
  access: Access | undefined,
): OpenLog {
  const { file } = log;
  const upgrade = (): OpenLog => {
    upgradeFile(log, reading, environment);
    log.close();
    const { fd, stat } = openForReading(file, environment);
    return openExisting(file, fd, stat, environment, access);
  };
  if (access === "write") return upgrade();
  if (access === undefined) {
    try {
      return upgrade();
    } catch (error) {
      // A directory that cannot be written, another writer: it can be read all the same, and the
      // first append tries again.
      if (!(error instanceof SessionError)) throw error;
    }
  }
  const source = memorySource(upgradeLog(log.source(), reading));
  const upgraded = readHeader(source);
  if (!upgraded) throw notASession(file);
  const open: OpenLog = {
    header: upgraded.header,
    log,
    reader: new LogReader(source, upgraded.end, file),
    damage: reading.damage,
  };
  if (access === "read") open.readOnly = openedForReading(file);
  else open.upgrade = upgrade;
  return open;
}
