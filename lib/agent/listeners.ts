type Listener<E> = (event: E) => void | Promise<void>;

/**
 * Who hears events: each in order, waited for. One that fails goes on being called and stops
 * nobody; its failure is reported the first time only, and a report that fails stops nobody either.
 */
export class Listeners<E> {
  readonly #report: (error: unknown) => void;
  readonly #listeners = new Set<Listener<E>>();
  readonly #failed = new WeakSet<Listener<E>>();

  /** @param report Hears of failures; by default they are told on stderr. */
  constructor(report: (error: unknown) => void = log) {
    this.#report = report;
  }

  /** Returns what ends it. */
  subscribe(listener: Listener<E>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  clear(): void {
    this.#listeners.clear();
  }

  /** @param wait How long a listener's promise is waited for; to its end if absent. */
  async tell(event: E, wait?: (heard: void | Promise<void>) => Promise<void>): Promise<void> {
    for (const listener of [...this.#listeners]) {
      try {
        const heard = listener(event);
        await (wait ? wait(heard) : heard);
      } catch (error) {
        this.#reportOnce(listener, error);
      }
    }
  }

  #reportOnce(listener: Listener<E>, error: unknown): void {
    if (this.#failed.has(listener)) return;
    this.#failed.add(listener);
    try {
      this.#report(error);
    } catch (failure) {
      log(failure);
    }
  }
}

function log(error: unknown): void {
  console.error("A listener failed:", error);
}
