/** One request and its answer, for every wire format: nothing here throws, hangs or leaves a trace. */
import {
  type Model,
  ModelError,
  type ModelEvent,
  type ModelFacts,
  type ModelRequest,
} from "../model.ts";
import { systemTimer, type Timer } from "../timer.ts";
import { Answer } from "./answer.ts";
import { modelErrorFrom, shownUrl } from "./errors.ts";
import { hasImages, withoutImages } from "./images.ts";
import { type SseEvent, SseParser } from "./sse.ts";
import { STOPPED, Watchdog } from "./watchdog.ts";

/** How long a request may stay without a single byte, if the caller does not say. */
export const IDLE_TIMEOUT_MS = 300_000;
/** What may still come after the last content (usage, an end mark) is waited for so long. */
const TRAILER_MS = 2_000;
/** After the end mark the connection gets so long to end by itself: then it can be used again. */
const DRAIN_MS = 25;
/** So much of a response that is no event stream is kept for the error's text. */
const HEAD_MAX = 4_096;

/** What the adapters have in common. */
export interface AdapterOptions {
  facts: ModelFacts;
  /** A request without a byte for so long, in ms, has failed (`timed_out`). 5 minutes if absent. */
  idleTimeoutMs?: number;
  timer?: Timer;
}

/** The part of an SDK's request options that is used. */
export interface RequestOptions {
  signal: AbortSignal;
}

/** What is read of a response's body. */
interface BodyReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** What an SDK's `create` gives back before its body is read. */
export interface PendingResponse {
  asResponse(): Promise<Response>;
}

/**
 * Where a stream stands: more must come; the answer is whole but facts may follow; or it has ended.
 */
export type ReadState = "more" | "whole" | "end";

/** Reads one wire format's events into an answer. May throw a `ModelError`. */
export interface WireReader {
  read(event: SseEvent): ReadState;
  /** Called once when the stream has ended with a whole answer: calls `answer.finish`, or throws. */
  finish(): void;
}

export interface WireCall extends AdapterOptions {
  baseUrl: string;
  send(request: ModelRequest, signal: AbortSignal): Promise<Response>;
  /** `failure` makes a `ModelError` of an error object that came inside the stream. */
  reader(answer: Answer, failure: (cause: unknown) => ModelError): WireReader;
}

/** A model behind a wire format. */
export function wireModel(call: WireCall): Model {
  return {
    facts: call.facts,
    stream: (request, signal) => streamAnswer(call, request, signal),
  };
}

