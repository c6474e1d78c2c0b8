import type {
  AssistantMessage,
  StopReason,
  TextContent,
  ThinkingContent,
  ToolCall,
} from "../../session/mod.ts";
import { markInvalidArguments } from "../invalid_arguments.ts";
import { ModelError, type ModelErrorCode, type ModelEvent, type ModelFacts } from "../model.ts";
import { costOf } from "./cost.ts";
import { newCallId } from "./tool_ids.ts";
import { openingMessage } from "../opening_message.ts";

/** Token counts as a provider reports them; what is absent keeps its last value. */
export interface TokenCounts {
  /** Without what was read from or written to a cache. */
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
}

type Block = TextContent | ThinkingContent | ToolCall;

/**
 * An answer as it comes in. Each change is also an event, waiting in `take()`. A block is opened
 * when there is something to put into it, so no empty text is ever stored; the arguments of a call
 * are parsed once, when they are whole. Pieces of a block that came together are one event.
 */
export class Answer {
  readonly message: AssistantMessage;
  readonly #facts: ModelFacts;
  readonly #open = new Map<number, Block>();
  readonly #rawArguments = new Map<number, string>();
  #events: ModelEvent[] = [];

  constructor(facts: ModelFacts, timestamp: number) {
    this.#facts = facts;
    this.message = openingMessage(facts, timestamp);
  }

  /** The events since the last call. */
  take(): ModelEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  get callCount(): number {
    return this.message.content.filter((block) => block.type === "toolCall").length;
  }

  startText(): number {
    const index = this.#push({ type: "text", text: "" });
    this.#events.push({ type: "text_start", contentIndex: index });
    return index;
  }

  startThinking(): number {
    const index = this.#push({ type: "thinking", thinking: "" });
    this.#events.push({ type: "thinking_start", contentIndex: index });
    return index;
  }

  /** `given` is the id as it came; a call without one, or with that of another, gets one of ours. */
  startCall(given: string, name: string): number {
    const id = given === "" || this.#hasCall(given) ? newCallId() : given;
    const index = this.#push({ type: "toolCall", id, name, arguments: {} });
    this.#rawArguments.set(index, "");
    this.#events.push({ type: "toolcall_start", contentIndex: index, id, name });
    return index;
  }

  #hasCall(id: string): boolean {
    return this.message.content.some((block) => block.type === "toolCall" && block.id === id);
  }

  /** Adds text, thinking, or a piece of a call's arguments. */
  append(index: number, delta: string): void {
    const block = this.#open.get(index);
    if (!block || delta === "") return;
    switch (block.type) {
      case "text":
        block.text += delta;
        this.#tell("text_delta", index, delta);
        break;
      case "thinking":
        block.thinking += delta;
        this.#tell("thinking_delta", index, delta);
        break;
      case "toolCall":
        this.#rawArguments.set(index, (this.#rawArguments.get(index) ?? "") + delta);
        this.#tell("toolcall_delta", index, delta);
        break;
    }
  }

  #tell(
    type: "text_delta" | "thinking_delta" | "toolcall_delta",
    contentIndex: number,
    delta: string,
  ): void {
    const last = this.#events.at(-1);
    if (last?.type === type && last.contentIndex === contentIndex) last.delta += delta;
    else this.#events.push({ type, contentIndex, delta });
  }

  /** The call's arguments so far, as text. */
  rawArguments(index: number): string {
    return this.#rawArguments.get(index) ?? "";
  }

  /** Adds to the opaque mark that a block carries back to its own model. */
  sign(index: number, signature: string): void {
    const block = this.message.content[index];
    if (block?.type === "thinking") {
      block.thinkingSignature = (block.thinkingSignature ?? "") + signature;
    } else if (block?.type === "text") {
      block.textSignature = (block.textSignature ?? "") + signature;
    }
  }

  /** The provider hid the text of this thinking; the data goes back as it came. */
  redact(index: number, data: string): void {
    const block = this.message.content[index];
    if (block?.type !== "thinking") return;
    block.redacted = true;
    block.thinkingSignature = data;
  }

  end(index: number): void {
    const block = this.#open.get(index);
    if (!block) return;
    this.#open.delete(index);
    switch (block.type) {
      case "text":
        this.#events.push({ type: "text_end", contentIndex: index });
        break;
      case "thinking":
        this.#events.push({ type: "thinking_end", contentIndex: index });
        break;
      case "toolCall":
        parseArguments(block, this.rawArguments(index));
        this.#events.push({ type: "toolcall_end", contentIndex: index });
        break;
    }
  }

  endAll(): void {
    for (const index of [...this.#open.keys()]) this.end(index);
  }

  count(counts: TokenCounts): void {
    const { usage } = this.message;
    const next = {
      input: counts.input ?? usage.input,
      output: counts.output ?? usage.output,
      cacheRead: counts.cacheRead ?? usage.cacheRead,
      cacheWrite: counts.cacheWrite ?? usage.cacheWrite,
    };
    const totalTokens = next.input + next.output + next.cacheRead + next.cacheWrite;
    const counted = { ...next, totalTokens };
    this.message.usage = { ...counted, cost: costOf(this.#facts, counted) };
    this.#events.push({ type: "usage", usage: this.message.usage });
  }

  /** A failure that shows in the answer itself. */
  failure(code: ModelErrorCode, reason: string): ModelError {
    const { provider, model } = this.message;
    return new ModelError(code, `Cannot get an answer from ${provider}/${model}: ${reason}.`);
  }

  /** The answer is whole. A `stop` with calls in it is a `toolUse`. */
  finish(stopReason: Exclude<StopReason, "error" | "aborted">): void {
    this.endAll();
    this.message.stopReason = stopReason === "stop" && this.callCount > 0 ? "toolUse" : stopReason;
    if (this.message.stopReason === "toolUse" && this.callCount === 0) {
      this.message.stopReason = "stop";
    }
    this.#events.push({ type: "done", message: this.message });
  }

  fail(error: ModelError): void {
    this.endAll();
    this.message.stopReason = "error";
    this.message.errorMessage = error.message;
    this.#events.push({ type: "failed", message: this.message, error });
  }

  abort(): void {
    this.endAll();
    this.message.stopReason = "aborted";
    this.#events.push({ type: "failed", message: this.message });
  }

  #push(block: Block): number {
    const index = this.message.content.push(block) - 1;
    this.#open.set(index, block);
    return index;
  }
}

/** No text means no arguments; anything but a JSON object is remembered as it came. */
function parseArguments(call: ToolCall, raw: string): void {
  if (raw.trim() === "") return;
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    markInvalidArguments(call, raw);
    return;
  }
  if (value === null) return;
  if (typeof value !== "object" || Array.isArray(value)) markInvalidArguments(call, raw);
  else call.arguments = { ...value };
}
