import type { Message } from "../session/mod.ts";

/** How many waiting messages are delivered at once. */
export type QueueMode = "one-at-a-time" | "all";

/** Messages that wait for their moment in a run. */
export class MessageQueue {
  mode: QueueMode;
  #waiting: Message[] = [];

  constructor(mode: QueueMode = "one-at-a-time") {
    this.mode = mode;
  }

  get waiting(): readonly Message[] {
    return this.#waiting;
  }

  push(message: Message): void {
    this.#waiting.push(message);
  }

  /** Takes what is delivered next: one message, or all of them. */
  take(): Message[] {
    return this.#waiting.splice(0, this.mode === "all" ? this.#waiting.length : 1);
  }

  /** Empties the queue and gives what was in it. */
  clear(): Message[] {
    return this.#waiting.splice(0);
  }
}
