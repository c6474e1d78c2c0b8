/** A disk that fails when a test says so, and that tells what was asked of it. */
import * as path from "node:path";
import {
  type Descriptor,
  type FileStat,
  type FileSystem,
  nodeFileSystem,
} from "../../lib/session/file_system.ts";

/**
 * How an operation fails. `short`: a write takes half of the bytes and says so, as a full disk does.
 * `torn`: it takes half and then throws. `lost`: the operation is done, and then throws (an error
 * that came too late).
 */
export type Failure = "EIO" | "ENOSPC" | "EACCES" | "short" | "torn" | "lost";

/** Operations that change the disk; only these are counted and fail. */
export const OPERATIONS = [
  "create",
  "write",
  "sync",
  "syncDirectory",
  "truncate",
  "changeMode",
  "makeDirectory",
  "rename",
  "link",
  "remove",
] as const;

export type Operation = typeof OPERATIONS[number];

export interface Fault {
  /** The number of the counted operation, from 1. */
  at: number;
  failure: Failure;
  /** All later operations fail, too: with EIO (a disk that is gone), or by `Killed`. */
  then?: "works" | "fails" | "killed";
  /** Only these operations are counted; all by default. */
  of?: readonly Operation[];
}

/** Stands for the end of the process: nothing that it does later reaches the disk. */
export class Killed extends Error {
  override readonly name = "Killed";
}

function systemError(code: string, operation: string): Error {
  return Object.assign(new Error(`${code}: injected, ${operation}`), { code });
}

const NONCE = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The disk of `base` with at most one fault, and a trace of what changed it, in order. */
export class FaultyFileSystem implements FileSystem {
  /** Such as `write s.jsonl session, message`; names without their directories. */
  readonly trace: string[] = [];
  readonly #base: FileSystem;
  readonly #names = new Map<Descriptor, string>();
  #fault: Fault | undefined;
  #counted = 0;
  #dead: "fails" | "killed" | undefined;

  constructor(fault?: Fault, base: FileSystem = nodeFileSystem) {
    this.#fault = fault;
    this.#base = base;
  }

  /** How many operations were counted so far. */
  get counted(): number {
    return this.#counted;
  }

  /** Whether the fault has come. */
  get hasFailed(): boolean {
    return this.#fault !== undefined && this.#counted >= this.#fault.at;
  }

  /** Works again; the trace and the count begin anew, with another fault if one is given. */
  mend(fault?: Fault): void {
    this.#fault = fault;
    this.#dead = undefined;
    this.#counted = 0;
    this.trace.length = 0;
  }

  /** Closes what a killed process would have left to the kernel to close. */
  closeAll(): void {
    for (const fd of this.#names.keys()) this.#base.close(fd);
    this.#names.clear();
  }

  #change<T>(operation: Operation, text: string, run: () => T, half?: () => T): T {
    if (this.#dead === "killed") throw new Killed();
    this.trace.push(`${operation} ${text}`.replaceAll(NONCE, "<nonce>"));
    if (this.#dead === "fails") throw systemError("EIO", operation);
    const fault = this.#fault;
    if (!fault || (fault.of && !fault.of.includes(operation))) return run();
    if (++this.#counted !== fault.at) return run();
    if (fault.then === "fails" || fault.then === "killed") this.#dead = fault.then;
    return this.#fail(fault, operation, run, half);
  }

  #fail<T>(fault: Fault, operation: Operation, run: () => T, half: (() => T) | undefined): T {
    const error = fault.then === "killed" ? new Killed() : undefined;
    switch (fault.failure) {
      case "EIO":
      case "ENOSPC":
      case "EACCES":
        throw error ?? systemError(fault.failure, operation);
      case "short": {
        const taken = half ? half() : run();
        if (error) throw error;
        return taken;
      }
      case "torn":
        half?.();
        throw error ?? systemError("ENOSPC", operation);
      case "lost":
        run();
        throw error ?? systemError("EIO", operation);
    }
  }

  #name(fd: Descriptor): string {
    return this.#names.get(fd) ?? `descriptor ${fd}`;
  }

  open(file: string, mode: "r" | "a" | "ax" | "wx", permissions?: number): Descriptor {
    if (this.#dead === "killed") throw new Killed();
    const open = () => this.#base.open(file, mode, permissions);
    const name = path.basename(file);
    if (mode === "a") this.trace.push(`open ${name}`);
    const fd = mode === "r" || mode === "a" ? open() : this.#change("create", name, open);
    this.#names.set(fd, path.basename(file));
    return fd;
  }

  close(fd: Descriptor): void {
    this.#base.close(fd);
    this.#names.delete(fd);
  }

  read(
    fd: Descriptor,
    target: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): number {
    return this.#base.read(fd, target, offset, length, position);
  }

  write(fd: Descriptor, bytes: Uint8Array): number {
    const half = () => {
      const part = bytes.subarray(0, Math.floor(bytes.length / 2));
      return part.length === 0 ? 0 : this.#base.write(fd, part);
    };
    const text = `${this.#name(fd)} ${linesIn(bytes)}`;
    return this.#change("write", text, () => this.#base.write(fd, bytes), half);
  }

  sync(fd: Descriptor): void {
    this.#change("sync", this.#name(fd), () => this.#base.sync(fd));
  }

  syncDirectory(directory: string): void {
    const text = path.basename(directory);
    this.#change("syncDirectory", text, () => this.#base.syncDirectory(directory));
  }

  truncate(fd: Descriptor, size: number): void {
    this.#change("truncate", this.#name(fd), () => this.#base.truncate(fd, size));
  }

  stat(target: string | Descriptor): FileStat | undefined {
    return this.#base.stat(target);
  }

  list(directory: string): string[] {
    return this.#base.list(directory);
  }

  changeMode(target: string | Descriptor, permissions: number): void {
    const name = typeof target === "number" ? this.#name(target) : path.basename(target);
    const text = `${name} ${permissions.toString(8)}`;
    this.#change("changeMode", text, () => this.#base.changeMode(target, permissions));
  }

  makeDirectory(directory: string, permissions: number): void {
    const text = `${path.basename(directory)} ${permissions.toString(8)}`;
    const make = () => this.#base.makeDirectory(directory, permissions);
    this.#change("makeDirectory", text, make);
  }

  rename(from: string, to: string): void {
    const text = `${path.basename(from)} to ${path.basename(to)}`;
    this.#change("rename", text, () => this.#base.rename(from, to));
  }

  link(from: string, to: string): void {
    const text = `${path.basename(from)} as ${path.basename(to)}`;
    this.#change("link", text, () => this.#base.link(from, to));
  }

  remove(file: string): void {
    this.#change("remove", path.basename(file), () => this.#base.remove(file));
  }

  realPath(file: string): string | undefined {
    return this.#base.realPath(file);
  }
}

/** The types of the entries in written bytes; for other text, how many bytes. */
function linesIn(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  if (text === "\n") return "a line end";
  const types = text.split("\n").filter((line) => line !== "").map((line) => {
    const role = /"message":\{"role":"(\w+)"/.exec(line)?.[1];
    const type = /^\{"type":"(\w+)"/.exec(line)?.[1];
    return role ?? type ?? "text";
  });
  const lead = text.startsWith("\n") ? "a line end, " : "";
  return lead + types.join(", ");
}
