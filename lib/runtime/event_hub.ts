import type { AgentSessionEvent } from "./event.ts";
import type { SessionHooks } from "./hooks.ts";

/** Hears of a conversation; the next event waits for its promise. */
export type AgentSessionListener = (event: AgentSessionEvent) => void | Promise<void>;

/**
 * Passes events to hooks and listeners, in order, waiting for each. A listener that fails goes on
 * being called and stops nobody; its failure is reported the first time only.
 */
export class EventHub {
  readonly #hooks: SessionHooks;
  readonly #report: (error: unknown) => void;
  readonly #listeners = new Set<AgentSessionListener>();
  readonly #failed = new WeakSet<AgentSessionListener>();

  constructor(hooks: SessionHooks, report?: (error: unknown) => void) {
    this.#hooks = hooks;
    this.#report = report ?? ((error) => console.error("A listener failed:", error));
  }

  subscribe(listener: AgentSessionListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async emit(event: AgentSessionEvent): Promise<void> {
    if (this.#hooks.observe) await this.#hooks.observe(event);
    for (const listener of [...this.#listeners]) {
      try {
        await listener(event);
      } catch (error) {
        if (this.#failed.has(listener)) continue;
        this.#failed.add(listener);
        this.#report(error);
      }
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}