async function* streamAnswer(
  call: WireCall,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, void> {
  const timer = call.timer ?? systemTimer;
  const answer = new Answer(call.facts, timer.now());
  const idleMs = call.idleTimeoutMs ?? IDLE_TIMEOUT_MS;
  const watchdog = new Watchdog({ signal, idleMs, timer });
  const exchange = new Exchange(call, answer, watchdog, timer);
  try {
    yield { type: "start" };
    yield* exchange.run(request);
  } catch (cause) {
    if (watchdog.cause === undefined) exchange.fail(cause);
  } finally {
    exchange.settle(idleMs);
    watchdog.close();
  }
  yield* answer.take();
}

class Exchange {
  readonly #call: WireCall;
  readonly #answer: Answer;
  readonly #watchdog: Watchdog;
  readonly #timer: Timer;
  #started = false;
  #settled = false;

  constructor(call: WireCall, answer: Answer, watchdog: Watchdog, timer: Timer) {
    this.#call = call;
    this.#answer = answer;
    this.#watchdog = watchdog;
    this.#timer = timer;
  }

  async *run(request: ModelRequest): AsyncGenerator<ModelEvent, void, void> {
    const response = await this.#open(request);
    if (response === STOPPED) return;
    this.#started = true;
    if (!response.body) throw this.#answer.failure("dropped", "the response had no body");
    const body = response.body.getReader();
    try {
      yield* this.#read(body, isEventStream(response));
    } finally {
      release(body);
    }
  }

  fail(cause: unknown): void {
    this.#settled = true;
    this.#answer.fail(this.#errorFrom(cause));
  }

  /** Says how it ended, if nothing has said so yet. */
  settle(idleMs: number): void {
    if (this.#settled) return;
    this.#settled = true;
    if (this.#watchdog.cause === "idle") {
      this.#answer.fail(
        this.#answer.failure("timed_out", `nothing came for ${idleMs / 1000} s`),
      );
    } else {
      this.#answer.abort();
    }
  }

  async #open(request: ModelRequest): Promise<Response | typeof STOPPED> {
    const { signal } = this.#watchdog;
    try {
      return await this.#watchdog.race(this.#call.send(request, signal));
    } catch (cause) {
      if (!refusesImage(cause) || !hasImages(request.messages)) throw cause;
      // One image that the provider does not take must not make the session unusable.
      const messages = withoutImages(request.messages, "the provider refused an image");
      return await this.#watchdog.race(this.#call.send({ ...request, messages }, signal));
    }
  }

  async *#read(body: BodyReader, isStream: boolean): AsyncGenerator<ModelEvent, void, void> {
    const reader = this.#call.reader(this.#answer, (cause) => this.#errorFrom(cause));
    const parser = new SseParser();
    const head = new Head();
    let state: ReadState = "more";
    while (state !== "end") {
      const piece = await this.#next(body, state);
      if (piece === STOPPED) {
        if (state === "whole" && this.#watchdog.cause === "idle") break;
        return;
      }
      if (piece === "no more") break;
      head.add(piece.value);
      for (const event of piece.value ? parser.push(piece.value) : parser.end()) {
        head.close();
        state = later(state, reader.read(event));
        if (state === "end") break;
      }
      yield* this.#answer.take();
      if (piece.done) break;
    }
    if (state === "more") throw this.#unfinished(head.text(), isStream);
    if (state === "end") await this.#within(DRAIN_MS, body.read().catch(() => "no more" as const));
    reader.finish();
    this.#settled = true;
  }

  /** The next piece. Once the answer is whole, a lost or silent connection is no failure. */
  async #next(body: BodyReader, state: ReadState) {
    if (state === "more") return await this.#watchdog.race(body.read());
    return await this.#within(TRAILER_MS, body.read().catch(() => "no more" as const));
  }

  async #within<T>(ms: number, value: Promise<T>): Promise<T | typeof STOPPED | "no more"> {
    const done = new AbortController();
    const late = this.#timer.sleep(ms, done.signal).then(() => "no more" as const);
    try {
      return await this.#watchdog.race(Promise.race([value, late]));
    } finally {
      done.abort();
    }
  }

  #errorFrom(cause: unknown): ModelError {
    return modelErrorFrom(cause, {
      provider: this.#call.facts.provider,
      model: this.#call.facts.id,
      baseUrl: this.#call.baseUrl,
      started: this.#started,
    });
  }

  #unfinished(head: string, isStream: boolean): ModelError {
    try {
      const body: unknown = JSON.parse(head);
      if (typeof body === "object" && body !== null && "error" in body) {
        return this.#errorFrom(body);
      }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    if (head === "" || isStream) {
      return this.#answer.failure("dropped", "the stream ended before its end mark");
    }
    const shown = head.replace(/\s+/g, " ").slice(0, 200).toWellFormed();
    return new ModelError(
      "bad_request",
      `Cannot get an answer from ${this.#call.facts.provider} at ${
        shownUrl(this.#call.baseUrl)
      }: ` +
        `it sent no event stream, but: ${shown} Check the base URL and the api of the model.`,
    );
  }
}

/** The first bytes of a response in which no event was found. */
class Head {
  #pieces: Uint8Array[] = [];
  #size = 0;
  #closed = false;

  add(piece: Uint8Array | undefined): void {
    if (this.#closed || !piece || this.#size >= HEAD_MAX) return;
    this.#pieces.push(piece.subarray(0, HEAD_MAX - this.#size));
    this.#size += piece.length;
  }

  /** An event came: this is an event stream. */
  close(): void {
    this.#closed = true;
    this.#pieces = [];
  }

  text(): string {
    const decoder = new TextDecoder();
    return this.#pieces.map((piece) => decoder.decode(piece, { stream: true })).join("").trim();
  }
}

const ORDER: Record<ReadState, number> = { more: 0, whole: 1, end: 2 };

function later(a: ReadState, b: ReadState): ReadState {
  return ORDER[a] > ORDER[b] ? a : b;
}

function isEventStream(response: Response): boolean {
  return response.headers.get("content-type")?.includes("event-stream") ?? false;
}

function refusesImage(cause: unknown): boolean {
  if (!(cause instanceof Error) || !("status" in cause)) return false;
  return (cause.status === 400 || cause.status === 413 || cause.status === 422) &&
    /\bimages?\b|image_url|media[_ ]type/i.test(cause.message);
}

function release(body: BodyReader): void {
  // The answer is settled by now; what a closed connection says to being cancelled is no news.
  body.cancel().catch(() => undefined);
}
