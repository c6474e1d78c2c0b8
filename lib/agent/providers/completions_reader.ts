import type { ModelError } from "../model.ts";
import type { Answer } from "./answer.ts";
import { CallPieces } from "./call_pieces.ts";
import { REASONING_FIELDS } from "./completions_request.ts";
import { count, list, record, text } from "./json.ts";
import type { SseEvent } from "./sse.ts";
import type { ReadState, WireReader } from "./stream.ts";
import { parseEvent } from "./wire_event.ts";

/**
 * Reads the chunks of a chat completion. Servers differ in nearly everything, so each field may be
 * missing or null, and usage counts wherever it stands.
 */
export class CompletionsReader implements WireReader {
  readonly #answer: Answer;
  readonly #failure: (cause: unknown) => ModelError;
  readonly #calls: CallPieces;
  #text: number | undefined;
  #thinking: number | undefined;
  #finishReason = "";
  #sawChoice = false;

  constructor(answer: Answer, failure: (cause: unknown) => ModelError) {
    this.#answer = answer;
    this.#failure = failure;
    this.#calls = new CallPieces(answer);
  }

  read(event: SseEvent): ReadState {
    if (event.data.trim() === "[DONE]") return this.#done();
    const chunk = parseEvent(event, (name) => name === "message", this.#answer);
    if (!chunk) return this.#state();
    if (chunk["error"] || event.name === "error") throw this.#failure(chunk);
    this.#count(chunk["usage"]);
    this.#count(record(chunk["x_groq"])["usage"]);
    const choice = record(list(chunk["choices"])[0]);
    if (Object.keys(choice).length > 0) this.#read(choice);
    return this.#state();
  }

  finish(): void {
    this.#calls.end();
    switch (this.#finishReason) {
      case "length":
      case "max_tokens":
        return this.#answer.finish("length");
      case "content_filter":
        throw this.#answer.failure("refused", "the provider's content filter stopped it");
      case "model_context_window_exceeded":
      case "context_length_exceeded":
        throw this.#answer.failure("context_overflow", "its context window is full");
      case "error":
      case "network_error":
        throw this.#answer.failure("overloaded", `the server gave up (${this.#finishReason})`);
      case "tool_calls":
        return this.#answer.finish("toolUse");
      default:
        return this.#answer.finish("stop");
    }
  }

  #state(): ReadState {
    return this.#finishReason ? "whole" : "more";
  }

  #done(): ReadState {
    if (!this.#sawChoice) {
      throw this.#answer.failure("dropped", "the stream ended without an answer in it");
    }
    return "end";
  }

  #read(choice: Record<string, unknown>): void {
    this.#sawChoice = true;
    this.#count(choice["usage"]);
    const delta = record(choice["delta"] ?? choice["message"]);
    this.#think(delta);
    this.#say(textIn(delta["content"]) || text(delta["refusal"]));
    const pieces = list(delta["tool_calls"]);
    if (pieces.length > 0) this.#closeText();
    for (const piece of pieces) this.#calls.add(record(piece));
    this.#finishReason = text(choice["finish_reason"]) || this.#finishReason;
  }

  #think(delta: Record<string, unknown>): void {
    const field = REASONING_FIELDS.find((name) => text(delta[name]) !== "");
    if (!field) return;
    if (this.#thinking === undefined) {
      this.#closeText();
      this.#thinking = this.#answer.startThinking();
      this.#answer.sign(this.#thinking, field);
    }
    this.#answer.append(this.#thinking, text(delta[field]));
  }

  #say(delta: string): void {
    if (delta === "") return;
    if (this.#thinking !== undefined) this.#answer.end(this.#thinking);
    this.#thinking = undefined;
    this.#text ??= this.#answer.startText();
    this.#answer.append(this.#text, delta);
  }

  #closeText(): void {
    for (const index of [this.#text, this.#thinking]) {
      if (index !== undefined) this.#answer.end(index);
    }
    this.#text = undefined;
    this.#thinking = undefined;
  }

  /** The prompt's count includes what came from the cache; ours does not. */
  #count(usage: unknown): void {
    const counts = record(usage);
    const prompt = count(counts["prompt_tokens"]);
    const output = count(counts["completion_tokens"]);
    if (prompt === undefined && output === undefined) return;
    const details = record(counts["prompt_tokens_details"]);
    const cacheRead = count(details["cached_tokens"]) ??
      count(counts["prompt_cache_hit_tokens"]) ?? 0;
    const cacheWrite = count(details["cache_write_tokens"]) ?? 0;
    this.#answer.count({
      input: Math.max(0, (prompt ?? 0) - cacheRead - cacheWrite),
      output: output ?? 0,
      cacheRead,
      cacheWrite,
    });
  }
}

/** Text, or parts of which some are text. */
function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content).map((part) => text(record(part)["text"])).join("");
}
