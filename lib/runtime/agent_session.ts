/** One live conversation: an agent and a session, joined (`docs/events.md`). */
import { type Agent, type Model, type Tool, userMessage } from "../agent/mod.ts";
import { compactionSettings } from "../compaction/mod.ts";
import {
  type BashExecutionMessage,
  type CompactionEntry,
  type ImageContent,
  type Message,
  type Session,
  SessionError,
  type ThinkingLevel,
} from "../session/mod.ts";
import type { AgentSessionOptions, PromptOptions } from "./agent_session_options.ts";
import type { AgentSessionListener } from "./event_hub.ts";
import { heeding } from "./heeding.ts";
import { receiveInput, withPreface } from "./input.ts";
import { type Delivery, textOfMessage } from "./message_keeper.ts";
import { moveInTree, type MoveOptions, type MoveOutcome } from "./navigation.ts";
import { joinParts, type Parts } from "./parts.ts";
import type { PromptRun } from "./prompt_run.ts";
import { type RunOutcome, RunTally } from "./run_tally.ts";
import { RunningError } from "./running_error.ts";
import { type SessionStats, sessionStats } from "./stats.ts";
import { runUserShell } from "./user_shell.ts";
import { withinGrace } from "./within_grace.ts";

/**
 * Joins an `Agent` and a `Session`: every finished message is written before anybody hears of it,
 * and each model call gets the session's projection. What follows a run, retries, compaction, shell
 * commands and statistics are parts of their own (`parts.ts`).
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
  readonly #parts: Parts;
  #disposed = false;

  constructor(options: AgentSessionOptions) {
    this.#options = options;
    this.#parts = joinParts(options);
    this.session = options.session;
    this.agent = this.#parts.agent;
    this.setActiveTools(options.activeTools ?? this.allTools.map((tool) => tool.name));
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
    return this.#parts.work.run !== undefined;
  }

  /** Aborts with what is being worked on; undefined if nothing is. */
  get signal(): AbortSignal | undefined {
    return this.#parts.work.run?.signal;
  }

  get isCompacting(): boolean {
    return this.#parts.compactor.isRunning;
  }

  /** Whether a failed model call waits to be tried again. */
  get isRetrying(): boolean {
    return this.#parts.work.run?.isRetrying ?? false;
  }

  /** What waits to be delivered, as text. */
  get queue(): { steering: string[]; followUp: string[] } {
    return this.#parts.keeper.queue;
  }

  /**
   * Calls the listener with each event, in order, and waits for it; so it must not wait for the end
   * of what it hears of, unless it aborts that. Returns what ends the subscription.
   */
  subscribe(listener: AgentSessionListener): () => void {
    return this.#parts.hub.subscribe(listener);
  }

  /**
   * Says something to the model and works until there is nothing left to do. Resolves with how it
   * ended, also badly; rejects with a `SessionError` of code `closed` after `dispose()`, with a
   * `RunningError` if something is going on and `whileRunning` is absent, and with what `checkModel` threw;
   * then nothing was written.
   */
  async prompt(text: string, options: PromptOptions = {}): Promise<RunOutcome> {
    this.#assertAlive();
    const typed = { text, images: options.images ?? [] };
    const { signal } = options;
    const received = await this.alongside((aborted) =>
      receiveInput(typed, this.#parts.hooks, signal ? AbortSignal.any([aborted, signal]) : aborted)
    );
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
      return await this.#start((run) =>
        heeding(signal, () => void this.abort(), async () => {
          await withinGrace(this.#options.checkModel?.(this.model), run.signal, this.#parts.timer);
          options.onAccepted?.("started");
          return await run.start(input, this.#systemPrompt());
        })
      );
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
    await this.#parts.keeper.tellQueue();
    return { steering: steering.map(textOfMessage), followUp: followUp.map(textOfMessage) };
  }

  /** Stops what is going on: the model call, tools, a wait, a compaction. Resolves when it has. */
  async abort(): Promise<void> {
    await this.#parts.work.abort();
  }

  /** Resolves when nothing is going on. */
  async waitForIdle(): Promise<void> {
    await this.#parts.work.waitForIdle();
  }

  /** Uses another model from the next turn on; the choice is kept in the session. */
  async setModel(model: Model): Promise<void> {
    this.#assertAlive();
    await this.#parts.choice.setModel(model);
  }

  /** Turns to the next of the scoped models, or to the one before; undefined if there is no other. */
  async cycleModel(step: 1 | -1 = 1): Promise<Model | undefined> {
    this.#assertAlive();
    return await this.#parts.choice.cycleModel(step);
  }

  /** Sets how hard the model thinks, as far as it can; returns the level that it now has. */
  async setThinkingLevel(level: ThinkingLevel): Promise<ThinkingLevel> {
    this.#assertAlive();
    return await this.#parts.choice.setThinkingLevel(level);
  }

  /** Switches tools on by name, all others off; a name that is no tool's counts for nothing. */
  setActiveTools(names: readonly string[]): void {
    this.#assertAlive();
    const wanted = new Set(names);
    this.agent.tools = this.allTools.filter((tool) => wanted.has(tool.name));
    this.agent.systemPrompt = this.#systemPrompt();
  }

  /**
   * Compacts now. Resolves with the entry, or with undefined if an extension or `abort` stopped it;
   * rejects with the reason, mostly a `CompactionError`, if it cannot be done.
   */
  async compact(instructions?: string): Promise<CompactionEntry | undefined> {
    const outcome = await this.#startBeside((run) =>
      this.#parts.compactor.run("manual", {
        signal: run.signal,
        ...(instructions === undefined ? {} : { instructions }),
      })
    );
    if (outcome.kind === "failed") throw outcome.error;
    return outcome.kind === "done" ? outcome.entry : undefined;
  }

  /** Moves in the tree; see `MoveOptions`. Not while something is going on. */
  async navigateTree(targetId: string | null, options: MoveOptions = {}): Promise<MoveOutcome> {
    const { choice, hooks, keeper, summaryRetry } = this.#parts;
    return await this.#startBeside(({ signal }) =>
      moveInTree(targetId, options, {
        session: this.session,
        model: this.model,
        hooks,
        signal,
        settings: compactionSettings(this.#options.compaction ?? {}, this.model.facts),
        retry: summaryRetry(signal),
        tellEntry: (id) => keeper.tellEntry(id),
        restoreSettings: () => choice.restore(),
      })
    );
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
    const { hooks, hub, timer } = this.#parts;
    return await this.alongside(async (signal) => {
      const message = await runUserShell(command, {
        cwd: this.session.cwd,
        shell,
        exclude: options.exclude === true,
        onOutput: (delta) => void hub.emit({ type: "bash_execution_update", delta }),
        signal,
        timer,
        ...(hooks.userBash ? { mayRun: hooks.userBash } : {}),
      });
      // Also while it is disposed of: the command has run, and that is kept.
      await this.#keep(message, "now");
      return message;
    });
  }

  /** Does something that is no part of the run, but that `abort()` stops as well. */
  async alongside<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return await this.#parts.work.alongside(task);
  }

  /** Adds a message that is neither the user's nor the model's; see `Delivery`. */
  async addMessage(message: Message, options: { deliver?: Delivery } = {}): Promise<void> {
    this.#assertAlive();
    await this.#keep(message, options.deliver ?? "now");
  }

  /** Names the session; an empty name clears it. */
  async setSessionName(name: string): Promise<void> {
    await this.#append(() => this.session.appendSessionName(name));
    await this.#parts.hub.emit({ type: "session_info_changed", name: this.session.name });
  }

  /** Labels an entry; an empty label clears it. */
  async setLabel(entryId: string, label: string): Promise<void> {
    await this.#append(() => this.session.appendLabel(entryId, label));
  }

  /** Takes one entry out of the context; the entry stays in the session. */
  async dropFromContext(entryId: string): Promise<void> {
    await this.#append(() => this.session.appendContextEdit(entryId, null));
  }

  /** Replaces what one entry contributes to the context; the entry itself stays as it is. */
  async editContext(entryId: string, content: string): Promise<void> {
    await this.#append(() => this.session.appendContextEdit(entryId, { content }));
  }

  /** Keeps an extension's own state. Returns the entry's id. */
  async appendCustomEntry(customType: string, data?: unknown): Promise<string> {
    return await this.#append(() => this.session.appendCustomEntry(customType, data));
  }

  /** Tokens, cost and context use of this branch and of the whole session. */
  async stats(): Promise<SessionStats> {
    return await sessionStats(this.session, this.model.facts, await this.#parts.compactor.tokens());
  }

  /**
   * Stops what is going on, keeps what there is and closes the session, unless `keepSession` says
   * that somebody goes on with it. Afterwards what changes something throws a `SessionError` of code
   * `closed`.
   */
  async dispose(options: { keepSession?: boolean } = {}): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    await this.#parts.work.abortAll();
    this.#parts.hub.clear();
    if (!options.keepSession) await this.session.close();
  }

  /** `dispose()`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  async #keep(message: Message, deliver: Delivery): Promise<void> {
    await this.#parts.keeper.take(message, deliver);
    if (!this.isRunning) await this.#parts.keeper.letIn();
  }

  async #start<T>(task: (run: PromptRun) => Promise<T>): Promise<T> {
    this.#assertAlive();
    return await this.#parts.work.start(task);
  }

  /** Starts what is no prompt; what is said meanwhile is heard once it is done. */
  async #startBeside<T>(task: (run: PromptRun) => Promise<T>): Promise<T> {
    return await this.#start(async (run) => {
      try {
        return await task(run);
      } finally {
        await run.hearTheQueue();
      }
    });
  }

  async #enqueue(
    how: "steer" | "followUp",
    text: string,
    images: readonly ImageContent[],
  ): Promise<void> {
    this.#assertAlive();
    const message = userMessage(text, images, this.#parts.timer.now());
    if (how === "steer") this.agent.steer(message);
    else this.agent.followUp(message);
    await this.#parts.keeper.tellQueue();
  }

  /** Appends an entry that is no message, and tells of it. */
  async #append(write: () => Promise<string>): Promise<string> {
    this.#assertAlive();
    const id = await write();
    await this.#parts.keeper.tellEntry(id);
    return id;
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
