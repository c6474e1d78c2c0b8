/** One live conversation: an agent and a session, joined (`docs/events.md`). */
import {
  Agent,
  type Model,
  type QueueMode,
  type RunHooks,
  systemTimer,
  type Timer,
  type Tool,
  userMessage,
} from "../agent/mod.ts";
import { type CompactionConfig, compactionSettings } from "../compaction/mod.ts";
import {
  type BashExecutionMessage,
  type CompactionEntry,
  type ImageContent,
  type Message,
  type ModelRef,
  type Session,
  SessionError,
  type ThinkingLevel,
} from "../session/mod.ts";
import { CacheWarmer, type CacheWarmingSettings, DEFAULT_CACHE_WARMING } from "./cache_warming.ts";
import { Compactor } from "./compactor.ts";
import { isSameModel, recordSettings, restoreSettings } from "./conversation_settings.ts";
import { type AgentSessionListener, EventHub } from "./event_hub.ts";
import type { SessionHooks, UserInput } from "./hooks.ts";
import { type Delivery, MessageKeeper, textOfMessage } from "./message_keeper.ts";
import { moveInTree, type MoveOptions, type MoveOutcome } from "./navigation.ts";
import { PromptRun } from "./prompt_run.ts";
import { DEFAULT_RETRY, type RetrySettings } from "./retry.ts";
import { RetryLoop } from "./retry_loop.ts";
import { type RunOutcome, RunTally } from "./run_tally.ts";
import { RunningError } from "./running_error.ts";
import { type SessionStats, sessionStats } from "./stats.ts";
import { retrySummary } from "./summary_retry.ts";
import { clampThinkingLevel } from "./thinking.ts";
import { runUserShell, type UserShell } from "./user_shell.ts";

/** What an `AgentSession` is made of. Only `session` and `model` are needed. */
export interface AgentSessionOptions {
  session: Session;
  model: Model;
  /** All tools that there are; each is on unless `activeTools` says otherwise. */
  tools?: readonly Tool[];
  activeTools?: readonly string[];
  /** The system prompt, or what makes it for the tools that are on. */
  systemPrompt?: string | ((toolNames: readonly string[]) => string);
  thinkingLevel?: ThinkingLevel;
  steeringMode?: QueueMode;
  followUpMode?: QueueMode;
  retry?: Partial<RetrySettings>;
  compaction?: CompactionConfig;
  /** Keeps the prompt cache warm while tools run for long; off by default. */
  cacheWarming?: Partial<CacheWarmingSettings>;
  /** Asked in this order when the model goes on failing. */
  fallbackModels?: readonly Model[];
  /** The models that `cycleModel` goes through; asked when it does. */
  scopedModels?: () => Promise<readonly Model[]>;
  /** Finds the model that a branch was using; undefined if it cannot be used here. */
  findModel?: (ref: ModelRef) => Promise<Model | undefined>;
  /** Asks each final answer to fit a JSON Schema, where the provider can. */
  outputSchema?: { name: string; schema: Record<string, unknown> };
  hooks?: SessionHooks;
  /** Runs the shell commands of a person (`!cmd`). */
  shell?: UserShell;
  onListenerError?: (error: unknown) => void;
  timer?: Timer;
  /** In [0, 1). */
  random?: () => number;
}

/** How a prompt is to be taken. */
export interface PromptOptions {
  images?: readonly ImageContent[];
  /** Stands in front of the text once commands and templates in that were expanded. */
  preface?: string;
  /** What to do with it while a run is going on; without it that is an error. */
  whileRunning?: "steer" | "followUp";
  /** Told once, before the first event of it: it begins, it waits its turn, or it was taken. */
  onAccepted?: (how: "started" | "queued" | "taken") => void;
}

/** What is going on: abortable as one. */
interface Work {
  controller: AbortController;
  ended: Promise<void>;
  run: PromptRun;
  retry: RetryLoop;
}

/**
 * Joins an `Agent` and a `Session`: every finished message is written before anybody hears of it,
 * and each model call gets the session's projection. What follows a run, retries, compaction, shell
 * commands and statistics are parts of their own.
 *
 * Invariants: one piece of work at a time; `agent_settled` is the last event of each; nothing stands
 * between a call and its result.
 *
 * @example
 * ```ts
 * import { AgentSession, MemorySessionRepo, replayModel } from "bough";
 *
 * const session = new AgentSession({
 *   session: await new MemorySessionRepo().create({ cwd: "/tmp" }),
 *   model: replayModel({
 *     messages: [{ role: "assistant", content: [{ type: "text", text: "Hello." }] }],
 *   }),
 * });
 * session.subscribe((event) => {
 *   if (event.type === "message_update" && event.assistantMessageEvent?.type === "text_delta") {
 *     console.log(event.assistantMessageEvent.delta);
 *   }
 * });
 * const { stopReason, usage } = await session.prompt("Say hello.");
 * console.log(stopReason, usage.totalTokens);
 * await session.dispose();
 * ```
 */
