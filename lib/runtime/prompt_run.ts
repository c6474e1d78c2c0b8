/** What goes on around the runs of one prompt, and what follows each of them. */
import {
  type AfterTurn,
  type Agent,
  type Model,
  ModelError,
  type RunEnd,
  type Timer,
  type Turn,
  userMessage,
} from "../agent/mod.ts";
import { type Message, type Session, SessionError, type Usage } from "../session/mod.ts";
import type { Compactor } from "./compactor.ts";
import type { SessionHooks, UserInput } from "./hooks.ts";
import type { MessageKeeper } from "./message_keeper.ts";
import type { ModelChoice } from "./model_choice.ts";
import type { RetryLoop } from "./retry_loop.ts";
import { type RunOutcome, RunTally } from "./run_tally.ts";

export interface PromptRunPorts {
  session: Session;
  agent: Agent;
  keeper: MessageKeeper;
  compactor: Compactor;
  retry: RetryLoop;
  choice: ModelChoice;
  hooks: SessionHooks;
  timer: Timer;
  signal: AbortSignal;
}

type Step = () => Promise<RunEnd>;

/**
 * One prompt from its first run to its end. After each run, in this order: retry, overflow,
 * threshold, what was queued, an extension's wish for one more round.
 */
export class PromptRun {
  readonly tally = new RunTally();
  readonly #ports: PromptRunPorts;
  /** The model that was chosen: a fallback serves this prompt only. */
  readonly #model: Model;
  readonly #hadQueue: boolean;
  /** Says what is too big, where a compaction could not help against an overflow. */
  #overflowReport: ModelError | undefined;

  constructor(ports: PromptRunPorts) {
    this.#ports = ports;
    this.#model = ports.agent.model;
    this.#hadQueue = this.#isWaited;
  }

  get signal(): AbortSignal {
    return this.#ports.signal;
  }

  /** Whether a failed model call waits to be tried again. */
  get isRetrying(): boolean {
    return this.#ports.retry.isWaiting;
  }

  /** From what was typed on: settings and what waited are written, and there is room for it. */
  async start(input: UserInput, systemPrompt: string): Promise<RunOutcome> {
    const { agent, choice, hooks, keeper, timer } = this.#ports;
    if (this.signal.aborted) return this.#ended();
    try {
      await this.saving(async () => {
        await choice.record();
        await keeper.letIn();
      });
      await this.compactIfNeeded();
    } catch (error) {
      if (error instanceof SessionError) return this.#ended();
      throw error;
    }
    if (this.signal.aborted) return this.#ended();
    const start = await hooks.beforeAgentStart?.({ prompt: input.text, systemPrompt }) ?? {};
    agent.systemPrompt = start.systemPrompt ?? systemPrompt;
    if (this.signal.aborted) return this.#ended();
    const messages = [
      userMessage(input.text, input.images, timer.now()),
      ...keeper.takeForPrompt(),
      ...start.messages ?? [],
    ];
    return await this.toTheEnd(() => agent.prompt(messages));
  }

