/**
 * The writer's lock of a session file: `flock(2)` on the file itself, and where there is none
 * (Windows, an unknown C library, a file system that refuses), a lock file beside it. In both cases
 * `<file>.lock` says who holds it; the two kinds of writers heed each other.
 */
import { SessionError } from "./errors.ts";
import type { LockHolder } from "./errors.ts";
import { type FileStat, type FileSystem, nodeFileSystem } from "./file_system.ts";
import { type Flock, type FlockOutcome, openFlock } from "./flock_lock.ts";
import {
  describeHolder,
  holderOf,
  lockPathOf,
  type LockRecord,
  makeRecord,
  readRecord,
} from "./holder.ts";
import { flockHolderOf } from "./kernel_locks.ts";
import { type Claim, claimLink } from "./link_lock.ts";
import { networkFileSystemOf } from "./network_file_system.ts";
import type { HeldLock, SessionLock } from "./ports.ts";
import { MachineProcesses, type Processes, type ProcessFate } from "./processes.ts";
import { errorCode, reasonOf } from "./thrown.ts";

/** What a lock is made of; each part has the machine's own as its default. */
export interface FileLockOptions {
  fs?: FileSystem;
  processes?: Processes;
  /** null: as if the runtime had no flock. */
  flock?: Flock | null;
  /** The kind of network file system that a path lies on, if it does. */
  networkFileSystem?: (file: string) => string | undefined;
}

/** How the lock of a file stands, as far as a reader can tell without taking it. */
export type LockState =
  | { state: "free" }
  | { state: "held"; holder: LockHolder }
  /** A record whose process is gone, or that belongs to another file: it blocks nobody. */
  | { state: "stale"; path: string; holder: LockHolder }
  /** Its holder runs, or ran, on another host. */
  | { state: "elsewhere"; path: string; holder: LockHolder }
  /** What stands under the name of the lock file is not one. */
  | { state: "unreadable"; path: string };

/** Tells how locks stand, without taking one. */
export interface LockInspection {
  inspect(file: string): LockState;
}

function isSameFile(record: LockRecord, file: FileStat): boolean {
  return record.dev === file.dev && record.ino === file.ino;
}

/** The lock of session files on this machine. */
export class FileLock implements SessionLock, LockInspection {
  readonly #fs: FileSystem;
  readonly #processes: Processes;
  readonly #networkFileSystem: (file: string) => string | undefined;
  /** undefined until the first lock: opening the C library is not free. */
  #flock: Flock | null | undefined;

  constructor(options: FileLockOptions = {}) {
    this.#fs = options.fs ?? nodeFileSystem;
    this.#processes = options.processes ?? new MachineProcesses();
    this.#networkFileSystem = options.networkFileSystem ?? networkFileSystemOf;
    this.#flock = options.flock;
  }

  /**
   * Takes the lock of `file`, which is open for writing as `fd`, without waiting. Release it before
   * closing `fd`.
   *
   * @throws SessionError `busy` if another writer has it, or has just replaced the file;
   * `write_failed` where no lock can be trusted (a network file system).
   */
  acquire(file: string, fd: number): HeldLock {
    this.#refuseNetwork(file);
    const stat = this.#fs.stat(fd);
    if (!stat) throw new SessionError("write_failed", `Cannot lock ${file}: it is not open`);
    const flock = this.#tryFlock(file, fd);
    if (flock === "busy") throw this.#busy(file, this.#readableHolder(file, stat));
    if (flock === "replaced") throw replaced(file);
    const held = flock === "unsupported"
      ? this.#claimOrThrow(file, stat)
      : this.#recordFlock(file, stat, flock);
    try {
      this.#requireSamePath(file, stat);
    } catch (error) {
      held.release();
      throw error;
    }
    return held;
  }

  /** How the lock stands, without touching it. */
  inspect(file: string): LockState {
    const path = lockPathOf(this.#fs, file);
    const record = readRecord(this.#fs, path);
    const stat = this.#fs.stat(file);
    if (record === "unreadable") return { state: "unreadable", path };
    if (record === undefined) {
      const holder = stat && this.#kernelHolder(stat);
      return holder ? { state: "held", holder } : { state: "free" };
    }
    const holder = holderOf(record);
    const fate = stat ? this.#fateOfLock(record, stat) : "gone";
    switch (fate) {
      case "running":
        return { state: "held", holder };
      case "gone":
        return { state: "stale", path, holder };
      case "elsewhere":
        return { state: "elsewhere", path, holder };
    }
  }

  #refuseNetwork(file: string): void {
    const network = this.#networkFileSystem(this.#fs.realPath(file) ?? file);
    if (network === undefined) return;
    throw new SessionError(
      "write_failed",
      `Cannot write ${file}: it lies on a network file system (${network}), where another host ` +
        "could write it at the same time and no lock would tell. Keep sessions in a directory " +
        "on a local disk (sessionDir).",
      { file },
    );
  }

  #tryFlock(file: string, fd: number): FlockOutcome {
    if (this.#flock === undefined) this.#flock = openFlock(this.#fs) ?? null;
    return this.#flock?.(file, fd) ?? "unsupported";
  }

  /** The path may have been given to another file between its being opened and being locked. */
  #requireSamePath(file: string, locked: FileStat): void {
    const now = this.#fs.stat(file);
    if (!now) {
      throw new SessionError("write_failed", `Cannot write ${file}: it was deleted`, { file });
    }
    if (now.ino !== locked.ino || now.dev !== locked.dev) throw replaced(file);
  }

