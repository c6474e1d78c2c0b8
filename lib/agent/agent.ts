import type { ImageContent, Message, ThinkingLevel, UserMessage } from "../session/mod.ts";
import type { RunState } from "./ask.ts";
import type { AgentEvent } from "./event.ts";
import { Listeners } from "./listeners.ts";
import { run, type RunEnd, type RunHooks } from "./loop.ts";
import type { Model } from "./model.ts";
import { MessageQueue, type QueueMode } from "./queue.ts";
import { systemTimer, type Timer } from "./timer.ts";
import type { Tool } from "./tool.ts";

/** What an agent is made of. */
export interface AgentOptions {
  model: Model;
  tools?: readonly Tool[];
  systemPrompt?: string;
  thinkingLevel?: ThinkingLevel;
  /** The context of the next model call. By default the messages that the agent has seen. */
  context?: () => Promise<readonly Message[]> | readonly Message[];
  steeringMode?: QueueMode;
  followUpMode?: QueueMode;
  hooks?: RunHooks;
  /** What each request carries besides; see `ModelRequest`. */
  request?: RunState["request"];
  /** Hears once of each listener that threw; by default it is told on stderr. */
  onListenerError?: (error: unknown) => void;
  timer?: Timer;
}

/** Hears of an agent; the next event waits for its promise. */
export type AgentListener = (event: AgentEvent) => void | Promise<void>;

/**
 * Runs turns: asks the model, runs its tool calls, delivers what was queued. It knows no session
 * and no file; give it a `context` function and it asks that for each model call.
 *
 * Invariant: at most one run at a time, and `waitForIdle()` resolves when it has ended, whatever
 * ended it.
 *
 * @example
 * ```ts
 * import { Agent, replayModel } from "bough";
 *
 * const model = replayModel({
 *   messages: [{ role: "assistant", content: [{ type: "text", text: "Hello." }] }],
 * });
 * const agent = new Agent({ model });
 * agent.subscribe((event) => {
 *   if (event.type === "message_end") console.log(event.message.role);
 * });
 * await agent.prompt("Say hello.");
 * ```
 */
export class Agent {
  model: Model;
  thinkingLevel: ThinkingLevel;
  systemPrompt: string;
  tools: readonly Tool[];
  request: RunState["request"];
  readonly steering: MessageQueue;
  readonly followUps: MessageQueue;
  readonly #options: AgentOptions;
  readonly #timer: Timer;
  readonly #seen: Message[] = [];
  readonly #listeners: Listeners<AgentEvent>;
  #running: { controller: AbortController; ended: Promise<unknown> } | undefined;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
    this.#listeners = new Listeners(options.onListenerError);
    this.model = options.model;
    this.thinkingLevel = options.thinkingLevel ?? "off";
    this.systemPrompt = options.systemPrompt ?? "";
    this.tools = options.tools ?? [];
    this.request = options.request ?? {};
    this.steering = new MessageQueue(options.steeringMode);
    this.followUps = new MessageQueue(options.followUpMode);
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** The messages that this agent has seen; none with a `context` function, which then knows them. */
  get messages(): readonly Message[] {
    return this.#seen;
  }

  /**
   * Starts a run with new messages, or with a user's text and images. Resolves when the run has
   * ended, also badly: `error` and `aborted` say so. Rejects only if a run is going on.
   */
  prompt(
    input: string | readonly Message[],
    images: readonly ImageContent[] = [],
  ): Promise<RunEnd> {
    const messages = typeof input === "string"
      ? [userMessage(input, images, this.#timer.now())]
      : input;
    return this.#start(messages);
  }

  /** Goes on from a context that ends in a user message or a tool result. */
  continue(): Promise<RunEnd> {
    return this.#start([]);
  }

  /** Says something to the run in progress: it is heard after the current tool calls. */
  steer(message: Message | string): void {
    this.steering.push(toMessage(message, this.#timer.now()));
  }

  /** Says something once the run has nothing left to do. */
  followUp(message: Message | string): void {
    this.followUps.push(toMessage(message, this.#timer.now()));
  }

  /** Takes back what was queued and not yet delivered. */
  clearQueue(): { steering: Message[]; followUp: Message[] } {
    return { steering: this.steering.clear(), followUp: this.followUps.clear() };
  }

  /** Stops the run: tools end, open calls are answered, what was said is kept. */
  abort(): void {
    this.#running?.controller.abort();
  }

  /** Resolves when no run is going on. */
  async waitForIdle(): Promise<void> {
    while (this.#running) await this.#running.ended;
  }

  /** Calls the listener with each event, in order, and waits for it. Returns what ends that. */
  subscribe(listener: AgentListener): () => void {
    return this.#listeners.subscribe(listener);
  }

  async #start(prompts: readonly Message[]): Promise<RunEnd> {
    if (this.#running) {
      throw new Error(
        "Cannot start a run: one is going on. Use steer() or followUp(), or wait for it to end.",
      );
    }
    const controller = new AbortController();
    const ended = Promise.withResolvers<void>();
    this.#running = { controller, ended: ended.promise };
    try {
      return await run(this.#ports(), prompts, controller.signal);
    } finally {
      this.#running = undefined;
      ended.resolve();
    }
  }

  #ports() {
    const own = this.#options.context;
    return {
      state: () => this,
      context: async () => own ? await own() : this.#seen,
      emit: (event: AgentEvent) => this.#emit(event),
      steering: this.steering,
      followUps: this.followUps,
      hooks: this.#options.hooks ?? {},
      timer: this.#timer,
    };
  }

  async #emit(event: AgentEvent): Promise<void> {
    if (event.type === "message_end" && !this.#options.context) this.#seen.push(event.message);
    await this.#listeners.tell(event);
  }
}

function toMessage(message: Message | string, timestamp: number): Message {
  return typeof message === "string" ? userMessage(message, [], timestamp) : message;
}

/** A user's text, with images if there are any, as a message. */
export function userMessage(
  text: string,
  images: readonly ImageContent[],
  timestamp: number,
): UserMessage {
  if (images.length === 0) return { role: "user", content: text, timestamp };
  return { role: "user", content: [{ type: "text", text }, ...images], timestamp };
}
