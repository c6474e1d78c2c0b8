/**
 * The file that a session's lines go to. Invariants: an append is one write of whole lines by the
 * holder of the lock; after a failed one the file ends where it ended before, or its half line is
 * closed off by the next; nothing is written to a file that is not what was left.
 */
import { Buffer } from "node:buffer";
import * as path from "node:path";
import { type ByteSource, fileSource, memorySource } from "./byte_source.ts";
import { SessionError } from "./errors.ts";
import type { Descriptor, FileStat, FileSystem } from "./file_system.ts";
import { KeptEntryError } from "./kept_entry.ts";
import type { HeldLock, SessionLock } from "./ports.ts";
import { directoriesToSync, syncDirectories } from "./synced_directories.ts";
import { takeBack, tryWrite } from "./write_attempt.ts";

const LF = Buffer.from("\n");
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

/** What follows from a failure, or can be done about it. */
const NOT_SAVED = "what was said since is not saved";
const FORK_IT = "go on in a fork of it, or make it writable";
const ELSEWHERE = "keep sessions in another directory (sessionDir), or in memory only";

/** What a log needs of the world. */
export interface LogPorts {
  fs: FileSystem;
  lock: SessionLock;
}

/** What a file is to begin with. */
export interface FilePlan {
  /** Its header, and what follows it from the start. */
  first?: Buffer;
  /** An empty file is there already. */
  adopts?: boolean;
  /** Released once the file is made. */
  reservation?: HeldLock;
}

/** A session file, to be made, to be read, or being written. */
export class SessionLog {
  readonly file: string;
  readonly #ports: LogPorts;
  /** Lines that wait for the file to be made; undefined once it has them. */
  #waiting: Buffer | undefined;
  /** The file exists, empty, and is to become this session. */
  #adopts: boolean;
  #fd: Descriptor | undefined;
  #held: HeldLock | undefined;
  #stat: FileStat | undefined;
  #size = 0;
  /** The file's last line lacks its LF. */
  #unterminated = false;
  /** Why no append can succeed any more. */
  #failure: SessionError | undefined;
  /** Keeps the session's id until its file is there to be found. */
  #reservation: HeldLock | undefined;

  private constructor(file: string, ports: LogPorts, plan: FilePlan = {}) {
    this.file = file;
    this.#ports = ports;
    this.#waiting = plan.first;
    this.#adopts = plan.adopts ?? false;
    this.#reservation = plan.reservation;
  }

  /** A file to be made once it has something to say. */
  static toBeMade(file: string, plan: FilePlan & { first: Buffer }, ports: LogPorts): SessionLog {
    return new SessionLog(file, ports, plan);
  }

  /** A file that is there, open for reading as `fd`. */
  static existing(file: string, fd: Descriptor, stat: FileStat, ports: LogPorts): SessionLog {
    const log = new SessionLog(file, ports);
    log.#fd = fd;
    log.#setStat(stat);
    return log;
  }