  /** Without flock: the lock file is the lock. */
  #claimOrThrow(file: string, stat: FileStat): HeldLock {
    const path = lockPathOf(this.#fs, file);
    const claim = this.#attempt("lock", file, () =>
      this.#claim(path, {
        record: makeRecord(this.#processes.self(), "link", stat),
        fateOf: (standing) => this.#fateOfStanding(standing, file, stat),
      }));
    switch (claim.kind) {
      case "held":
        return {
          release: () =>
            this.#attempt(
              "let others write (this process holds the lock until it ends)",
              file,
              () => claim.release(),
            ),
        };
      case "busy":
        throw this.#busy(file, claim);
      case "unreadable":
        throw new SessionError(
          "busy",
          `Cannot write ${file}: ${path} stands where its lock belongs, and cannot be read as ` +
            "one. If no other process is writing the session, delete it.",
          { file },
        );
    }
  }

  /** Says what a failing file system did to the lock. */
  #attempt<T>(what: string, file: string, operation: () => T): T {
    try {
      return operation();
    } catch (error) {
      if (error instanceof SessionError || errorCode(error) === undefined) throw error;
      const reason = reasonOf(error);
      throw new SessionError("write_failed", `Cannot ${what} ${file}: ${reason}`, {
        file,
        cause: error,
      });
    }
  }

  /** With flock: the lock is ours; what remains is to say so, and to heed a lock file that is one. */
  #recordFlock(file: string, stat: FileStat, flock: { unlock(): void }): HeldLock {
    let claim: Claim;
    try {
      claim = this.#claim(lockPathOf(this.#fs, file), {
        record: makeRecord(this.#processes.self(), "flock", stat),
        fateOf: (standing) => {
          const fate = this.#fateOfStanding(standing, file, stat);
          // A record of a flock blocks nobody: the flock itself would have.
          return standing.how === "flock" ? "gone" : fate;
        },
      });
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      // A full disk, a directory that we may not write, no hard links: the flock holds all the
      // same; others just cannot read whose it is. (A replaced file is seen by the caller.)
      return { release: () => flock.unlock() };
    }
    if (claim.kind === "busy") {
      flock.unlock();
      throw this.#busy(file, claim);
    }
    return {
      release() {
        try {
          if (claim.kind === "held") claim.release();
        } catch (error) {
          // A record that stays behind is stale and keeps nobody out.
          if (errorCode(error) === undefined) throw error;
        } finally {
          flock.unlock();
        }
      },
    };
  }

  #claim(
    path: string,
    request: { record: LockRecord; fateOf(standing: LockRecord): ProcessFate },
  ): Claim {
    return claimLink(this.#fs, path, {
      ...request,
      guardFateOf: (standing) => this.#processes.fateOf(standing),
      durable: request.record.how === "link",
    });
  }

  /**
   * Whether a standing record gives way. One of another file does; but not if that file is what the
   * path means by now: then it is our descriptor that is out of date.
   */
  #fateOfStanding(standing: LockRecord, file: string, locked: FileStat): ProcessFate {
    this.#requireSamePath(file, locked);
    return this.#fateOfLock(standing, locked);
  }

  #fateOfLock(record: LockRecord, file: FileStat): ProcessFate {
    return isSameFile(record, file) ? this.#processes.fateOf(record) : "gone";
  }

  /** Who holds a flock, by the record beside the file, else by the kernel's list. */
  #readableHolder(file: string, stat: FileStat): BusyWith {
    const record = readRecord(this.#fs, lockPathOf(this.#fs, file));
    if (record && record !== "unreadable" && this.#fateOfLock(record, stat) === "running") {
      return { by: record, fate: "running" };
    }
    const holder = this.#kernelHolder(stat);
    return holder ? { by: holder, fate: "running" } : { fate: "running" };
  }

  #kernelHolder(stat: FileStat): LockHolder | undefined {
    const holder = flockHolderOf(stat);
    return holder && { ...holder, host: this.#processes.self().host };
  }

  #busy(file: string, { by, fate }: BusyWith): SessionError {
    const holder = by && ("nonce" in by ? holderOf(by) : by);
    const advice = fate === "elsewhere"
      ? "Whether that process still runs cannot be seen from here. If it does not, delete " +
        `${lockPathOf(this.#fs, file)}.`
      : "Wait until it is done, or go on in a fork of the session.";
    return new SessionError(
      "busy",
      `Cannot write ${file}: ${describeHolder(holder)} is writing it. ${advice}`,
      { file, ...holder && { holder } },
    );
  }
}

interface BusyWith {
  by?: LockRecord | LockHolder;
  fate: ProcessFate;
}

function replaced(file: string): SessionError {
  return new SessionError(
    "busy",
    `Cannot write ${file}: another process replaced it at this moment. Try again.`,
    { file },
  );
}
