/** Keeps a provider's prompt cache warm while tools run for long. */
import {
  type AgentEvent,
  answerEvents,
  canKeepPromptCached,
  type Model,
  type ModelRequest,
  type Timer,
} from "../agent/mod.ts";
import type { Usage } from "../session/mod.ts";

/** Whether, and how long after the last request. Providers keep a prompt for about 5 minutes. */
export interface CacheWarmingSettings {
  enabled: boolean;
  intervalMs: number;
}

export const DEFAULT_CACHE_WARMING: CacheWarmingSettings = { enabled: false, intervalMs: 240_000 };

/** Reading a cached prompt costs about a tenth of writing it anew, so this often pays at most. */
const WARMINGS_MAX = 10;

export interface WarmingPorts {
  settings: CacheWarmingSettings;
  timer: Timer;
  /** Keeps what a request used; never rejects. */
  record(model: Model, usage: Usage): Promise<void>;
}

/**
 * While the calls of an answer run, sends the last request again from time to time, asking for one
 * token. Invariant: never beside a model call of the run, for `beforeRequest` waits until it has
 * stopped.
 */
export class CacheWarmer {
  readonly #ports: WarmingPorts;
  #last: { request: ModelRequest; model: Model; askedAt: number } | undefined;
  #warming: { controller: AbortController; ended: Promise<void> } | undefined;

  constructor(ports: WarmingPorts) {
    this.#ports = ports;
  }

  /** A model is about to be asked. */
  async beforeRequest(request: ModelRequest, model: Model): Promise<void> {
    await this.#stop();
    this.#last = { request, model, askedAt: this.#ports.timer.now() };
  }

  /** Begins with the first call of a turn, and ends with the turn. */
  async hear(event: AgentEvent): Promise<void> {
    if (event.type === "tool_execution_start") this.#start();
    else if (event.type === "turn_end" || event.type === "agent_end") await this.#stop();
  }

  #start(): void {
    const { request, model } = this.#last ?? {};
    if (!this.#ports.settings.enabled || this.#warming || !request || !model) return;
    if (request.cache === false || !canKeepPromptCached(model.facts, request.thinkingLevel)) return;
    const controller = new AbortController();
    this.#warming = { controller, ended: this.#keepWarm(controller.signal) };
  }

  async #stop(): Promise<void> {
    const warming = this.#warming;
    this.#warming = undefined;
    warming?.controller.abort();
    await warming?.ended;
  }

  async #keepWarm(signal: AbortSignal): Promise<void> {
    const { settings: { intervalMs }, timer } = this.#ports;
    for (let n = 0; n < WARMINGS_MAX && this.#last; n++) {
      await timer.sleep(Math.max(0, this.#last.askedAt + intervalMs - timer.now()), signal);
      if (signal.aborted || !await this.#warm(signal)) return;
      this.#last.askedAt = timer.now();
    }
  }

  /** Asks once; false if that was in vain, and would be again. */
  async #warm(signal: AbortSignal): Promise<boolean> {
    if (!this.#last) return false;
    const { model, request } = this.#last;
    const { timer } = this.#ports;
    for await (
      const event of answerEvents(model, { ...request, maxTokens: 1 }, { signal, timer })
    ) {
      if (event.type !== "done" && event.type !== "failed") continue;
      const { usage } = event.message;
      if (usage.totalTokens > 0) await this.#ports.record(model, usage);
      // A failure is not told: the run's own next request meets it, if it lasts.
      return event.type === "done";
    }
    return false;
  }
}
