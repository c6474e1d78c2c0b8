/** A model that answers from a script: the port `Model`, without a wire. */
import type { Model, ModelEvent, ModelFacts, ModelRequest } from "../../lib/agent/mod.ts";
import { ModelError, type ModelErrorCode } from "../../lib/agent/mod.ts";
import {
  type AssistantMessage,
  noUsage,
  type StopReason,
  type ToolCall,
  type Usage,
} from "../../lib/session/mod.ts";

/** One answer. */
export interface Answer {
  text?: string;
  thinking?: string;
  calls?: { id: string; name: string; arguments?: Record<string, unknown> }[];
  stopReason?: StopReason;
  usage?: Partial<Usage>;
  /** Fails with this code, after what `text` says. */
  fails?: ModelErrorCode;
  retryAfterMs?: number;
  /** Says what there is, then waits until it is aborted. */
  hangs?: boolean;
}

export interface ScriptedModel extends Model {
  /** The requests so far. */
  readonly requests: ModelRequest[];
  /** Resolves when the n-th request (1 for the first) has come. */
  asked(n: number): Promise<void>;
}

export const SCRIPTED_FACTS: ModelFacts = {
  provider: "test",
  id: "scripted",
  name: "Scripted",
  api: "scripted",
  contextWindow: 200_000,
  maxTokens: 8_000,
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
};

/**
 * Answers the n-th request with the n-th answer; an answer may be made from its request. A request
 * past the last answer fails with `bad_request`, so that a test sees it.
 */
export function scriptedModel(
  answers: readonly (Answer | ((request: ModelRequest) => Answer))[],
  facts: Partial<ModelFacts> = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  const waiting: { n: number; resolve: () => void }[] = [];
  const full = { ...SCRIPTED_FACTS, ...facts };
  return {
    facts: full,
    requests,
    asked(n) {
      if (requests.length >= n) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ n, resolve }));
    },
    async *stream(request, signal) {
      requests.push({ ...request, messages: structuredClone(request.messages) });
      for (const each of waiting) if (requests.length >= each.n) each.resolve();
      const scripted = answers[requests.length - 1];
      const answer = typeof scripted === "function" ? scripted(request) : scripted;
      yield* play(answer ?? { fails: "bad_request", text: "" }, full, signal);
    },
  };
}

async function* play(
  answer: Answer,
  facts: ModelFacts,
  signal: AbortSignal,
): AsyncIterable<ModelEvent> {
  const message: AssistantMessage = {
    role: "assistant",
    content: [],
    api: facts.api,
    provider: facts.provider,
    model: facts.id,
    usage: { ...noUsage(), ...answer.usage },
    stopReason: answer.stopReason ?? (answer.calls?.length ? "toolUse" : "stop"),
    timestamp: 1,
  };
  yield { type: "start" };
  if (answer.thinking !== undefined) yield* block(message, "thinking", answer.thinking);
  if (answer.text) yield* block(message, "text", answer.text);
  for (const call of answer.calls ?? []) yield* callBlock(message, call);
  if (answer.hangs) {
    await new Promise<void>((resolve) => {
      if (signal.aborted) return resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    yield { type: "failed", message: { ...message, stopReason: "aborted" } };
    return;
  }
  if (answer.fails) {
    const error = new ModelError(
      answer.fails,
      `The model failed: ${answer.fails}.`,
      answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs },
    );
    yield {
      type: "failed",
      message: { ...message, stopReason: "error", errorMessage: error.message },
      error,
    };
    return;
  }
  yield { type: "done", message };
}

function* block(
  message: AssistantMessage,
  type: "text" | "thinking",
  text: string,
): Iterable<ModelEvent> {
  const contentIndex = message.content.length;
  message.content.push(type === "text" ? { type, text } : { type, thinking: text });
  yield { type: `${type}_start`, contentIndex };
  yield { type: `${type}_delta`, contentIndex, delta: text };
  yield { type: `${type}_end`, contentIndex };
}

function* callBlock(
  message: AssistantMessage,
  call: { id: string; name: string; arguments?: Record<string, unknown> },
): Iterable<ModelEvent> {
  const contentIndex = message.content.length;
  const content: ToolCall = {
    type: "toolCall",
    id: call.id,
    name: call.name,
    arguments: call.arguments ?? {},
  };
  message.content.push(content);
  yield { type: "toolcall_start", contentIndex, id: call.id, name: call.name };
  yield { type: "toolcall_delta", contentIndex, delta: JSON.stringify(content.arguments) };
  yield { type: "toolcall_end", contentIndex };
}
