/** The directories that a run writes to: tried out, with nothing left behind. */
import * as fs from "node:fs";
import * as path from "node:path";
import { type LockKind, lockKindOf, reasonOf } from "../../../session/mod.ts";
import { type Check, failed, ok, warning } from "./check.ts";

/** How a directory took a file. */
type Probe =
  | { readonly kind: "writable"; readonly lock: LockKind }
  | { readonly kind: "unwritable"; readonly reason: string };

/** Makes what is missing of a directory; returns the first directory that was made. */
function make(directory: string): string | undefined {
  return fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
}

/** Removes what `make` made, unless somebody has put something there. */
function unmake(directory: string, first: string | undefined): void {
  if (first === undefined) return;
  for (let at = directory;; at = path.dirname(at)) {
    try {
      fs.rmdirSync(at);
    } catch {
      // It is in use by now, or gone already; either way it is not ours any more.
      return;
    }
    if (at === first) return;
  }
}

/** Writes a file, has it reach the disk, locks it, and removes it. */
function writeProbe(directory: string): Probe {
  const file = path.join(directory, `.doctor-${process.pid}`);
  const fd = fs.openSync(file, "wx+", 0o600);
  try {
    fs.writeSync(fd, "bough doctor\n");
    fs.fsyncSync(fd);
    return { kind: "writable", lock: lockKindOf(file, fd) };
  } finally {
    fs.closeSync(fd);
    fs.rmSync(file, { force: true });
  }
}

function probe(directory: string): Probe {
  let made: string | undefined;
  try {
    made = make(directory);
    return writeProbe(directory);
  } catch (error) {
    return { kind: "unwritable", reason: reasonOf(error) };
  } finally {
    unmake(directory, made);
  }
}

/** The user's own directory, with settings and keys; a run can do without writing there. */
export function checkHome(home: string): Check {
  const probed = probe(home);
  if (probed.kind === "writable") return ok("home", `${home} can be written`);
  return warning(
    "home",
    `Cannot write in ${home}: ${probed.reason}; make it writable, or set BOUGH_HOME to another ` +
      "directory",
  );
}

const LOCKS: Record<LockKind, string> = {
  flock: "locked by the system (flock)",
  link: "locked by lock files, because there is no flock here",
};

/** Where the session files are. */
export function checkSessionsDirectory(directory: string): Check {
  const probed = probe(directory);
  return probed.kind === "writable"
    ? ok("sessions", `${directory} can be written; sessions are ${LOCKS[probed.lock]}`)
    : failed(
      "sessions",
      `Cannot keep sessions in ${directory}: ${probed.reason}; make it writable, name another ` +
        "with --session-dir or sessionDir, or keep nothing with --no-session",
    );
}

/** Where the tools work. */
export function checkDirectory(directory: string): Check {
  let reason = "there is no such directory; make it";
  try {
    const stat = fs.statSync(directory, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return ok("directory", directory);
  } catch (error) {
    reason = reasonOf(error);
  }
  return failed(
    "directory",
    `Cannot work in ${directory}: ${reason}, or name another with --cwd`,
  );
}
