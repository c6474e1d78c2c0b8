/** The session files: locks that were left, and damage in the newest. */
import * as fs from "node:fs";
import * as path from "node:path";
import {
  describeHolder,
  FileLock,
  type Finding,
  reasonOf,
  SessionError,
  verifySession,
} from "../../../session/mod.ts";
import { type Check, ok, warning } from "./check.ts";

/** How many sessions are read, the newest first, and how many bytes of them in all. */
const SESSIONS_MAX = 20;
const BYTES_MAX = 64 * 1024 * 1024;
/** How many lock files are looked at. */
const LOCKS_MAX = 200;

interface StoredFile {
  readonly path: string;
  readonly size: number;
  readonly changed: number;
}

/** The files with this ending in the directory and in its directories, newest first. */
function filesIn(directory: string, ending: string): StoredFile[] {
  const names = (at: string) => {
    try {
      return fs.readdirSync(at, { withFileTypes: true });
    } catch {
      // Not there yet, or not for us: whether it can be written is another check.
      return [];
    }
  };
  const folders = names(directory).filter((one) => one.isDirectory());
  return [directory, ...folders.map(({ name }) => path.join(directory, name))]
    .flatMap((folder) =>
      names(folder).filter((one) => !one.isDirectory() && one.name.endsWith(ending))
        .map(({ name }) => path.join(folder, name))
    )
    .flatMap((file) => {
      const stat = fs.statSync(file, { throwIfNoEntry: false });
      return stat ? [{ path: file, size: stat.size, changed: stat.mtimeMs }] : [];
    })
    .sort((a, b) => b.changed - a.changed);
}

/** Locks that keep nobody out, or that only a person can judge. */
export function checkLocks(directory: string): Check[] {
  const lock = new FileLock();
  const checks = filesIn(directory, ".jsonl.lock").slice(0, LOCKS_MAX).flatMap((file) => {
    const state = lock.inspect(file.path.slice(0, -".lock".length));
    switch (state.state) {
      case "free":
      case "held":
        return [];
      case "stale":
        return [
          warning(
            "locks",
            `${state.path} was left by ${describeHolder(state.holder)}; it keeps nobody out, and ` +
              "the next writer takes it away",
          ),
        ];
      case "elsewhere":
        return [
          warning(
            "locks",
            `${state.path} belongs to ${describeHolder(state.holder)}, which cannot be seen from ` +
              "here; delete it if that process no longer runs",
          ),
        ];
      case "unreadable":
        return [
          warning(
            "locks",
            `${state.path} stands where a lock belongs and is none; delete it if no process ` +
              "writes the session",
          ),
        ];
    }
  });
  return checks.length > 0 ? checks : [ok("locks", "none was left behind")];
}

/** What a crash leaves behind and every reader mends by itself. */
function isDamage({ kind }: Finding): boolean {
  return kind !== "unanswered_call" && kind !== "lock";
}

/** Reads the newest sessions whole. */
export function checkSessions(directory: string): Check[] {
  const checks: Check[] = [];
  let bytes = 0;
  let read = 0;
  for (const file of filesIn(directory, ".jsonl").slice(0, SESSIONS_MAX)) {
    bytes += file.size;
    if (bytes > BYTES_MAX && read > 0) break;
    read++;
    checks.push(...checkSession(file.path));
  }
  if (checks.length > 0) return checks;
  return [ok("damage", read === 0 ? "there are no sessions yet" : `none in the newest ${read}`)];
}

function checkSession(file: string): Check[] {
  try {
    const [first, ...more] = verifySession(file).findings.filter(isDamage);
    if (!first) return [];
    const where = first.line === undefined ? "" : `line ${first.line}: `;
    const others = more.length === 0 ? "" : `, and ${more.length} more findings`;
    return [
      warning(
        "damage",
        `${file}: ${where}${first.problem}; ${first.effect}${others} ` +
          "(bough session verify tells all, bough session repair mends it)",
      ),
    ];
  } catch (error) {
    // Gone since it was listed, or not to be read.
    if (error instanceof SessionError && error.code === "not_found") return [];
    return [warning("damage", `Cannot read ${file}: ${reasonOf(error)}`)];
  }
}

/** When a session was last written, in ms; 0 if there is none. */
export function newestChange(directory: string): number {
  return filesIn(directory, ".jsonl")[0]?.changed ?? 0;
}