export class AgentSession {
  readonly session: Session;
  readonly agent: Agent;
  readonly #options: AgentSessionOptions;
  readonly #hooks: SessionHooks;
  readonly #hub: EventHub;
  readonly #keeper: MessageKeeper;
  readonly #compactor: Compactor;
  readonly #warmer: CacheWarmer;
  readonly #timer: Timer;
  readonly #random: () => number;
  readonly #alongside = new Set<AbortController>();
  #work: Work | undefined;
  #disposed = false;

  constructor(options: AgentSessionOptions) {
    this.#options = options;
    this.#hooks = options.hooks ?? {};
    this.#timer = options.timer ?? systemTimer;
    this.#random = options.random ?? Math.random;
    this.session = options.session;
    this.#hub = new EventHub(this.#hooks, options.onListenerError);
    this.#keeper = new MessageKeeper(this.session, this.#hub, () => this.agent);
    this.#warmer = new CacheWarmer({
      settings: { ...DEFAULT_CACHE_WARMING, ...options.cacheWarming },
      timer: this.#timer,
      record: async (model, usage) => await this.#work?.run.keepUsage("cache_warm", model, usage),
    });
    this.agent = new Agent({
      model: options.model,
      thinkingLevel: clampThinkingLevel(options.thinkingLevel ?? "off", options.model.facts),
      context: async () => (await this.session.buildContext()).messages,
      hooks: this.#runHooks(),
      request: {
        sessionId: this.session.id,
        ...(options.outputSchema ? { outputSchema: options.outputSchema } : {}),
      },
      timer: this.#timer,
      ...(options.steeringMode ? { steeringMode: options.steeringMode } : {}),
      ...(options.followUpMode ? { followUpMode: options.followUpMode } : {}),
    });
    this.agent.subscribe((event) => this.#keeper.passOn(event));
    this.agent.subscribe((event) => this.#warmer.hear(event));
    this.setActiveTools(options.activeTools ?? this.allTools.map((tool) => tool.name));
    this.#compactor = new Compactor({
      session: this.session,
      agent: this.agent,
      config: options.compaction ?? {},
      retry: this.#retrySettings(),
      hooks: this.#hooks,
      emit: (event) => this.#hub.emit(event),
      timer: this.#timer,
      random: this.#random,
    });
  }

  get model(): Model {
    return this.agent.model;
  }

  get thinkingLevel(): ThinkingLevel {
    return this.agent.thinkingLevel;
  }

  get allTools(): readonly Tool[] {
    return this.#options.tools ?? [];
  }

  /** Whether a prompt, a compaction or a move in the tree is being worked on. */
  get isRunning(): boolean {
    return this.#work !== undefined;
  }

  /** Aborts with what is being worked on; undefined if nothing is. */
  get signal(): AbortSignal | undefined {
    return this.#work?.controller.signal;
  }

  get isCompacting(): boolean {
    return this.#compactor.isRunning;
  }

  /** Whether a failed model call waits to be tried again. */
  get isRetrying(): boolean {
    return this.#work?.retry.isWaiting ?? false;
  }

  /** What waits to be delivered, as text. */
  get queue(): { steering: string[]; followUp: string[] } {
    return this.#keeper.queue;
  }

  /** Calls the listener with each event, in order, and waits for it. Returns what ends that. */
  subscribe(listener: AgentSessionListener): () => void {
    return this.#hub.subscribe(listener);
  }

  /**
   * Says something to the model and works until there is nothing left to do. Resolves with how it
   * ended, also badly; rejects with a `SessionError` of code `closed` after `dispose()`, and with an
   * `RunningError` if something is going on and `whileRunning` is absent.
   */
  async prompt(text: string, options: PromptOptions = {}): Promise<RunOutcome> {
    this.#assertAlive();
    const typed = { text, images: options.images ?? [] };
    const received = await this.alongside((signal) => this.#receive(typed, signal));
    if (received === "taken") {
      options.onAccepted?.("taken");
      return new RunTally().outcome(undefined);
    }
    if (received === "aborted") {
      const aborted = { aborted: true, stopReason: "aborted" as const, taken: false };
      return { ...new RunTally().outcome(undefined), ...aborted };
    }
    const input = withPreface(received, options.preface);
    if (!this.isRunning) {
      return await this.#start((run) => {
        options.onAccepted?.("started");
        return this.#runPrompt(input, run);
      });
    }
    if (!options.whileRunning) {
      throw new RunningError(
        "Cannot start a prompt: one is being worked on. Say whether to steer it or to follow up.",
      );
    }
    options.onAccepted?.("queued");
    await this.#enqueue(options.whileRunning, input.text, input.images);
    return new RunTally().outcome(undefined);
  }

  /** Goes on without a new message, from a context that ends in a user message or a tool result. */
  async continue(): Promise<RunOutcome> {
    return await this.#start((run) => run.toTheEnd(() => this.agent.continue()));
  }

  /** Says something to the run in progress: it is heard after the current tool calls. */
  async steer(text: string, images: readonly ImageContent[] = []): Promise<void> {
    await this.#enqueue("steer", text, images);
  }

  /** Says something once the run has nothing left to do. */
  async followUp(text: string, images: readonly ImageContent[] = []): Promise<void> {
    await this.#enqueue("followUp", text, images);
  }

  /** Takes back what was queued and not yet delivered, as text. */
  async clearQueue(): Promise<{ steering: string[]; followUp: string[] }> {
    const { steering, followUp } = this.agent.clearQueue();
    await this.#keeper.tellQueue();
    return { steering: steering.map(textOfMessage), followUp: followUp.map(textOfMessage) };
  }

  /** Stops what is going on: the model call, tools, a wait, a compaction. Resolves when it has. */
  async abort(): Promise<void> {
    this.#work?.controller.abort();
    for (const controller of this.#alongside) controller.abort();
    await this.waitForIdle();
  }

  /** Resolves when nothing is going on. */
  async waitForIdle(): Promise<void> {
    while (this.#work) await this.#work.ended;
  }

  /** Uses another model from the next turn on; the choice is kept in the session. */
  async setModel(model: Model): Promise<void> {
    this.#assertAlive();
    const { provider, id } = model.facts;
    await this.#keeper.tellEntry(await this.session.appendModelChange(provider, id));
    this.agent.model = model;
    await this.#hub.emit({ type: "model_changed", provider, modelId: id });
    const level = clampThinkingLevel(this.thinkingLevel, model.facts);
    if (level !== this.thinkingLevel) await this.setThinkingLevel(level);
  }

  /** Turns to the next of the scoped models, or to the one before; undefined if there is no other. */
  async cycleModel(step: 1 | -1 = 1): Promise<Model | undefined> {
    const models = await this.#options.scopedModels?.() ?? [];
    if (models.length < 2) return undefined;
    const at = models.findIndex((model) => isSameModel(model, this.model));
    const next = models.at((Math.max(at, 0) + step) % models.length);
    if (next) await this.setModel(next);
    return next;
  }

  /** Sets how hard the model thinks, as far as it can; returns the level that it now has. */
  async setThinkingLevel(level: ThinkingLevel): Promise<ThinkingLevel> {
    this.#assertAlive();
    const possible = clampThinkingLevel(level, this.model.facts);
    await this.#keeper.tellEntry(await this.session.appendThinkingLevelChange(possible));
    this.agent.thinkingLevel = possible;
    await this.#hub.emit({ type: "thinking_level_changed", level: possible });
    return possible;
  }

  /** Switches tools on by name, all others off; a name that is no tool's counts for nothing. */
  setActiveTools(names: readonly string[]): void {
    const wanted = new Set(names);
    this.agent.tools = this.allTools.filter((tool) => wanted.has(tool.name));
    this.agent.systemPrompt = this.#systemPrompt();
  }

  /**
   * Compacts now. Resolves with the entry, or with undefined if an extension or `abort` stopped it;
   * rejects with the reason if it cannot be done.
   */
  async compact(instructions?: string): Promise<CompactionEntry | undefined> {
    const outcome = await this.#start((run) =>
      this.#compactor.run("manual", {
        signal: run.signal,
        ...(instructions === undefined ? {} : { instructions }),
      })
    );
    if (outcome.kind === "failed") throw outcome.error;
    return outcome.kind === "done" ? outcome.entry : undefined;
  }

  /** Moves in the tree; see `MoveOptions`. Not while something is going on. */
  async navigateTree(targetId: string | null, options: MoveOptions = {}): Promise<MoveOutcome> {
    return await this.#start(async (run) => {
      const fromId = this.session.leafId;
      const outcome = await moveInTree(targetId, options, {
        session: this.session,
        model: this.model,
        hooks: this.#hooks,
        signal: run.signal,
        settings: compactionSettings(this.#options.compaction ?? {}, this.model.facts),
        retry: retrySummary({
          retry: this.#retrySettings(),
          emit: (event) => this.#hub.emit(event),
          timer: this.#timer,
          random: this.#random,
        }, run.signal),
      });
      for (const id of outcome.entryIds) await this.#keeper.tellEntry(id);
      if (!outcome.cancelled) {
        await restoreSettings(this.session, this.agent, this.#hub, this.#options.findModel);
        const { leafId, summaryEntryId } = outcome;
        await this.#hooks.afterTree?.({
          targetId,
          fromId,
          leafId,
          ...(summaryEntryId === undefined ? {} : { summaryEntryId }),
        });
      }
      return outcome;
    });
  }

  /**
   * Runs a shell command of a person and keeps it with its output; with `exclude` the model does not
   * get to see it. During a run it is kept once the results of the current answer are in.
   */
  async executeBash(
    command: string,
    options: { exclude?: boolean } = {},
  ): Promise<BashExecutionMessage> {
    this.#assertAlive();
    const { shell } = this.#options;
    if (!shell) {
      throw new Error("Cannot run a command: this conversation was made without a shell.");
    }
    const message = await this.alongside((signal) =>
      runUserShell(command, {
        cwd: this.session.cwd,
        shell,
        exclude: options.exclude === true,
        onOutput: (delta) => void this.#hub.emit({ type: "bash_execution_update", delta }),
        signal,
        timer: this.#timer,
        ...(this.#hooks.userBash ? { mayRun: this.#hooks.userBash } : {}),
      })
    );
    await this.addMessage(message);
    return message;
  }

  /** Does something that is no part of the run, but that `abort()` stops as well. */
  async alongside<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#alongside.add(controller);
    try {
      return await task(controller.signal);
    } finally {
      this.#alongside.delete(controller);
    }
  }

  /** Adds a message that is neither the user's nor the model's; see `Delivery`. */
  async addMessage(message: Message, options: { deliver?: Delivery } = {}): Promise<void> {
    this.#assertAlive();
    await this.#keeper.take(message, options.deliver ?? "now");
    if (!this.isRunning) await this.#keeper.letIn();
  }

  /** Names the session; an empty name clears it. */
  async setSessionName(name: string): Promise<void> {
    await this.#keeper.tellEntry(await this.session.appendSessionName(name));
    await this.#hub.emit({ type: "session_info_changed", name: this.session.name });
  }

  /** Labels an entry; an empty label clears it. */
  async setLabel(entryId: string, label: string): Promise<void> {
    await this.#keeper.tellEntry(await this.session.appendLabel(entryId, label));
  }

  /** Takes one entry out of the context; the entry stays in the session. */
  async dropFromContext(entryId: string): Promise<void> {
    await this.#keeper.tellEntry(await this.session.appendContextEdit(entryId, null));
  }

  /** Replaces what one entry contributes to the context; the entry itself stays as it is. */
  async editContext(entryId: string, content: string): Promise<void> {
    await this.#keeper.tellEntry(await this.session.appendContextEdit(entryId, { content }));
  }

  /** Keeps an extension's own state. Returns the entry's id. */
  async appendCustomEntry(customType: string, data?: unknown): Promise<string> {
    const id = await this.session.appendCustomEntry(customType, data);
    await this.#keeper.tellEntry(id);
    return id;
  }

  /** Tokens, cost and context use of this branch and of the whole session. */
  async stats(): Promise<SessionStats> {
    return await sessionStats(this.session, this.model.facts, await this.#compactor.tokens());
  }

  /**
   * Stops what is going on, keeps what there is and closes the session, unless `keepSession` says
   * that somebody goes on with it.
   */
  async dispose(options: { keepSession?: boolean } = {}): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    await this.abort();
    this.#hub.clear();
    if (!options.keepSession) await this.session.close();
  }

  async #receive(
    typed: UserInput,
    signal: AbortSignal,
  ): Promise<UserInput | "taken" | "aborted"> {
    const command = await this.#hooks.command?.(typed.text, signal) ?? false;
    if (signal.aborted) return "aborted";
    if (command === true) return "taken";
    const said = command ? { ...typed, text: command.prompt } : typed;
    const input = await this.#hooks.input?.(said, signal) ?? said;
    if (signal.aborted) return "aborted";
    if (input === "taken") return input;
    return { text: await this.#hooks.expand?.(input.text) ?? input.text, images: input.images };
  }

  /** The frame of all work: one at a time, aborted as one, settled at its end. */
  async #start<T>(task: (run: PromptRun) => Promise<T>): Promise<T> {
    this.#assertAlive();
    if (this.#work) {
      throw new RunningError(
        "Cannot start: something is going on. Abort it, or wait for it to end.",
      );
    }
    const controller = new AbortController();
    const ended = Promise.withResolvers<void>();
    const model = this.agent.model;
    const retry = this.#newRetryLoop();
    const run = new PromptRun({
      session: this.session,
      agent: this.agent,
      keeper: this.#keeper,
      compactor: this.#compactor,
      retry,
      hooks: this.#hooks,
      signal: controller.signal,
    });
    this.#work = { controller, ended: ended.promise, run, retry };
    this.#compactor.startPrompt();
    controller.signal.addEventListener("abort", () => this.agent.abort(), { once: true });
    try {
      return await task(run);
    } finally {
      await this.#leaveFallback(model, run, retry);
      this.#work = undefined;
      ended.resolve();
      await this.#hub.emit({ type: "agent_settled", aborted: controller.signal.aborted });
    }
  }

  async #runPrompt(input: UserInput, run: PromptRun): Promise<RunOutcome> {
    try {
      await run.saving(async () => {
        await recordSettings(this.session, this.agent, this.#keeper);
        await this.#keeper.letIn();
      });
      await run.compactIfNeeded();
    } catch (error) {
      if (error instanceof SessionError) return run.ended();
      throw error;
    }
    if (run.signal.aborted) return run.ended();
    const systemPrompt = this.#systemPrompt();
    const start = await this.#hooks.beforeAgentStart?.({ prompt: input.text, systemPrompt }) ?? {};
    this.agent.systemPrompt = start.systemPrompt ?? systemPrompt;
    const messages = [
      userMessage(input.text, input.images, this.#timer.now()),
      ...this.#keeper.takeForPrompt(),
      ...start.messages ?? [],
    ];
    if (run.signal.aborted) return run.ended();
    return await run.toTheEnd(() => this.agent.prompt(messages));
  }

  #runHooks(): RunHooks {
    const { context, beforeToolCall, afterToolCall } = this.#hooks;
    return {
      commit: (message) => this.#work?.run.commit(message) ?? this.#keeper.commit(message),
      beforeRequest: (request, model) => this.#warmer.beforeRequest(request, model),
      afterTurn: async (turn) => await this.#work?.run.afterTurn(turn),
      willRetry: (end) => this.#work?.run.willRetry(end) ?? false,
      ...(context ? { context } : {}),
      ...(beforeToolCall ? { beforeToolCall } : {}),
      ...(afterToolCall ? { afterToolCall } : {}),
    };
  }

  async #enqueue(
    how: "steer" | "followUp",
    text: string,
    images: readonly ImageContent[],
  ): Promise<void> {
    this.#assertAlive();
    const message = userMessage(text, images, this.#timer.now());
    if (how === "steer") this.agent.steer(message);
    else this.agent.followUp(message);
    await this.#keeper.tellQueue();
  }

  /** A fallback model serves one prompt; the next starts with the model that was chosen. */
  async #leaveFallback(model: Model, run: PromptRun, retry: RetryLoop): Promise<void> {
    if (retry.fallback === undefined || this.agent.model !== retry.fallback) return;
    this.agent.model = model;
    if (!run.tally.saveError) await recordSettings(this.session, this.agent, this.#keeper);
  }

  #newRetryLoop(): RetryLoop {
    return new RetryLoop({
      settings: this.#retrySettings(),
      fallbackModels: this.#options.fallbackModels ?? [],
      useModel: (model) => {
        this.agent.model = model;
      },
      emit: (event) => this.#hub.emit(event),
      timer: this.#timer,
      random: this.#random,
    });
  }

  #retrySettings(): RetrySettings {
    return { ...DEFAULT_RETRY, ...this.#options.retry };
  }

  #systemPrompt(): string {
    const given = this.#options.systemPrompt ?? "";
    return typeof given === "string" ? given : given(this.agent.tools.map((tool) => tool.name));
  }

  #assertAlive(): void {
    if (!this.#disposed) return;
    throw new SessionError(
      "closed",
      "Cannot use this conversation: it was closed or replaced. Use the runtime's current session.",
    );
  }
}

function withPreface(input: UserInput, preface: string | undefined): UserInput {
  if (preface === undefined) return input;
  return { ...input, text: input.text === "" ? preface : `${preface}\n\n${input.text}` };
}
