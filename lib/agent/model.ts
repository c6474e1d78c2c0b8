/**
 * The port to a language model. A provider adapter implements `Model`; the loop, the compaction and
 * the tests know nothing else of it.
 */
import type { AssistantMessage, Message, ThinkingLevel, Usage } from "../session/mod.ts";

/** US dollars for a million tokens. */
export interface ModelCost {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Dearer prices for a request whose input is longer than a bound; the highest bound passed counts. */
  tiers?: {
    inputTokensAbove: number;
    input: number;
    output: number;
    cacheRead: number;
    cacheWrite: number;
  }[];
}

/** The wire formats that this project speaks; `replay` answers from a recorded session. */
export type ModelApi = "anthropic-messages" | "openai-responses" | "openai-completions" | "replay";

/** What is known of a model. Token counts are upper bounds. */
export interface ModelFacts {
  provider: string;
  id: string;
  name: string;
  api: string;
  contextWindow: number;
  /** The longest answer, in tokens. */
  maxTokens: number;
  reasoning: boolean;
  input: readonly ("text" | "image")[];
  cost: ModelCost;
}

/** A tool as a model sees it. `parameters` is a JSON Schema of an object. */
export interface ToolSpec {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

/** One question to a model. */
export interface ModelRequest {
  systemPrompt: string;
  /** The context, already made fit for providers (`toProviderMessages`). */
  messages: readonly Message[];
  tools: readonly ToolSpec[];
  thinkingLevel: ThinkingLevel;
  /** The longest answer wanted, in tokens; the model's own limit if absent. */
  maxTokens?: number;
  /** Whether to mark the prompt for the provider's cache; `true` if absent. */
  cache?: boolean;
  /** Names the conversation to providers that route caches by key. */
  sessionId?: string;
  /** Asks for a final answer that fits this JSON Schema, where the wire format can ask. */
  outputSchema?: { name: string; schema: Record<string, unknown> };
}

/** What a failure of a model call is. */
export type ModelErrorCode =
  | "rate_limited"
  | "overloaded"
  | "dropped"
  | "timed_out"
  | "context_overflow"
  | "bad_key"
  | "quota"
  | "bad_request"
  | "refused"
  | "unknown_model"
  | "unreachable";

/**
 * A model call failed. `code` is for programs: it says whether to try again.
 *
 * @example
 * ```ts
 * import { modelFacts, ModelError } from "bough";
 *
 * try {
 *   await modelFacts("anthropic/no-such-model");
 * } catch (error) {
 *   if (!(error instanceof ModelError)) throw error;
 *   console.log(error.code); // unknown_model
 * }
 * ```
 */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: ModelErrorCode;
  /** The HTTP status, where there was one. */
  readonly status?: number;
  /** How long the server asked to wait, in ms. */
  readonly retryAfterMs?: number;

  constructor(
    code: ModelErrorCode,
    message: string,
    options: { cause?: unknown; status?: number; retryAfterMs?: number } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options.status !== undefined) this.status = options.status;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
  }
}

/**
 * What a model says while it answers. `contentIndex` counts the blocks of the answer. Deltas carry
 * only what is new. The last event is always `done` (`stop`, `length` or `toolUse`) or `failed`
 * (`error` or `aborted`), and holds the whole message with what came until then.
 */
export type ModelEvent =
  | { type: "start" }
  | { type: "text_start"; contentIndex: number }
  | { type: "text_delta"; contentIndex: number; delta: string }
  | { type: "text_end"; contentIndex: number }
  | { type: "thinking_start"; contentIndex: number }
  | { type: "thinking_delta"; contentIndex: number; delta: string }
  | { type: "thinking_end"; contentIndex: number }
  | { type: "toolcall_start"; contentIndex: number; id: string; name: string }
  | { type: "toolcall_delta"; contentIndex: number; delta: string }
  | { type: "toolcall_end"; contentIndex: number }
  | { type: "usage"; usage: Usage }
  | { type: "done"; message: AssistantMessage }
  | { type: "failed"; message: AssistantMessage; error?: ModelError };

/**
 * Something that answers. `stream` never throws and never ends without `done` or `failed`; after an
 * abort it ends with `failed` and a message whose `stopReason` is `aborted`.
 *
 * A call whose arguments were no valid JSON has empty `arguments` and is marked with its raw text
 * (`markInvalidArguments`), so that the loop can tell the model; such text is never stored.
 */
export interface Model {
  readonly facts: ModelFacts;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