  async toTheEnd(first: Step): Promise<RunOutcome> {
    let end = await first();
    for (let step = await this.#next(end); step; step = await this.#next(end)) end = await step();
    await this.finish();
    this.tally.retries = this.#ports.retry.retries;
    const error = this.#overflowReport ?? this.#ports.retry.finalError;
    return this.tally.outcome({
      ...end,
      ...(error ? { error } : {}),
      aborted: end.aborted || this.signal.aborted,
    });
  }

  /** Hears what was said while something other than a prompt was worked on. */
  async hearTheQueue(): Promise<void> {
    if (this.#hadQueue || this.signal.aborted || !this.#isWaited) return;
    await this.toTheEnd(() => this.#deliver());
  }

  /** Writes what was held back, and goes back to the chosen model; a failure is remembered. */
  async finish(): Promise<void> {
    const { agent, choice, keeper, retry } = this.#ports;
    const isAway = retry.fallback !== undefined && agent.model === retry.fallback;
    if (isAway) agent.model = this.#model;
    if (this.tally.saveError) return;
    try {
      await this.saving(async () => {
        await keeper.letIn();
        if (isAway) await choice.record();
      });
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
    }
  }

  /** Writes a finished message of this prompt. */
  async commit(message: Message): Promise<void> {
    this.tally.addMessage(message);
    await this.saving(() => this.#ports.keeper.commit(message));
  }

  /** Does what writes; a failure is remembered for the outcome and thrown on. */
  async saving<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (error instanceof SessionError) this.tally.saveError = error;
      throw error;
    }
  }

  /** Keeps what a model call beside the conversation used; a failure to write ends the run later. */
  async keepUsage(kind: string, model: Model, usage: Usage): Promise<void> {
    const { keeper, session } = this.#ports;
    const { provider, id } = model.facts;
    this.tally.addUsage(usage);
    try {
      const entry = { kind, provider, model: id, usage };
      await keeper.tellEntry(await this.saving(() => session.appendUsage(entry)));
    } catch (error) {
      // Remembered by `saving`: the run stops after this turn, and its outcome says so.
      if (!(error instanceof SessionError)) throw error;
    }
  }

  /** Compacts if the context is over its threshold. */
  async compactIfNeeded(): Promise<void> {
    if (await this.#ports.compactor.isOverThreshold()) await this.#compact("threshold");
  }

  /** The results of a turn are in: what was held back comes now, then room for the next call. */
  async afterTurn(turn: Turn): Promise<AfterTurn> {
    const { agent, hooks, keeper, retry } = this.#ports;
    // In a run of many turns, too, only failures in a row count.
    await retry.succeeded();
    await this.saving(() => keeper.letIn());
    const wish = await hooks.turnEnd?.(turn);
    await this.saving(() => keeper.letIn());
    if (wish === "stop") return wish;
    const another = wish === "another" && await this.#hasNews();
    const goesOn = turn.toolResults.length > 0 || another || agent.steering.waiting.length > 0;
    if (goesOn) await this.compactIfNeeded();
    return this.tally.saveError ? "stop" : another ? "another" : undefined;
  }

  willRetry(end: RunEnd): boolean {
    if (end.aborted || this.tally.saveError) return false;
    const { compactor, retry } = this.#ports;
    if (compactor.isOverflow(end)) return compactor.mayRecover();
    return end.error instanceof ModelError && retry.wouldRetry(end.error);
  }

  /** The outcome where no model was asked. */
  #ended(): RunOutcome {
    const { aborted } = this.signal;
    return {
      ...this.tally.outcome(undefined),
      ...(aborted ? { aborted, stopReason: "aborted" } : {}),
      taken: false,
    };
  }

  get #isWaited(): boolean {
    const { steering, followUps } = this.#ports.agent;
    return steering.waiting.length + followUps.waiting.length > 0;
  }

  /** What follows a run; undefined if nothing does, or if something could not be written. */
  async #next(end: RunEnd): Promise<Step | undefined> {
    try {
      return await this.#after(end);
    } catch (error) {
      if (error instanceof SessionError) return undefined;
      throw error;
    }
  }

  async #after(end: RunEnd): Promise<Step | undefined> {
    const { agent, compactor, hooks, keeper, retry } = this.#ports;
    this.tally.turns += end.turns;
    if (this.tally.saveError || this.signal.aborted || end.aborted) return undefined;
    await this.saving(() => keeper.letIn());
    const again = () => agent.continue();
    if (compactor.isOverflow(end)) return await this.#recoverFromOverflow(end) ? again : undefined;
    if (end.error instanceof ModelError) {
      return await retry.afterFailure(end.error, this.signal) ? again : undefined;
    }
    if (end.error) return undefined;
    await retry.succeeded();
    await this.compactIfNeeded();
    if (this.signal.aborted || this.tally.saveError) return undefined;
    if (this.#isWaited) return () => this.#deliver();
    const wish = await hooks.beforeSettle?.() ?? false;
    await this.saving(() => keeper.letIn());
    // What was said while the hook had its time is heard, too.
    if (this.#isWaited && !this.signal.aborted) return () => this.#deliver();
    return wish && !this.signal.aborted && await this.#hasNews() ? again : undefined;
  }

  /** A run takes steering by itself; a follow-up, which comes at the end of one, has to begin it. */
  #deliver(): Promise<RunEnd> {
    const { agent } = this.#ports;
    return agent.steering.waiting.length > 0
      ? agent.continue()
      : agent.prompt(agent.followUps.take());
  }

  /** A model is asked again only if there is something that it has not answered. */
  async #hasNews(): Promise<boolean> {
    const { messages } = await this.#ports.session.buildContext();
    return messages.at(-1)?.role !== "assistant";
  }

  async #recoverFromOverflow(end: RunEnd): Promise<boolean> {
    const { compactor } = this.#ports;
    const outcome = compactor.mayRecover() ? await this.#compact("overflow") : undefined;
    if (outcome?.kind === "done") {
      await this.#takeBack(end);
      return !this.signal.aborted;
    }
    this.#overflowReport = await compactor.overflowReport(end, outcome);
    return false;
  }

  /** An answer that a full window cut off is given anew, so it goes out of the context. */
  async #takeBack({ last }: RunEnd): Promise<void> {
    if (last?.stopReason !== "length") return;
    const { keeper, session } = this.#ports;
    const id = keeper.entryIdOf(last);
    if (id === undefined) return;
    await keeper.tellEntry(await this.saving(() => session.appendContextEdit(id, null)));
  }

  async #compact(reason: "threshold" | "overflow") {
    const outcome = await this.#ports.compactor.run(reason, { signal: this.signal });
    this.tally.addUsage(outcome.usage);
    if (outcome.kind === "done") this.tally.compactions++;
    if (outcome.kind === "failed" && outcome.error instanceof SessionError) {
      this.tally.saveError = outcome.error;
    }
    return outcome;
  }
}
