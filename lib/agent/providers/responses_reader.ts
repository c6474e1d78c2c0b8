import type { ModelError } from "../model.ts";
import type { Answer } from "./answer.ts";
import { count, list, record, text } from "./json.ts";
import type { SseEvent } from "./sse.ts";
import type { ReadState, WireReader } from "./stream.ts";
import { newCallId } from "./tool_ids.ts";
import { parseEvent } from "./wire_event.ts";

/** Reads the events of a response. Items are known by their `output_index`. */
export class ResponsesReader implements WireReader {
  readonly #answer: Answer;
  readonly #failure: (cause: unknown) => ModelError;
  /** Item to block; an item gets its block with its first content. */
  readonly #blocks = new Map<unknown, number>();
  /** Items whose text has a part before the one that comes. */
  readonly #parted = new Set<unknown>();
  #incomplete = "";

  constructor(answer: Answer, failure: (cause: unknown) => ModelError) {
    this.#answer = answer;
    this.#failure = failure;
  }

  read(event: SseEvent): ReadState {
    if (event.data.trim() === "[DONE]") return "more";
    const data = parseEvent(event, (name) => name.startsWith("response."), this.#answer);
    if (!data) return "more";
    const item = data["output_index"] ?? data["item_id"];
    const delta = text(data["delta"]);
    switch (data["type"]) {
      case "response.output_item.added":
        this.#added(item, record(data["item"]));
        return "more";
      case "response.output_text.delta":
      case "response.refusal.delta":
        this.#append(item, delta, () => this.#answer.startText());
        return "more";
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        if (this.#parted.delete(item)) this.#thinking(item, "\n\n");
        this.#thinking(item, delta);
        return "more";
      case "response.reasoning_summary_part.done":
        this.#parted.add(item);
        return "more";
      case "response.function_call_arguments.delta":
        this.#append(item, delta);
        return "more";
      case "response.output_item.done":
        this.#done(item, record(data["item"]));
        return "more";
      case "response.completed":
      case "response.done":
      case "response.incomplete":
        this.#end(record(data["response"]));
        return "end";
      case "response.failed":
        throw this.#failure(record(data["response"]));
      case "error":
        throw this.#failure(data["error"] ? data : { error: data });
      default:
        return "more";
    }
  }

  finish(): void {
    switch (this.#incomplete) {
      case "":
        return this.#answer.finish("stop");
      case "content_filter":
        throw this.#answer.failure("refused", "the provider's content filter stopped it");
      default:
        return this.#answer.finish("length");
    }
  }

  #added(item: unknown, added: Record<string, unknown>): void {
    if (added["type"] !== "function_call") return;
    const callId = text(added["call_id"]) || newCallId();
    const itemId = text(added["id"]);
    const place = this.#answer.startCall(
      itemId ? `${callId}|${itemId}` : callId,
      text(added["name"]),
    );
    this.#blocks.set(item, place);
    this.#answer.append(place, text(added["arguments"]));
  }

  #append(item: unknown, delta: string, start?: () => number): void {
    if (delta === "") return;
    const place = this.#blocks.get(item) ?? start?.();
    if (place === undefined) return;
    this.#blocks.set(item, place);
    this.#answer.append(place, delta);
  }

  #thinking(item: unknown, delta: string): void {
    this.#append(item, delta, () => this.#answer.startThinking());
  }

  /** The item as a whole: what no delta brought is taken from it. */
  #done(item: unknown, done: Record<string, unknown>): void {
    switch (done["type"]) {
      case "message":
        this.#messageDone(item, done);
        break;
      case "reasoning": {
        if (!this.#blocks.has(item)) this.#thinking(item, summaryOf(done));
        const place = this.#blocks.get(item) ?? this.#answer.startThinking();
        this.#answer.sign(place, JSON.stringify(done));
        this.#answer.end(place);
        break;
      }
      case "function_call": {
        if (!this.#blocks.has(item)) this.#added(item, { ...done, arguments: "" });
        const place = this.#blocks.get(item);
        if (place === undefined) break;
        if (this.#answer.rawArguments(place) === "") {
          this.#answer.append(place, text(done["arguments"]));
        }
        this.#answer.end(place);
        break;
      }
    }
    this.#blocks.delete(item);
  }

  #messageDone(item: unknown, done: Record<string, unknown>): void {
    if (!this.#blocks.has(item)) {
      const whole = list(done["content"]).map((part) =>
        text(record(part)["text"]) || text(record(part)["refusal"])
      );
      this.#append(item, whole.join(""), () => this.#answer.startText());
    }
    const place = this.#blocks.get(item);
    if (place === undefined) return;
    const id = text(done["id"]);
    const phase = text(done["phase"]);
    if (id) this.#answer.sign(place, JSON.stringify({ v: 1, id, ...(phase ? { phase } : {}) }));
    this.#answer.end(place);
  }

  #end(response: Record<string, unknown>): void {
    if (response["status"] === "failed") throw this.#failure(response);
    this.#incomplete = text(record(response["incomplete_details"])["reason"]) ||
      (response["status"] === "incomplete" ? "unknown" : "");
    const usage = record(response["usage"]);
    const input = count(usage["input_tokens"]);
    const output = count(usage["output_tokens"]);
    if (input === undefined && output === undefined) return;
    const details = record(usage["input_tokens_details"]);
    const cacheRead = count(details["cached_tokens"]) ?? 0;
    const cacheWrite = count(details["cache_write_tokens"]) ?? 0;
    this.#answer.count({
      input: Math.max(0, (input ?? 0) - cacheRead - cacheWrite),
      output: output ?? 0,
      cacheRead,
      cacheWrite,
    });
  }
}

function summaryOf(reasoning: Record<string, unknown>): string {
  const parts = [...list(reasoning["summary"]), ...list(reasoning["content"])];
  return parts.map((part) => text(record(part)["text"])).filter(Boolean).join("\n\n");
}
