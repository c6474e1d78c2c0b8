/** What one call of a handler or a command works with. */
import type { ModelFacts } from "../../agent/mod.ts";
import type { ThinkingLevel } from "../../session/mod.ts";
import type { ExtensionContext, ExtensionUi, NoticeLevel, SessionView } from "./api.ts";
import { ExtensionError } from "./errors.ts";
import type { SessionDoor } from "./session_door.ts";

export interface ContextPorts {
  /** The extension's name. */
  name: string;
  door: SessionDoor;
  ui: ExtensionUi;
  signal: AbortSignal;
}

/** Stale once its session was left: everything throws then, but for the signal. */
export class CallContext implements ExtensionContext {
  readonly #ports: ContextPorts;
  #question: Promise<unknown> | undefined;

  constructor(ports: ContextPorts) {
    this.#ports = ports;
  }

  get signal(): AbortSignal {
    return this.#ports.signal;
  }

  get cwd(): string {
    return this.session.cwd;
  }

  get session(): SessionView {
    this.#ports.door.assertNotStale();
    return this.#ports.door.view();
  }

  get model(): ModelFacts {
    return this.#ports.door.session.model.facts;
  }

  get thinkingLevel(): ThinkingLevel {
    return this.#ports.door.session.thinkingLevel;
  }

  get isRunning(): boolean {
    return this.#ports.door.session.isRunning;
  }

  get hasUI(): boolean {
    return this.#ports.ui.questions !== undefined;
  }

  /** The question that a person is thinking about. */
  get question(): Promise<unknown> | undefined {
    return this.#question;
  }

  notify(text: string, level: NoticeLevel = "info"): void {
    this.#ports.door.assertNotStale();
    this.#ports.ui.notify(`${this.#ports.name}: ${text}`, level);
  }

  async confirm(question: string): Promise<boolean> {
    return await this.#ask((questions, signal) => questions.confirm(question, signal));
  }

  async select(question: string, choices: readonly string[]): Promise<string | undefined> {
    return await this.#ask((questions, signal) => questions.select(question, choices, signal));
  }

  async input(question: string): Promise<string | undefined> {
    return await this.#ask((questions, signal) => questions.input(question, signal));
  }

  /** Asks the person; rejects when the signal aborts, whatever the person is up to. */
  async #ask<T>(
    put: (questions: NonNullable<ExtensionUi["questions"]>, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { door, name, signal, ui } = this.#ports;
    door.assertNotStale();
    if (!ui.questions) {
      throw new ExtensionError(
        "no_person",
        `Cannot ask a person for the extension ${name}: there is none at a terminal. ` +
          "Look at hasUI first, and decide without where it is false.",
      );
    }
    const asking = Promise.race([put(ui.questions, signal), rejectWhenAborted(signal)]);
    this.#question = asking;
    try {
      return await asking;
    } finally {
      if (this.#question === asking) this.#question = undefined;
    }
  }
}

function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(new Error("The question was aborted."));
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
  });
}
