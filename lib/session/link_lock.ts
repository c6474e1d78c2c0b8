/**
 * A lock file that appears whole: its content is written under another name and then linked, which
 * fails if the name is taken. A record whose process is gone is taken away under a guard, a lock of
 * the same kind beside it, so that of two processes that find it stale the second does not remove
 * what the first has just put there.
 */
import type { FileSystem } from "./file_system.ts";
import { type LockRecord, readRecord } from "./holder.ts";
import type { ProcessFate } from "./processes.ts";
import { errorCode } from "./thrown.ts";

/** `unreadable`: something else stands under the name of the lock file. */
export type Claim =
  | { kind: "held"; release(): void }
  | { kind: "busy"; by?: LockRecord; fate: ProcessFate }
  | { kind: "unreadable" };

export interface ClaimRequest {
  record: LockRecord;
  /** What has become of a standing record's holder; only `"gone"` gives way. */
  fateOf(standing: LockRecord): ProcessFate;
  /** The same for the guards, whose holders are processes in the middle of a steal. */
  guardFateOf(standing: LockRecord): ProcessFate;
  /** Whether the record must be whole also after a power failure. */
  durable: boolean;
}

/** A holder that let go between two looks is tried again this often. */
const ATTEMPTS_MAX = 8;

/** Each level needs one more process killed inside a steal, which lasts some microseconds. */
const GUARDS_MAX = 3;

/** Takes the lock file at `path`, or says who has it. Errors are those of the file system. */
export function claimLink(fs: FileSystem, path: string, request: ClaimRequest): Claim {
  const written = `${path}.${request.record.nonce}.tmp`;
  try {
    const fd = fs.open(written, "wx", 0o600);
    try {
      const bytes = new TextEncoder().encode(JSON.stringify(request.record) + "\n");
      if (fs.write(fd, bytes) !== bytes.length) {
        throw Object.assign(new Error("the disk took only a part"), { code: "ENOSPC" });
      }
      if (request.durable) fs.sync(fd);
    } finally {
      fs.close(fd);
    }
    return takeName(fs, { path, written, request, depth: 0 });
  } finally {
    removeLeftover(fs, written);
  }
}

/** A name that nobody looks at; where it cannot be removed, the lock is what it is all the same. */
function removeLeftover(fs: FileSystem, path: string): void {
  try {
    fs.remove(path);
  } catch (error) {
    // Anything else is a fault of ours.
    if (errorCode(error) === undefined) throw error;
  }
}

interface Taking {
  path: string;
  /** The file whose second name the lock becomes. */
  written: string;
  request: ClaimRequest;
  depth: number;
}

function takeName(fs: FileSystem, taking: Taking): Claim {
  const { path, request, depth } = taking;
  const fateOf = depth === 0 ? request.fateOf : request.guardFateOf;
  // Taken, though each look came just after a release.
  let busy: Claim = { kind: "busy", fate: "running" };
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    if (tryLink(fs, taking)) return held(fs, path, request.record.nonce);
    const standing = readRecord(fs, path);
    if (standing === undefined) continue;
    if (standing === "unreadable") return { kind: "unreadable" };
    const fate = fateOf(standing);
    busy = { kind: "busy", by: standing, fate };
    if (fate !== "gone" || depth === GUARDS_MAX) return busy;
    const guard = takeName(fs, { ...taking, path: `${path}.steal`, depth: depth + 1 });
    if (guard.kind !== "held") return guard;
    try {
      // Only who holds the guard removes a stale record, so this one stays what it is.
      if (isStanding(fs, path, standing.nonce)) fs.remove(path);
    } finally {
      guard.release();
    }
  }
  return busy;
}

function tryLink(fs: FileSystem, { written, path, request }: Taking): boolean {
  try {
    fs.link(written, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    // An error that came too late would leave a lock that nobody knows to be his.
    if (isStanding(fs, path, request.record.nonce)) return true;
    throw error;
  }
}

function isStanding(fs: FileSystem, path: string, nonce: string): boolean {
  const standing = readRecord(fs, path);
  return standing !== undefined && standing !== "unreadable" && standing.nonce === nonce;
}

function held(fs: FileSystem, path: string, nonce: string): Claim {
  return {
    kind: "held",
    release() {
      // A person may have removed it by hand, and another process have come in since.
      if (isStanding(fs, path, nonce)) fs.remove(path);
    },
  };
}
