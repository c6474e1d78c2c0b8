/** A model whose adapter is made at its first request: until then no SDK is loaded and no key read. */
import {
  type Model,
  ModelError,
  type ModelEvent,
  type ModelFacts,
  type ModelRequest,
} from "../../agent/mod.ts";
import {
  type AssistantMessage,
  type Clock,
  noUsage,
  reasonOf,
  systemClock,
} from "../../session/mod.ts";
import { ConfigError } from "./errors.ts";

export interface ConfiguredModelOptions {
  readonly facts: ModelFacts;
  /** Makes the adapter. A failure ends the request that asked; the next one tries again. */
  readonly connect: () => Promise<Model>;
  /** What a person can do where the provider refuses the key. */
  readonly refusedAdvice?: () => string;
  readonly clock?: Clock;
}

/** Turns what kept a model from being made into what a failed answer tells. */
function modelError(cause: unknown): ModelError {
  if (cause instanceof ModelError) return cause;
  const message = reasonOf(cause);
  const noKey = cause instanceof ConfigError && cause.code === "no_key";
  return new ModelError(noKey ? "bad_key" : "bad_request", message, { cause });
}

/** The value, or undefined as soon as the signal aborts. */
async function unlessAborted<T>(value: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const onAbort = () => resolve(undefined);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([value, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** A `Model` as the configuration describes it. */
export class ConfiguredModel implements Model {
  readonly facts: ModelFacts;
  readonly #connect: () => Promise<Model>;
  readonly #refusedAdvice: (() => string) | undefined;
  readonly #clock: Clock;
  #connected: Promise<Model> | undefined;

  constructor(options: ConfiguredModelOptions) {
    const { facts, connect, refusedAdvice, clock = systemClock } = options;
    this.facts = facts;
    this.#connect = connect;
    this.#refusedAdvice = refusedAdvice;
    this.#clock = clock;
  }

  async *stream(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, void, void> {
    let model: Model | undefined;
    try {
      this.#connected ??= this.#connect();
      model = await unlessAborted(this.#connected, signal);
    } catch (cause) {
      this.#connected = undefined;
      const error = modelError(cause);
      yield { type: "failed", message: this.#message("error", error.message), error };
      return;
    }
    if (!model) {
      yield { type: "failed", message: this.#message("aborted") };
      return;
    }
    for await (const event of model.stream(request, signal)) yield this.#withAdvice(event);
  }

  /** The adapter knows nothing of where keys are kept here. */
  #withAdvice(event: ModelEvent): ModelEvent {
    if (event.type !== "failed" || event.error?.code !== "bad_key" || !this.#refusedAdvice) {
      return event;
    }
    const { error, message } = event;
    const text = `${error.message} ${this.#refusedAdvice()}`;
    return {
      type: "failed",
      message: { ...message, errorMessage: text },
      error: new ModelError(error.code, text, {
        cause: error,
        ...(error.status === undefined ? {} : { status: error.status }),
      }),
    };
  }

  #message(stopReason: "error" | "aborted", errorMessage?: string): AssistantMessage {
    const { api, provider, id } = this.facts;
    return {
      role: "assistant",
      content: [],
      api,
      provider,
      model: id,
      usage: noUsage(),
      stopReason,
      ...(errorMessage === undefined ? {} : { errorMessage }),
      timestamp: this.#clock.now(),
    };
  }
}
