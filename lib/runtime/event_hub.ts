import type { Timer } from "../agent/mod.ts";
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
 * Passes events to hooks and listeners, in order, waiting for each. A listener that fails goes on
 * being called and stops nobody; its failure is reported the first time only. After an abort none
 * holds up the end for long: it may be that end which a listener waits for, with `await abort()`.
 */
export class EventHub {
  readonly #ports: EventHubPorts;
  readonly #report: (error: unknown) => void;
  readonly #listeners = new Set<AgentSessionListener>();
  readonly #failed = new WeakSet<AgentSessionListener>();

  constructor(ports: EventHubPorts) {
    this.#ports = ports;
    this.#report = ports.report ?? ((error) => console.error("A listener failed:", error));
  }

  subscribe(listener: AgentSessionListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async emit(event: AgentSessionEvent): Promise<void> {
    const { hooks } = this.#ports;
    if (hooks.observe) await hooks.observe(event);
    for (const listener of [...this.#listeners]) {
      try {
        await this.#hear(listener(event));
      } catch (error) {
        if (this.#failed.has(listener)) continue;
        this.#failed.add(listener);
        this.#report(error);
      }
    }
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
