/** What was typed in all sessions, kept in `<home>/history`: a JSON string a line. */
import { Buffer } from "node:buffer";
import * as path from "node:path";
import { errorCode, type FileSystem, nodeFileSystem, writeAll } from "../../../session/mod.ts";

/** How many inputs are kept in memory. */
const INPUTS_MAX = 1_000;
/** How much of the file's end is read, and left when the file has grown to twice that. */
const BYTES_MAX = 1_000_000;

/**
 * The inputs of a person, oldest first. A failing disk costs the history and nothing else: it is
 * told once.
 */
export class History {
  readonly #file: string;
  readonly #fs: FileSystem;
  readonly #onError: (error: unknown) => void;
  readonly #inputs: string[];
  #failed = false;

  /** Reads the history of a home. */
  constructor(
    options: { home: string; fs?: FileSystem; onError?: (error: unknown) => void },
  ) {
    this.#file = path.join(options.home, "history");
    this.#fs = options.fs ?? nodeFileSystem;
    this.#onError = options.onError ?? (() => {});
    this.#inputs = this.#attempt(() => this.#load()) ?? [];
  }

  get inputs(): readonly string[] {
    return this.#inputs;
  }

  /** Keeps an input, unless it is the last one again or begins with a blank. */
  add(input: string): void {
    if (input.trim() === "" || input.startsWith(" ") || input === this.#inputs.at(-1)) return;
    this.#inputs.push(input);
    if (this.#inputs.length > INPUTS_MAX) this.#inputs.shift();
    this.#attempt(() => this.#append(input));
  }

  #load(): string[] {
    const size = this.#fs.stat(this.#file)?.size ?? 0;
    if (size === 0) return [];
    const lines = this.#tail(size).split("\n").filter((line) => line !== "");
    if (size > 2 * BYTES_MAX) this.#shorten(lines);
    return lines.map(inputOf).filter((input) => input !== undefined).slice(-INPUTS_MAX);
  }

  /** The whole lines at the file's end. */
  #tail(size: number): string {
    const fd = this.#fs.open(this.#file, "r");
    try {
      const bytes = new Uint8Array(Math.min(size, BYTES_MAX));
      const count = this.#fs.read(fd, bytes, 0, bytes.length, size - bytes.length);
      const text = new TextDecoder().decode(bytes.subarray(0, count));
      return size > BYTES_MAX ? text.slice(text.indexOf("\n") + 1) : text;
    } finally {
      this.#fs.close(fd);
    }
  }

  #shorten(lines: readonly string[]): void {
    const fresh = `${this.#file}.${process.pid}`;
    this.#fs.remove(fresh);
    const fd = this.#fs.open(fresh, "wx", 0o600);
    try {
      writeAll(this.#fs, fd, Buffer.from(lines.map((line) => `${line}\n`).join("")));
    } finally {
      this.#fs.close(fd);
    }
    this.#fs.rename(fresh, this.#file);
  }

  #append(input: string): void {
    const fd = this.#open();
    try {
      writeAll(this.#fs, fd, Buffer.from(`${JSON.stringify(input)}\n`));
    } finally {
      this.#fs.close(fd);
    }
  }

  #open(): number {
    try {
      return this.#fs.open(this.#file, "a");
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
    }
    this.#fs.makeDirectory(path.dirname(this.#file), 0o700);
    try {
      return this.#fs.open(this.#file, "ax", 0o600);
    } catch (error) {
      // Another process made it in between.
      if (errorCode(error) !== "EEXIST") throw error;
      return this.#fs.open(this.#file, "a");
    }
  }

  #attempt<T>(task: () => T): T | undefined {
    if (this.#failed) return undefined;
    try {
      return task();
    } catch (error) {
      this.#failed = true;
      this.#onError(error);
      return undefined;
    }
  }
}

/** The input of a line; undefined for a line that was cut or is none of ours. */
function inputOf(line: string): string | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
