/** Reading stdin by the rules of what it is (`docs/cli.md`, "stdin"). */
import { isUtf8 } from "node:buffer";
import * as fs from "node:fs";
import type { Timer } from "../../agent/mod.ts";
import type { StdinChoice } from "../command_line/run_options.ts";
import { isTerminal } from "../terminal.ts";
import { UsageError } from "./exit_codes.ts";
import { errorCode } from "../../session/mod.ts";

/** What stdin is. `none`: closed, or a device such as `/dev/null`. */
export type StdinKind = "terminal" | "none" | "file" | "pipe" | "socket";

/** stdin, as a port. */
export interface StdinSource {
  readonly kind: StdinKind;
  /** The next bytes; undefined at the end. */
  read(): Promise<Uint8Array | undefined>;
}

/** What came of reading. */
export interface StdinData {
  /** Absent if there is none, or only blanks. */
  readonly text?: string;
  /** Nothing came in the time that it was given. */
  readonly timedOut: boolean;
  readonly warnings: readonly string[];
}

/** How to read. */
export interface StdinOptions {
  readonly choice: StdinChoice;
  readonly maxBytes: number;
  /** There is a prompt without it, so it is not awaited for ever. */
  readonly hasPrompt: boolean;
  readonly timer: Timer;
  readonly signal: AbortSignal;
  /** Tells a person why nothing happens. */
  notice(text: string): void;
}

const NOTICE_MS = 1_000;
/** A socket is how programs hand a child a stdin that they do not use. */
const WAIT_MS = { socket: 3_000, pipe: 30_000 } as const;

const NO_DATA: StdinData = { timedOut: false, warnings: [] };

/** Reads stdin if it is to be read. Throws a `UsageError` if it is too much or cannot be read. */
export async function readStdin(source: StdinSource, options: StdinOptions): Promise<StdinData> {
  if (options.choice === "skip") return NO_DATA;
  if (source.kind === "terminal" && options.choice === "read") {
    throw new UsageError(
      "Cannot read stdin: it is a terminal; pipe the data in, or give it as a prompt",
    );
  }
  if (source.kind === "terminal" || source.kind === "none") return NO_DATA;
  const first = source.kind === "file" ? await source.read() : await awaitFirst(source, options);
  if (first === "timed out") {
    const kind = source.kind === "socket" ? "socket" : "pipe";
    const warning = `Nothing came on stdin within ${WAIT_MS[kind] / 1000} s: going on without it ` +
      "(--no-stdin does not wait, --stdin waits to its end)";
    return { timedOut: true, warnings: [warning] };
  }
  return first ? decode(await readAll(first, source, options)) : NO_DATA;
}

/** The first bytes, which may take a while, or never come. */
async function awaitFirst(
  source: StdinSource,
  options: StdinOptions,
): Promise<Uint8Array | undefined | "timed out"> {
  const { timer } = options;
  const kind = source.kind === "socket" ? "socket" : "pipe";
  const waitMs = options.choice === "read" || !options.hasPrompt ? Infinity : WAIT_MS[kind];
  const arrived = new AbortController();
  const signal = AbortSignal.any([options.signal, arrived.signal]);
  const patience = async (): Promise<"timed out" | undefined> => {
    await timer.sleep(NOTICE_MS, signal);
    if (!signal.aborted) options.notice(waitingNotice(kind, waitMs));
    if (waitMs === Infinity) await whenAborted(signal);
    else await timer.sleep(waitMs - NOTICE_MS, signal);
    return signal.aborted ? undefined : "timed out";
  };
  try {
    return await Promise.race([source.read(), patience()]);
  } finally {
    arrived.abort();
  }
}

function waitingNotice(kind: "socket" | "pipe", waitMs: number): string {
  return waitMs === Infinity
    ? `Waiting for data on stdin (a ${kind}) until it ends; --no-stdin does not read it`
    : `Waiting for data on stdin (a ${kind}), ${waitMs / 1000} s at most; ` +
      "--no-stdin does not wait, --stdin waits to its end";
}

/** Resolves when the signal aborts. */
function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

async function readAll(
  first: Uint8Array,
  source: StdinSource,
  options: StdinOptions,
): Promise<Uint8Array> {
  const stopped = whenAborted(options.signal).then(() => undefined);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (
    let chunk: Uint8Array | undefined = first;
    chunk;
    chunk = await Promise.race([source.read(), stopped])
  ) {
    size += chunk.length;
    if (size > options.maxBytes) {
      throw new UsageError(
        `Cannot read stdin: there are more than ${options.maxBytes} bytes; ` +
          "raise the limit with --stdin-max, or name the file in the prompt",
      );
    }
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

function decode(bytes: Uint8Array): StdinData {
  // A byte-order mark at the start is dropped by the decoder.
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === "") return NO_DATA;
  return {
    text,
    timedOut: false,
    warnings: isUtf8(bytes)
      ? []
      : ["stdin is not all UTF-8: what could not be decoded was replaced by U+FFFD"],
  };
}

const CHUNK_BYTES = 65_536;
/** How long to wait when a descriptor that must not be waited on has nothing. */
const EMPTY_WAIT_MS = 20;

function kindOf(fd: number): StdinKind {
  if (isTerminal(fd)) return "terminal";
  try {
    const stat = fs.fstatSync(fd);
    if (stat.isFIFO()) return "pipe";
    if (stat.isSocket()) return "socket";
    return stat.isCharacterDevice() ? "none" : "file";
  } catch (error) {
    if (errorCode(error) === "EBADF") return "none";
    throw error;
  }
}

/** The process's own stdin. It is read beside the program, so that a signal is heard meanwhile. */
export function processStdin(): StdinSource {
  const attempt = () =>
    new Promise<Uint8Array | undefined>((resolve, reject) => {
      const target = new Uint8Array(CHUNK_BYTES);
      fs.read(0, target, 0, target.length, null, (error, length) => {
        if (error) reject(error);
        else resolve(length > 0 ? target.subarray(0, length) : undefined);
      });
    });
  return {
    kind: kindOf(0),
    async read() {
      for (;;) {
        try {
          return await attempt();
        } catch (error) {
          const code = errorCode(error);
          // A socket whose other end is gone has ended.
          if (code === "EOF" || code === "ECONNRESET") return undefined;
          if (code !== "EAGAIN") {
            throw new UsageError(`Cannot read stdin: ${code ?? error}`, { cause: error });
          }
          await new Promise((resolve) => setTimeout(resolve, EMPTY_WAIT_MS));
        }
      }
    },
  };
}
