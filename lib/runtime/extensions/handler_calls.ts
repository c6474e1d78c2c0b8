/** Calls the handlers of events: one after the other, each within its time, none with harm. */
import type { Timer } from "../../agent/mod.ts";
import type {
  ExtensionContext,
  ExtensionEventName,
  ExtensionEvents,
  ExtensionResult,
  ExtensionUi,
} from "./api.ts";
import { type CallOutcome, callWithin } from "./call.ts";
import { CallContext } from "./context.ts";
import type { Handler, Registered } from "./registered.ts";
import { RESULT_READERS } from "./results.ts";
import type { SessionDoor } from "./session_door.ts";
import { reasonOf } from "../../session/mod.ts";

/** How long a handler may take. */
export const HANDLER_LIMIT_MS = 30_000;

/** Where that is too short, because a model may be asked; or too long, because a signal ends all. */
export const LIMITS_MS: Partial<Record<ExtensionEventName, number>> = {
  session_before_compact: 300_000,
  session_before_tree: 300_000,
  session_shutdown: 1_500,
};

export interface CallPorts {
  door: SessionDoor;
  ui: ExtensionUi;
  timer: Timer;
}

/** One piece of an extension's code. */
export interface ExtensionCall {
  extension: Registered;
  limitMs: number;
  signal: AbortSignal | undefined;
  run(context: ExtensionContext): unknown;
}

export interface EventOptions<E extends ExtensionEventName> {
  signal?: AbortSignal;
  /** What a handler that fails closed stands for. */
  refuse?(problem: string): ExtensionResult<E>;
}

/**
 * Calls into extensions. What goes wrong is told once for each extension and event; a handler that
 * took too long is not called again.
 */
export class HandlerCalls {
  readonly #extensions: readonly Registered[];
  readonly #ports: CallPorts;
  readonly #hung = new Set<object>();
  readonly #told = new Set<string>();

  constructor(extensions: readonly Registered[], ports: CallPorts) {
    this.#extensions = extensions;
    this.#ports = ports;
  }

  /** Whether anybody wants to hear of an event. */
  has(event: ExtensionEventName): boolean {
    return this.#extensions.some(({ handlers }) => handlers[event].length > 0);
  }

  /** Calls the handlers of an event that takes no answer. */
  async tell<E extends ExtensionEventName>(
    event: E,
    payload: () => ExtensionEvents[E],
    options: EventOptions<E> = {},
  ): Promise<void> {
    for await (const _ of this.answers(event, payload, options));
  }

  /** The answers of the handlers; each handler gets a payload of its own, made when it is called. */
  async *answers<E extends ExtensionEventName>(
    event: E,
    payload: () => ExtensionEvents[E],
    options: EventOptions<E> = {},
  ): AsyncGenerator<{ extension: Registered; answer: NonNullable<ExtensionResult<E>> }> {
    for (const extension of this.#extensions) {
      for (const handler of extension.handlers[event]) {
        const answer = await this.#answer(extension, event, handler, payload, options);
        if (answer !== undefined && answer !== null) yield { extension, answer };
      }
    }
  }

  /** Runs a piece of an extension's code; it is given up after its time, or with its signal. */
  async run(call: ExtensionCall): Promise<CallOutcome> {
    const { door, timer, ui } = this.#ports;
    const { extension: { name }, limitMs } = call;
    const signal = call.signal ?? door.runSignal;
    let context: CallContext | undefined;
    return await callWithin((own) => {
      context = new CallContext({ name, door, ui, signal: own });
      return call.run(context);
    }, { limitMs, timer, signal, question: () => context?.question });
  }

  /** Tells a person what is wrong with an extension; the same once only. */
  report({ name, file }: Registered, where: string, problem: string): void {
    const key = `${file}\n${where}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#ports.ui.notify(`Extension ${name} (${file}): ${where} ${problem}`, "warning");
  }

  async #answer<E extends ExtensionEventName>(
    extension: Registered,
    event: E,
    handler: Handler<E>,
    payload: () => ExtensionEvents[E],
    { signal, refuse }: EventOptions<E>,
  ): Promise<ExtensionResult<E> | undefined> {
    const fail = (problem: string) => {
      this.report(extension, `the handler of ${event}`, problem);
      return handler.failClosed
        ? refuse?.(`the extension ${extension.name} ${problem}`)
        : undefined;
    };
    if (this.#hung.has(handler)) return fail("did not end the last time");
    const limitMs = LIMITS_MS[event] ?? HANDLER_LIMIT_MS;
    const outcome = await this.run({
      extension,
      limitMs,
      signal,
      run: (context) => handler.run(payload(), context),
    });
    switch (outcome.kind) {
      case "returned": {
        if (outcome.value === undefined || outcome.value === null) return undefined;
        const read = RESULT_READERS[event](outcome.value);
        if (read.ok) return read.value;
        return fail(`returned what cannot be used; expected ${read.expected}`);
      }
      case "threw":
        return fail(`failed: ${reasonOf(outcome.error)}`);
      case "hung":
        this.#hung.add(handler);
        return fail(`did not end within ${limitMs / 1000} s and is not called again`);
      case "aborted":
        return handler.failClosed ? refuse?.("the run was aborted") : undefined;
    }
  }
}
