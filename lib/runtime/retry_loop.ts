/** Retries of one prompt: the waits, then the fallback models. */
import { type Model, MODEL_ERROR_FATE, type ModelError, type Timer } from "../agent/mod.ts";
import type { AgentSessionEvent } from "./event.ts";
import { decideRetry, type RetrySettings } from "./retry.ts";

export interface RetryPorts {
  settings: RetrySettings;
  fallbackModels: readonly Model[];
  useModel(model: Model): void;
  emit(event: AgentSessionEvent): Promise<void>;
  timer: Timer;
  random: () => number;
}

/** Counts the failures in a row and waits between them; made anew for each prompt. */
export class RetryLoop {
  readonly #ports: RetryPorts;
  #attempt = 0;
  #fallbacksUsed = 0;
  #waiting = false;
  /** An `auto_retry_start` was told, and no end of it. */
  #isGoingOn = false;
  #finalError: ModelError | undefined;
  /** How often the model was asked again, in all. */
  retries = 0;

  constructor(ports: RetryPorts) {
    this.#ports = ports;
  }

  /** The fallback model that was turned to, if any. */
  get fallback(): Model | undefined {
    return this.#ports.fallbackModels[this.#fallbacksUsed - 1];
  }

  get isWaiting(): boolean {
    return this.#waiting;
  }

  /** What to tell where there was nothing left to try. */
  get finalError(): ModelError | undefined {
    return this.#finalError;
  }

  /** Whether a failure would be tried again; waits for nothing. */
  wouldRetry(error: ModelError): boolean {
    return decideRetry(error, this.#attempt + 1, this.#ports.settings, () => 0).kind === "wait" ||
      this.#nextFallback(error) !== undefined;
  }

  /** Waits, or turns to the next fallback model; false if there is nothing left to try. */
  async afterFailure(error: ModelError, signal: AbortSignal): Promise<boolean> {
    const { emit, random, settings, timer, useModel } = this.#ports;
    const decision = decideRetry(error, this.#attempt + 1, settings, random);
    const errorMessage = decision.kind === "wait" ? error.message : decision.error.message;
    if (decision.kind === "wait") {
      this.#attempt++;
      this.#isGoingOn = true;
      await emit({
        type: "auto_retry_start",
        attempt: this.#attempt,
        maxAttempts: settings.maxRetries,
        delayMs: decision.delayMs,
        errorMessage,
      });
      this.#waiting = true;
      await timer.sleep(decision.delayMs, signal);
      this.#waiting = false;
    } else {
      const fallback = this.#nextFallback(error);
      if (!fallback) {
        this.#finalError = decision.error;
        await this.#end(false, errorMessage);
        return false;
      }
      this.#fallbacksUsed++;
      this.#attempt = 0;
      this.#isGoingOn = true;
      useModel(fallback);
      await emit({
        type: "auto_retry_start",
        attempt: 0,
        maxAttempts: settings.maxRetries,
        delayMs: 0,
        errorMessage,
        fallbackModel: `${fallback.facts.provider}/${fallback.facts.id}`,
      });
    }
    if (signal.aborted) {
      await this.#end(false, "the wait was aborted");
      return false;
    }
    this.retries++;
    return true;
  }

  /** An answer came: the failures in a row are over. */
  async succeeded(): Promise<void> {
    await this.#end(true);
    this.#attempt = 0;
  }

  /** Tells how the attempts ended, if there were some. */
  async #end(success: boolean, finalError?: string): Promise<void> {
    if (!this.#isGoingOn) return;
    this.#isGoingOn = false;
    await this.#ports.emit({
      type: "auto_retry_end",
      success,
      attempt: this.#attempt,
      ...(finalError === undefined ? {} : { finalError }),
    });
  }

  /** A fallback helps against what is wrong with one model or provider, not with the request. */
  #nextFallback(error: ModelError): Model | undefined {
    const helps = MODEL_ERROR_FATE[error.code].retry || error.code === "quota";
    return helps ? this.#ports.fallbackModels[this.#fallbacksUsed] : undefined;
  }
}
