/**
 * Writing to stdout and stderr. Nothing blocks the program: a reader that is slow, or has stopped,
 * must not keep it from hearing a signal. `process.stdout` is not used, because it costs a third of
 * a short run's start and cuts what is queued at the end.
 */
import * as fs from "node:fs";
import { isTerminal } from "../terminal.ts";
import { harmless, harmlessJson } from "./terminal_text.ts";
import { errorCode } from "../../session/mod.ts";

/** Takes bytes; resolves with how many were taken. Rejects with the system's error. */
export interface ByteWriter {
  /** `isAwaited`: the program does nothing else meanwhile. */
  write(bytes: Uint8Array, isAwaited: boolean): Promise<number>;
}

/** While more than this waits for the reader, `ready()` makes the run wait, too. */
const WAITING_CHARACTERS_MAX = 1_000_000;
/** How long to wait when a descriptor that must not be waited on is full. */
const FULL_WAIT_MS = 5;

const HIGH_SURROGATE_AT_END = /[\ud800-\udbff]$/;

/**
 * Text on its way to a descriptor, in order.
 *
 * Invariant: at most one write is under way; after an error nothing more is written, and `onError`
 * has heard of it once.
 */
export class Sink {
  readonly isTerminal: boolean;
  readonly #writer: ByteWriter;
  readonly #onError: (error: Error) => void;
  #waiting = "";
  #pumping: Promise<void> | undefined;
  /** How many wait for all to be written. */
  #drains = 0;
  #error: Error | undefined;

  constructor(
    writer: ByteWriter,
    options: { isTerminal: boolean; onError?: (error: Error) => void },
  ) {
    this.#writer = writer;
    this.isTerminal = options.isTerminal;
    this.#onError = options.onError ?? (() => {});
  }

  /** What ended the writing, if something did. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** Whether so much waits for the reader that what is drawn anew all the time had better wait. */
  get isBehind(): boolean {
    return this.#waiting.length > WAITING_CHARACTERS_MAX / 10;
  }

  /** Writes text of our own, as it stands. */
  write(text: string): void {
    if (this.#error || text === "") return;
    this.#waiting += text;
    this.#pumping ??= this.#pump();
  }

  /** Writes text from elsewhere: as it stands into a file or a pipe, harmless on a terminal. */
  show(text: string): void {
    this.write(this.isTerminal ? harmless(text) : text);
  }

  /** Writes a value as JSON on a line of its own; on a terminal harmlessly. */
  record(value: unknown): void {
    const json = JSON.stringify(value);
    this.write(`${this.isTerminal ? harmlessJson(json) : json}\n`);
  }

  /** Resolves when not too much is waiting for the reader, or when the signal aborts. */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length > WAITING_CHARACTERS_MAX) await this.drainUnless(signal);
  }

  /** Resolves when all is written, or cannot be, or when the signal aborts. */
  async drainUnless(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const stopped = Promise.withResolvers<void>();
    const stop = () => stopped.resolve();
    signal.addEventListener("abort", stop, { once: true });
    await Promise.race([this.drain(), stopped.promise]);
    signal.removeEventListener("abort", stop);
  }

  /** Resolves when all is written, or cannot be. */
  async drain(): Promise<void> {
    this.#drains++;
    while (this.#pumping) await this.#pumping;
    if (this.#waiting !== "" && !this.#error) {
      // Half a character, whose other half did not come.
      const rest = this.#waiting;
      this.#waiting = "";
      await this.#writeAll(rest);
    }
    this.#drains--;
  }

  async #pump(): Promise<void> {
    // What is written in one go of the program goes out together.
    await Promise.resolve();
    for (let text = this.#take(); text !== ""; text = this.#take()) await this.#writeAll(text);
    this.#pumping = undefined;
  }

  /** What can be written now: all but half a character at the end. */
  #take(): string {
    const text = this.#waiting;
    const end = HIGH_SURROGATE_AT_END.test(text) ? text.length - 1 : text.length;
    this.#waiting = text.slice(end);
    return this.#error ? "" : text.slice(0, end);
  }

  async #writeAll(text: string): Promise<void> {
    let rest: Uint8Array = new TextEncoder().encode(text);
    try {
      while (rest.length > 0) {
        rest = rest.subarray(await this.#writer.write(rest, this.#drains > 0));
      }
    } catch (error) {
      this.#error = error instanceof Error ? error : new Error(String(error));
      this.#waiting = "";
      this.#onError(this.#error);
    }
  }
}

/**
 * A descriptor; its writes happen beside the program. One that is awaited is first tried in the
 * program itself, without waiting for a reader: a write beside it costs the start of two threads.
 */
function descriptorWriter(fd: number): ByteWriter {
  const attempt = (bytes: Uint8Array) =>
    new Promise<number>((resolve, reject) => {
      fs.write(fd, bytes, 0, bytes.length, null, (error, written) => {
        if (error) reject(error);
        else resolve(written);
      });
    });
  let unwaiting: number | undefined | "not opened" = "not opened";
  return {
    async write(bytes, isAwaited) {
      if (isAwaited) {
        if (unwaiting === "not opened") unwaiting = openUnwaiting(fd);
        const written = unwaiting === undefined ? undefined : writeNow(unwaiting, bytes);
        if (written !== undefined) return written;
      }
      for (;;) {
        try {
          return await attempt(bytes);
        } catch (error) {
          if (errorCode(error) !== "EAGAIN") throw error;
          await new Promise((resolve) => setTimeout(resolve, FULL_WAIT_MS));
        }
      }
    },
  };
}

/** Writes what there is room for; undefined if there is none. */
function writeNow(unwaiting: number, bytes: Uint8Array): number | undefined {
  try {
    return fs.writeSync(unwaiting, bytes);
  } catch (error) {
    if (errorCode(error) === "EAGAIN") return undefined;
    throw error;
  }
}

/**
 * A descriptor for the same place whose writes never wait: that of a file or of a device that is no
 * terminal, or the pipe opened once more. (To make the pipe's own descriptor such a one would make it
 * so for every process that shares it.) Undefined where there is none.
 */
function openUnwaiting(fd: number): number | undefined {
  // Deno does not tell how much a write took that could not take all.
  if (process.platform !== "linux" || process.versions.bun === undefined) return undefined;
  try {
    const stat = fs.fstatSync(fd);
    if (stat.isFile()) return fd;
    if (stat.isCharacterDevice()) return isTerminal(fd) ? undefined : fd;
    const { O_WRONLY, O_NONBLOCK } = fs.constants;
    return stat.isFIFO() ? fs.openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK) : undefined;
  } catch {
    // No /proc, or a pipe of another user: the write beside the program tells what is wrong.
    return undefined;
  }
}

/** stdout or stderr. */
export function openSink(fd: 1 | 2, onError?: (error: Error) => void): Sink {
  return new Sink(descriptorWriter(fd), {
    isTerminal: isTerminal(fd),
    ...(onError ? { onError } : {}),
  });
}
