/** The wire format of Anthropic's Messages API. */
import type { Model, ModelError } from "../model.ts";
import type { Answer } from "./answer.ts";
import { anthropicRequest } from "./anthropic_request.ts";
import { count, record, text } from "./json.ts";
import type { SseEvent } from "./sse.ts";
import {
  type AdapterOptions,
  type PendingResponse,
  type ReadState,
  type RequestOptions,
  wireModel,
  type WireReader,
} from "./stream.ts";
import { parseEvent } from "./wire_event.ts";

/**
 * The part of `@anthropic-ai/sdk`'s client that is used: make it with `maxRetries: 0`. Not
 * `messages.create`, which writes to stderr for models that it finds old.
 */
export interface AnthropicClient {
  readonly baseURL: string;
  post(path: string, options: RequestOptions & { body: object; stream: true }): PendingResponse;
}

/**
 * A model behind Anthropic's Messages API, or a server that speaks it. The client is a value, so
 * that this file needs no package.
 *
 * @example
 * ```ts
 * import Anthropic from "@anthropic-ai/sdk";
 * import { anthropicMessages, modelFacts } from "bough";
 *
 * const client = new Anthropic({ apiKey: "sk-...", maxRetries: 0 });
 * const facts = await modelFacts("anthropic/claude-haiku-4-5");
 * const model = anthropicMessages({ client, facts });
 * console.log(model.facts.name);
 * ```
 */
export function anthropicMessages(options: AdapterOptions & { client: AnthropicClient }): Model {
  const { client, facts } = options;
  return wireModel({
    ...options,
    baseUrl: client.baseURL,
    send: (asked, signal) =>
      client
        .post("/v1/messages", { body: anthropicRequest(facts, asked), stream: true, signal })
        .asResponse(),
    reader: (answer, failure) => new AnthropicReader(answer, failure),
  });
}

/** Events that mean something; all others are ignored, whatever their data. */
const KNOWN = [
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "error",
];

class AnthropicReader implements WireReader {
  readonly #answer: Answer;
  readonly #failure: (cause: unknown) => ModelError;
  /** The provider's block index to ours; blocks without content yet, or of unknown kind, have none. */
  readonly #blocks = new Map<unknown, number>();
  /** Arguments that stood in a call's first event: they count if no pieces follow. */
  readonly #inputs = new Map<unknown, string>();
  #stopReason = "";

  constructor(answer: Answer, failure: (cause: unknown) => ModelError) {
    this.#answer = answer;
    this.#failure = failure;
  }

  read(event: SseEvent): ReadState {
    const data = parseEvent(event, (name) => KNOWN.includes(name), this.#answer);
    if (!data) return "more";
    switch (data["type"]) {
      case "message_start":
        this.#count(record(data["message"])["usage"]);
        return "more";
      case "content_block_start":
        this.#startBlock(data["index"], record(data["content_block"]));
        return "more";
      case "content_block_delta":
        this.#delta(data["index"], record(data["delta"]));
        return "more";
      case "content_block_stop":
        this.#stopBlock(data["index"]);
        return "more";
      case "message_delta":
        this.#stopReason = text(record(data["delta"])["stop_reason"]) || this.#stopReason;
        this.#count(data["usage"]);
        return this.#stopReason ? "whole" : "more";
      case "message_stop":
        return "end";
      case "error":
        throw this.#failure(data);
      default:
        return "more";
    }
  }

  finish(): void {
    switch (this.#stopReason) {
      case "refusal":
        throw this.#answer.failure("refused", "the model refused to go on");
      case "model_context_window_exceeded":
        throw this.#answer.failure("context_overflow", "its context window is full");
      case "max_tokens":
        return this.#answer.finish("length");
      case "tool_use":
        return this.#answer.finish("toolUse");
      default:
        return this.#answer.finish("stop");
    }
  }

  #startBlock(index: unknown, block: Record<string, unknown>): void {
    switch (block["type"]) {
      case "text":
        this.#appendText(index, text(block["text"]));
        break;
      case "thinking": {
        const ours = this.#answer.startThinking();
        this.#blocks.set(index, ours);
        this.#answer.append(ours, text(block["thinking"]));
        if (text(block["signature"])) this.#answer.sign(ours, text(block["signature"]));
        break;
      }
      case "redacted_thinking": {
        const ours = this.#answer.startThinking();
        this.#blocks.set(index, ours);
        this.#answer.redact(ours, text(block["data"]));
        break;
      }
      case "tool_use": {
        const call = this.#answer.startCall(text(block["id"]), text(block["name"]));
        this.#blocks.set(index, call);
        const input = record(block["input"]);
        if (Object.keys(input).length > 0) this.#inputs.set(index, JSON.stringify(input));
        break;
      }
    }
  }

  #delta(index: unknown, delta: Record<string, unknown>): void {
    const ours = this.#blocks.get(index);
    switch (delta["type"]) {
      case "text_delta":
        this.#appendText(index, text(delta["text"]));
        break;
      case "thinking_delta":
        if (ours !== undefined) this.#answer.append(ours, text(delta["thinking"]));
        break;
      case "signature_delta":
        if (ours !== undefined) this.#answer.sign(ours, text(delta["signature"]));
        break;
      case "input_json_delta":
        if (ours !== undefined) this.#answer.append(ours, text(delta["partial_json"]));
        break;
    }
  }

  #stopBlock(index: unknown): void {
    const ours = this.#blocks.get(index);
    if (ours === undefined) return;
    const input = this.#inputs.get(index);
    if (input && this.#answer.rawArguments(ours) === "") this.#answer.append(ours, input);
    this.#answer.end(ours);
    this.#blocks.delete(index);
  }

  #appendText(index: unknown, delta: string): void {
    if (delta === "") return;
    const ours = this.#blocks.get(index) ?? this.#answer.startText();
    this.#blocks.set(index, ours);
    this.#answer.append(ours, delta);
  }

  /** Zero in a later report means "not told here", as some proxies do. */
  #count(usage: unknown): void {
    const counts = record(usage);
    const told = {
      input: count(counts["input_tokens"]),
      output: count(counts["output_tokens"]),
      cacheRead: count(counts["cache_read_input_tokens"]),
      cacheWrite: count(counts["cache_creation_input_tokens"]),
    };
    const news = Object.fromEntries(Object.entries(told).filter(([, tokens]) => tokens));
    if (Object.keys(news).length > 0) this.#answer.count(news);
  }
}
