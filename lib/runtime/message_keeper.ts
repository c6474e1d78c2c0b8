/** Persistence as a by-product of events: a message is written first and told afterwards. */
import type { Agent } from "../agent/mod.ts";
import { type Message, type Session, textOf } from "../session/mod.ts";
import type { AgentSessionEvent } from "./event.ts";
import type { EventHub } from "./event_hub.ts";

/**
 * When the model hears a message: `now` (during a run once the results of the current answer are
 * in), with the `nextPrompt`, like a `steer`ing message after the current tool calls, or as a
 * `followUp` when the run has nothing left to do. None of them starts a run.
 */
export type Delivery = "now" | "nextPrompt" | "steer" | "followUp";

/**
 * Writes what was said to the session and passes events on. What is said outside the run waits
 * here until the results of the current answer are in, so that nothing ever stands between a call
 * and its result.
 */
export class MessageKeeper {
  readonly #session: Session;
  readonly #hub: EventHub;
  readonly #agent: () => Agent;
  readonly #entryIds = new WeakMap<Message, string>();
  readonly #heldBack: Message[] = [];
  readonly #nextPrompt: Message[] = [];
  #toldQueue = "";

  constructor(session: Session, hub: EventHub, agent: () => Agent) {
    this.#session = session;
    this.#hub = hub;
    this.#agent = agent;
  }

  /** What waits to be delivered, as text. */
  get queue(): { steering: string[]; followUp: string[] } {
    return {
      steering: this.#agent().steering.waiting.map(textOfMessage),
      followUp: this.#agent().followUps.waiting.map(textOfMessage),
    };
  }

  /** Where a message was written. */
  entryIdOf(message: Message): string | undefined {
    return this.#entryIds.get(message);
  }

  /** Writes a finished message. */
  async commit(message: Message): Promise<void> {
    const id = await this.#append(message);
    if (id !== undefined) this.#entryIds.set(message, id);
  }

  /** Takes a message from outside the run; `letIn` writes what is for now. */
  async take(message: Message, deliver: Delivery): Promise<void> {
    switch (deliver) {
      case "now":
        this.#heldBack.push(message);
        return;
      case "nextPrompt":
        this.#nextPrompt.push(message);
        return;
      case "steer":
        this.#agent().steer(message);
        return await this.tellQueue();
      case "followUp":
        this.#agent().followUp(message);
        return await this.tellQueue();
    }
  }

  takeForPrompt(): Message[] {
    return this.#nextPrompt.splice(0);
  }

  /** Writes what was held back; on a failure it stays here, and is tried again the next time. */
  async letIn(): Promise<void> {
    for (let message = this.#heldBack.shift(); message; message = this.#heldBack.shift()) {
      // Taken and written at once: whoever else lets in meanwhile finds the next one.
      try {
        await this.commit(message);
      } catch (error) {
        this.#heldBack.unshift(message);
        throw error;
      }
      await this.#hub.emit({ type: "message_start", message });
      await this.passOn({ type: "message_end", message });
    }
  }

  /** Passes an event on; a finished message goes with the id of its entry. */
  async passOn(event: AgentSessionEvent): Promise<void> {
    if (event.type !== "message_end") return await this.#hub.emit(event);
    const entryId = this.#entryIds.get(event.message);
    await this.#hub.emit(entryId === undefined ? event : { ...event, entryId });
    if (event.message.role === "user" || event.message.role === "custom") await this.tellQueue();
  }

  /** Tells of an entry that is no message. */
  async tellEntry(id: string): Promise<void> {
    const entry = await this.#session.getEntry(id);
    if (entry) await this.#hub.emit({ type: "entry_appended", entry });
  }

  /** Tells of the queues, if they are not as they were when last told. */
  async tellQueue(): Promise<void> {
    const { steering, followUp } = this.queue;
    const now = steering.length + followUp.length === 0 ? "" : JSON.stringify([steering, followUp]);
    if (now === this.#toldQueue) return;
    this.#toldQueue = now;
    await this.#hub.emit({ type: "queue_update", steering, followUp });
  }

  async #append(message: Message): Promise<string | undefined> {
    switch (message.role) {
      case "custom": {
        const { customType, content, display, details } = message;
        return await this.#session.appendCustomMessage({
          customType,
          content,
          display,
          ...(details === undefined ? {} : { details }),
        });
      }
      case "user":
      case "assistant":
      case "toolResult":
      case "bashExecution":
      case "system":
        return await this.#session.appendMessage(message);
      case "branchSummary":
      case "compactionSummary":
        // The projection of an entry that exists already.
        return undefined;
    }
  }
}

/** A message's text. */
export function textOfMessage(message: Message): string {
  return "content" in message ? textOf(message.content) : "";
}