  /** Whether lines wait for the file to be made. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** All bytes, those that wait included. */
  source(): ByteSource {
    if (this.#waiting) return memorySource(this.#waiting);
    const size = this.#size;
    // By the descriptor of the moment: the one for reading is closed once there is one for writing.
    return {
      size,
      read: (start, end, scratch) => {
        if (this.#fd !== undefined) {
          return fileSource(this.#ports.fs, this.#fd, size).read(start, end, scratch);
        }
        throw new SessionError("closed", `Cannot read session ${this.file}: it was closed`);
      },
    };
  }

  /** Adds lines to those that wait. @returns the offset at which they will stand. */
  hold(lines: Buffer): number {
    const waiting = this.#waiting ?? Buffer.alloc(0);
    this.#waiting = Buffer.concat([waiting, lines]);
    return waiting.length;
  }

  /**
   * Takes the lock, if it is not held, and looks whether the file is what was left.
   *
   * @returns whether others have added whole lines, which are part of `source()` from now on.
   * @throws SessionError `busy`, or `write_failed` if the file is gone, another, or shorter.
   */
  prepare(): boolean {
    if (this.#failure) throw this.#failure;
    if (this.#waiting) return false;
    if (!this.#held) this.#openForWriting();
    return this.#readChange();
  }

  /** Writes lines at the end. @returns the offset at which they stand. */
  append(lines: Buffer, sync: boolean): number {
    if (this.#waiting) {
      return this.#make(Buffer.concat([this.#waiting, lines]), sync) - lines.length;
    }
    const fd = this.#writable();
    const bytes = this.#unterminated ? Buffer.concat([LF, lines]) : lines;
    const before = this.#size;
    const failure = tryWrite(this.#ports.fs, fd, { bytes, sync });
    if (failure) {
      const kept = this.#takeBack(fd, before, bytes.length);
      const error = this.#writeFailed(failure.reason, failure.cause);
      if (!kept) throw error;
      // The line's own LF is all that is missing: it is owed to the next append.
      if (failure.afterWrite) throw new KeptEntryError(error, before + bytes.length - lines.length);
    } else {
      this.#size = before + bytes.length;
      this.#unterminated = false;
    }
    return before + bytes.length - lines.length;
  }

  /** Lets go of the lock and the file. */
  close(): void {
    const [held, fd] = [this.#held, this.#fd];
    this.#held = this.#fd = undefined;
    this.#endReservation();
    try {
      held?.release();
    } finally {
      if (fd !== undefined) this.#ports.fs.close(fd);
    }
  }

  #endReservation(): void {
    const reservation = this.#reservation;
    this.#reservation = undefined;
    reservation?.release();
  }

  #setStat(stat: FileStat): void {
    this.#stat = stat;
    this.#size = stat.size;
    this.#unterminated = stat.size > 0 && !this.source().read(stat.size - 1, stat.size).equals(LF);
  }

  #writable(): Descriptor {
    if (this.#fd === undefined || !this.#held) throw new Error("append() without prepare()");
    return this.#fd;
  }

  #writeFailed(reason: string, cause?: unknown, advice = NOT_SAVED): SessionError {
    const detail = cause instanceof Error ? `${reason}: ${cause.message}` : reason;
    return new SessionError(
      "write_failed",
      `Cannot write session ${this.file}: ${detail}; ${advice}`,
      { file: this.file, cause },
    );
  }

  #openForWriting(): void {
    const { fs, lock } = this.#ports;
    const fd = this.#attempt(
      "it cannot be opened for writing",
      () => fs.open(this.file, "a"),
      FORK_IT,
    );
    try {
      const stat = fs.stat(fd);
      if (!stat || stat.ino !== this.#stat?.ino || stat.dev !== this.#stat.dev) {
        throw this.#writeFailed("another file has taken its place");
      }
      this.#held = lock.acquire(this.file, fd);
    } catch (error) {
      fs.close(fd);
      throw error;
    }
    if (this.#fd !== undefined) fs.close(this.#fd);
    this.#fd = fd;
  }

  #attempt<T>(reason: string, operation: () => T, advice = NOT_SAVED): T {
    try {
      return operation();
    } catch (error) {
      throw this.#writeFailed(reason, error, advice);
    }
  }

  #readChange(): boolean {
    const { fs } = this.#ports;
    const stat = this.#attempt("it cannot be looked at", () => fs.stat(this.file));
    if (!stat) throw this.#writeFailed("it was deleted or moved");
    if (stat.ino !== this.#stat?.ino || stat.dev !== this.#stat.dev) {
      throw this.#writeFailed("another file has taken its place");
    }
    if (stat.size === this.#size) return false;
    if (stat.size < this.#size) throw this.#writeFailed("something has cut it short");
    const last = fileSource(fs, this.#writable(), stat.size).read(stat.size - 1, stat.size);
    if (!last.equals(LF)) {
      throw this.#writeFailed("another program has written half a line to it");
    }
    this.#size = stat.size;
    this.#unterminated = false;
    return true;
  }

  /**
   * Takes back what a failed append wrote; where that fails, too, the half line stays.
   *
   * @returns whether the line is whole in the file all the same.
   */
  #takeBack(fd: Descriptor, before: number, length: number): boolean {
    const size = takeBack(this.#ports.fs, fd, { before, length });
    // What others have put behind it is read in before the next append, ours with it if it is whole.
    if (size <= before || size > before + length) return false;
    this.#size = size;
    this.#unterminated = size !== before + length;
    return size >= before + length - 1;
  }

  /** Makes the file with all that waited. @returns its size. */
  #make(bytes: Buffer, sync: boolean): number {
    const { fs, lock } = this.#ports;
    const directory = path.dirname(this.file);
    const named = this.#adopts ? [] : directoriesToSync(fs, directory);
    const fd = this.#attempt("it cannot be made", () => {
      if (this.#adopts) return fs.open(this.file, "a");
      fs.makeDirectory(directory, DIRECTORY_MODE);
      return fs.open(this.file, "ax", FILE_MODE);
    }, ELSEWHERE);
    let isOurs = false;
    try {
      this.#held = lock.acquire(this.file, fd);
      if (fs.stat(fd)?.size !== 0) throw this.#writeFailed("it is not empty any more");
      isOurs = true;
      const failure = tryWrite(fs, fd, { bytes, sync });
      if (failure) throw this.#writeFailed(failure.reason, failure.cause);
      if (sync) {
        this.#attempt("its directory did not reach the disk", () => syncDirectories(fs, named));
      }
    } catch (error) {
      const isTaken = error instanceof SessionError && error.code === "busy";
      this.#unmake(fd, isOurs || (!this.#adopts && !isTaken && fs.stat(fd)?.size === 0));
      throw error;
    }
    this.#fd = fd;
    this.#waiting = undefined;
    this.#endReservation();
    const stat = fs.stat(fd);
    if (stat) this.#setStat(stat);
    return bytes.length;
  }

  /** Leaves nothing of a file that could not be made; what others have put there is theirs. */
  #unmake(fd: Descriptor, isOurs: boolean): void {
    const { fs } = this.#ports;
    try {
      if (isOurs && this.#adopts) fs.truncate(fd, 0);
      else if (isOurs) fs.remove(this.file);
    } catch (cause) {
      this.#failure = this.#writeFailed("a half-made file could not be taken back", cause);
    }
    this.#held?.release();
    this.#held = undefined;
    fs.close(fd);
  }
}
