/** Looks for every kind of damage in a session file, and says what each means for its tree. */
import { fileSource } from "./byte_source.ts";
import { diagnose, type VerifyReport } from "./diagnosis.ts";
import { SessionError } from "./errors.ts";
import { type FileSystem, nodeFileSystem } from "./file_system.ts";
import { FileLock, type LockInspection } from "./lock.ts";
import { attempt, statIfSeen, statNamed } from "./named_file.ts";
import { candidatePaths, sessionFile } from "./session_files.ts";

/** What a session is verified with; each part has the machine's own as its default. */
export interface VerifyOptions {
  fs?: FileSystem;
  lock?: LockInspection;
}

/** Where the sessions are that are to be verified. */
export interface VerifyWhere {
  sessionsDir: string;
  /** Only those of this working directory, and those that no longer tell whose they are. */
  cwd?: string;
  fs?: FileSystem;
}

/** The files of all sessions in a directory, those too that are too damaged to be listed. */
export function sessionsToVerify({ sessionsDir, cwd, fs = nodeFileSystem }: VerifyWhere): string[] {
  return candidatePaths(fs, sessionsDir, cwd).filter((file) => {
    if (!statIfSeen(fs, file)?.isFile) return false;
    return cwd === undefined || (sessionFile(fs, file)?.header.cwd ?? cwd) === cwd;
  });
}

/**
 * Reads a session file whole and reports everything that is wrong with it. Nothing is changed and
 * no lock is taken.
 *
 * @throws SessionError `not_found`, or `not_a_session` for what is no file.
 *
 * @example
 * ```ts
 * import { JsonlSessionRepo, verifySession } from "bough";
 *
 * const repo = new JsonlSessionRepo({ sessionsDir: "sessions" });
 * const session = await repo.create({ cwd: "/tmp" });
 * await session.appendMessage({ role: "user", content: "Hello", timestamp: Date.now() });
 * await session.close();
 * for (const { path } of await repo.list()) {
 *   for (const { line, problem, effect } of verifySession(path).findings) {
 *     console.log(`${path}:${line ?? 1}: ${problem}: ${effect}`);
 *   }
 * }
 * ```
 */
export function verifySession(file: string, options: VerifyOptions = {}): VerifyReport {
  const fs = options.fs ?? nodeFileSystem;
  const stat = statNamed(fs, file, "verify");
  if (!stat.isFile) {
    throw new SessionError("not_a_session", `Cannot verify ${file}: it is not a file`, { file });
  }
  const lock = options.lock ?? new FileLock({ fs });
  const fd = attempt(file, "verify", () => fs.open(file, "r"));
  try {
    const state = lock.inspect(file);
    const { report } = diagnose(fileSource(fs, fd, stat.size), { file, fs, lock: state });
    return report;
  } finally {
    fs.close(fd);
  }
}
