/**
 * Writing to stdout and stderr. Nothing blocks the program: a reader that is slow, or has stopped,
 * must not keep it from hearing a signal. `process.stdout` is not used, because it costs a third of
 * a short run's start and cuts what is queued at the end.
 */
import * as fs from "node:fs";
import { isTerminal } from "../terminal.ts";
import { harmless } from "./terminal_text.ts";

/** Takes bytes; resolves with how many were taken. Rejects with the system's error. */
export interface ByteWriter {
  write(bytes: Uint8Array): Promise<number>;
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

  /** Resolves when not too much is waiting for the reader, or when the signal aborts. */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length <= WAITING_CHARACTERS_MAX || signal.aborted) return;
    const stopped = Promise.withResolvers<void>();
    const stop = () => stopped.resolve();
    signal.addEventListener("abort", stop, { once: true });
    await Promise.race([this.drain(), stopped.promise]);
    signal.removeEventListener("abort", stop);
  }

  /** Resolves when all is written, or cannot be. */
  async drain(): Promise<void> {
    while (this.#pumping) await this.#pumping;
    if (this.#waiting === "" || this.#error) return;
    // Half a character, whose other half did not come.
    const rest = this.#waiting;
    this.#waiting = "";
    await this.#writeAll(rest);
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
      while (rest.length > 0) rest = rest.subarray(await this.#writer.write(rest));
    } catch (error) {
      this.#error = error instanceof Error ? error : new Error(String(error));
      this.#waiting = "";
      this.#onError(this.#error);
    }
  }
}

/** The system's name of an error, such as `EPIPE`. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
}

/** A descriptor; its writes happen beside the program. */
export function descriptorWriter(fd: number): ByteWriter {
  const attempt = (bytes: Uint8Array) =>
    new Promise<number>((resolve, reject) => {
      fs.write(fd, bytes, 0, bytes.length, null, (error, written) => {
        if (error) reject(error);
        else resolve(written);
      });
    });
  return {
    async write(bytes) {
      for (;;) {
        try {
          return await attempt(bytes);
        } catch (error) {
          if (systemCode(error) !== "EAGAIN") throw error;
          await new Promise((resolve) => setTimeout(resolve, FULL_WAIT_MS));
        }
      }
    },
  };
}

/** stdout or stderr. */
export function openSink(fd: 1 | 2, onError?: (error: Error) => void): Sink {
  return new Sink(descriptorWriter(fd), {
    isTerminal: isTerminal(fd),
    ...(onError ? { onError } : {}),
  });
}
