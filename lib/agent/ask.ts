/** One model call of a run: the request, and what is passed on of the answer. */
import {
  type AssistantMessage,
  type Message,
  noUsage,
  reasonOf,
  type TextContent,
  type ThinkingLevel,
  type Usage,
} from "../session/mod.ts";
import { answerEvents } from "./answer_events.ts";
import { withSystemMessages } from "./context_text.ts";
import { toProviderMessages } from "./convert.ts";
import type { AgentEvent } from "./event.ts";
import { type Model, ModelError, type ModelEvent, type ModelRequest } from "./model.ts";
import type { Timer } from "./timer.ts";
import type { Tool } from "./tool.ts";
import { openingMessage } from "./opening_message.ts";

/** What a run works with; read again for each turn, so a change counts from the next turn on. */
export interface RunState {
  readonly model: Model;
  readonly tools: readonly Tool[];
  readonly systemPrompt: string;
  readonly thinkingLevel: ThinkingLevel;
  readonly request: Pick<ModelRequest, "maxTokens" | "cache" | "sessionId" | "outputSchema">;
}

/** What may look at a request before it is sent. Each may be absent. */
export interface RequestHooks {
  /** Changes what the model is sent; the context itself stays as it is. */
  context?(messages: Message[], signal: AbortSignal): Promise<Message[]>;
  /** A model is about to be asked; it is not before this has resolved. */
  beforeRequest?(request: ModelRequest, model: Model): Promise<void>;
}

export interface AskPorts {
  state(): RunState;
  context(): Promise<readonly Message[]>;
  emit(event: AgentEvent): Promise<void>;
  readonly hooks: RequestHooks;
  readonly timer: Timer;
}

/** An answer, whole or not; its `stopReason` tells. */
export interface Answer {
  message: AssistantMessage;
  error?: ModelError;
  /** Its `message_start` was told. */
  started: boolean;
}

/** Asks the model once and passes on what it says. */
export async function ask(ports: AskPorts, signal: AbortSignal): Promise<Answer> {
  let context = [...await ports.context()];
  if (ports.hooks.context) context = await ports.hooks.context(context, signal);
  const { model, ...asked } = ports.state();
  const request = requestTo(model, asked, context);
  await ports.hooks.beforeRequest?.(request, model);
  const heard = new HeardAnswer(model, ports.timer.now());
  if (signal.aborted) return heard.aborted();
  try {
    for await (const event of answerEvents(model, request, { signal, timer: ports.timer })) {
      const { started } = heard;
      if (event.type === "done" || event.type === "failed") assertAnswer(event.message);
      if (event.type === "done") return { message: event.message, started };
      if (event.type === "failed") {
        const { message, error } = event;
        return { message, started, ...(error ? { error } : {}) };
      }
      for (const told of heard.take(event)) await ports.emit(told);
    }
  } catch (cause) {
    return signal.aborted ? heard.aborted() : heard.failed(cause);
  }
  return signal.aborted
    ? heard.aborted()
    : heard.failed(new Error("the answer ended without an end mark"));
}

/** A model may be anybody's code, which no compiler looked at. */
function assertAnswer(message: unknown): void {
  const isAnswer = typeof message === "object" && message !== null && "content" in message &&
    Array.isArray(message.content) && "role" in message && message.role === "assistant";
  if (!isAnswer) throw new TypeError("its answer is no assistant message with a list of blocks");
}

function requestTo(
  { facts }: Model,
  { systemPrompt, tools, thinkingLevel, request }: Omit<RunState, "model">,
  context: readonly Message[],
): ModelRequest {
  const { provider, id, api, input } = facts;
  return {
    ...request,
    systemPrompt: withSystemMessages(systemPrompt, context),
    messages: toProviderMessages(context, { provider, model: id, api, input }),
    tools,
    thinkingLevel,
  };
}

/** An answer as far as it was heard: what is kept of it where the model does not finish it. */
class HeardAnswer {
  readonly #opening: AssistantMessage;
  /** By `contentIndex`. An answer that was not finished keeps its text alone. */
  readonly #texts = new Map<number, TextContent>();
  #usage: Usage = noUsage();
  #started = false;

  constructor({ facts }: Model, timestamp: number) {
    this.#opening = openingMessage(facts, timestamp);
  }

  /** Whether its `message_start` was told. */
  get started(): boolean {
    return this.#started;
  }

  /** Takes note of an event, and gives what is to be told of it. */
  take(event: Exclude<ModelEvent, { type: "done" | "failed" }>): AgentEvent[] {
    const told: AgentEvent[] = [];
    if (!this.#started) told.push({ type: "message_start", message: this.#opening });
    this.#started = true;
    switch (event.type) {
      case "start":
        return told;
      case "usage":
        this.#usage = event.usage;
        return [...told, { type: "message_update", usage: event.usage }];
      case "text_start":
        this.#texts.set(event.contentIndex, { type: "text", text: "" });
        break;
      case "text_delta": {
        const block = this.#texts.get(event.contentIndex);
        if (block) block.text += event.delta;
        break;
      }
      case "text_end":
      case "thinking_start":
      case "thinking_delta":
      case "thinking_end":
      case "toolcall_start":
      case "toolcall_delta":
      case "toolcall_end":
        break;
    }
    return [...told, { type: "message_update", assistantMessageEvent: event }];
  }

  aborted(): Answer {
    return { message: { ...this.#soFar(), stopReason: "aborted" }, started: this.#started };
  }

  failed(cause: unknown): Answer {
    const reason = reasonOf(cause);
    const { model } = this.#opening;
    const error = cause instanceof ModelError
      ? cause
      : new ModelError("dropped", `Cannot get an answer from ${model}: ${reason}`, { cause });
    return {
      message: { ...this.#soFar(), stopReason: "error", errorMessage: error.message },
      error,
      started: this.#started,
    };
  }

  #soFar(): AssistantMessage {
    const content = [...this.#texts.values()].filter(({ text }) => text !== "");
    return { ...this.#opening, content, usage: this.#usage };
  }
}
