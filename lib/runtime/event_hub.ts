import { Listeners, type Timer } from "../agent/mod.ts";
import type { AgentSessionEvent } from "./event.ts";
import type { SessionHooks } from "./hooks.ts";
import { withinGrace } from "./within_grace.ts";

/** Hears of a conversation; the next event waits for its promise. */
export type AgentSessionListener = (event: AgentSessionEvent) => void | Promise<void>;

export interface EventHubPorts {
  hooks: SessionHooks;
  report?: ((error: unknown) => void) | undefined;
  /** Aborts with what is told of now; undefined if that is no run. */
  signal(): AbortSignal | undefined;
  timer: Timer;
}

/**
 * Passes events to hooks and listeners, in order, waiting for each. After an abort none holds up the
 * end for long: it may be that end which a listener waits for, with `await abort()`.
 */
export class EventHub {
  readonly #ports: EventHubPorts;
  readonly #listeners: Listeners<AgentSessionEvent>;

  constructor(ports: EventHubPorts) {
    this.#ports = ports;
    this.#listeners = new Listeners(ports.report);
  }

  subscribe(listener: AgentSessionListener): () => void {
    return this.#listeners.subscribe(listener);
  }

  async emit(event: AgentSessionEvent): Promise<void> {
    const { hooks } = this.#ports;
    if (hooks.observe) await hooks.observe(event);
    await this.#listeners.tell(event, (heard) => this.#hear(heard));
  }

  async #hear(heard: void | Promise<void>): Promise<void> {
    const signal = this.#ports.signal();
    if (!(heard instanceof Promise) || !signal) return await heard;
    await withinGrace(heard, signal, this.#ports.timer);
  }

  clear(): void {
    this.#listeners.clear();
  }
}
