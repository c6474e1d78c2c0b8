/** Compaction as part of a conversation: when, with whose summary, and who hears of it. */
import { type Agent, ModelError, type RunEnd, type Timer } from "../agent/mod.ts";
import {
  type BranchContext,
  compact,
  type CompactionConfig,
  compactionError,
  type CompactionFailure,
  type CompactionPlan,
  type CompactionSettings,
  compactionSettings,
  contextTokens,
  estimateMessage,
  estimateOverhead,
  isOverflow,
  planCompaction,
  shouldCompact,
} from "../compaction/mod.ts";
import {
  type CompactionEntry,
  noUsage,
  type Session,
  SessionError,
  type Usage,
} from "../session/mod.ts";
import type { AgentSessionEvent, CompactionReason } from "./event.ts";
import type { SessionHooks, SuppliedSummary } from "./hooks.ts";
import type { RetrySettings } from "./retry.ts";
import { retrySummary } from "./summary_retry.ts";

export interface CompactorPorts {
  session: Session;
  agent: Agent;
  config: CompactionConfig;
  retry: RetrySettings;
  hooks: SessionHooks;
  emit(event: AgentSessionEvent): Promise<void>;
  timer: Timer;
  random: () => number;
}

/** How a compaction ended. `usage` is what it cost, also in vain. */
export type CompactionRun =
  | { kind: "done"; entry: CompactionEntry; usage: Usage }
  | { kind: "cancelled"; usage: Usage }
  | { kind: "failed"; error: Error; usage: Usage };

/**
 * Decides about compactions and carries them out. A failed one leaves the session as it was and is
 * not started again for the same context; an overflow is recovered from once a prompt.
 */
export class Compactor {
  readonly #ports: CompactorPorts;
  #isRunning = false;
  #recovered = false;
  #failedInPrompt = false;
  /** The leaf at which a compaction failed last. */
  #failedAt: string | null | undefined;

  constructor(ports: CompactorPorts) {
    this.#ports = ports;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Forgets what counts for one prompt only. */
  startPrompt(): void {
    this.#recovered = false;
    this.#failedInPrompt = false;
  }

  /** The size of the context in tokens. */
  async tokens(): Promise<number> {
    return contextTokens(await this.#context(), this.#overhead()).tokens;
  }

  async isOverThreshold(): Promise<boolean> {
    const { agent, session } = this.#ports;
    if (this.#failedInPrompt || this.#failedAt === session.leafId) return false;
    const settings = this.#settings();
    if (!settings.enabled || agent.model.facts.contextWindow <= 0) return false;
    return shouldCompact(await this.tokens(), agent.model.facts.contextWindow, settings);
  }

  /** Whether a run ended because the context is too long for the model. */
  isOverflow(end: RunEnd): boolean {
    if (!end.last || (end.error && !(end.error instanceof ModelError))) return false;
    return isOverflow(end.last, end.error, this.#ports.agent.model.facts.contextWindow);
  }

  /** Whether an overflow may be answered with a compaction: once a prompt. */
  mayRecover(): boolean {
    return !this.#recovered && this.#settings().enabled;
  }

  async run(
    reason: CompactionReason,
    options: { signal: AbortSignal; instructions?: string },
  ): Promise<CompactionRun> {
    const { emit } = this.#ports;
    if (reason === "overflow") this.#recovered = true;
    const outcome = await this.#working(async () => {
      await emit({ type: "compaction_start", reason });
      return await this.#attempt(reason, options);
    });
    if (outcome.kind !== "done") {
      this.#failedInPrompt = true;
      this.#failedAt = this.#ports.session.leafId;
    }
    await emit({
      type: "compaction_end",
      reason,
      aborted: outcome.kind === "cancelled",
      willRetry: reason === "overflow" && outcome.kind === "done",
      ...(outcome.kind === "done" ? { result: outcome.entry } : {}),
      ...(outcome.kind === "failed" ? { errorMessage: outcome.error.message } : {}),
    });
    return outcome;
  }

  async #working<T>(task: () => Promise<T>): Promise<T> {
    this.#isRunning = true;
    try {
      return await task();
    } finally {
      this.#isRunning = false;
    }
  }

  /** Why an overflow cannot be recovered from, and what is too big. */
  async overflowReport(end: RunEnd, outcome?: CompactionRun): Promise<ModelError> {
    const { facts } = this.#ports.agent.model;
    const why = outcome?.kind === "failed"
      ? outcome.error.message
      : outcome?.kind === "cancelled"
      ? "The compaction was cancelled."
      : this.#settings().enabled
      ? `It was compacted once already. ${await this.#largestPart()}`
      : "Compaction is off.";
    const said = end.error?.message ?? end.last?.errorMessage;
    const status = end.error instanceof ModelError ? end.error.status : undefined;
    return new ModelError(
      "context_overflow",
      `Cannot fit the context into ${facts.id}: ${why}${said ? ` The provider said: ${said}` : ""}`,
      { cause: end.error, ...(status === undefined ? {} : { status }) },
    );
  }

  async #attempt(
    reason: CompactionReason,
    options: { signal: AbortSignal; instructions?: string },
  ): Promise<CompactionRun> {
    let usage = noUsage();
    try {
      const context = await this.#context();
      const supplied = await this.#askHook(reason, context, options);
      if (supplied === "cancel" || options.signal.aborted) return { kind: "cancelled", usage };
      if (supplied) return await this.#write(supplied, context, true);
      const outcome = await compact(context, {
        model: this.#ports.agent.model,
        settings: this.#settings(),
        overheadTokens: this.#overhead(),
        reason,
        signal: options.signal,
        retry: retrySummary(this.#ports, options.signal),
        timer: this.#ports.timer,
        ...(options.instructions === undefined ? {} : { instructions: options.instructions }),
      });
      if (!outcome.ok) return failure(outcome.failure, outcome.usage);
      usage = outcome.compaction.usage;
      if (options.signal.aborted) return { kind: "cancelled", usage };
      return await this.#write(outcome.compaction, context, false);
    } catch (error) {
      return {
        kind: "failed",
        error: error instanceof Error ? error : new Error(`${error}`),
        usage,
      };
    }
  }

  /** An extension may cancel the compaction, or supply the summary. */
  async #askHook(
    reason: CompactionReason,
    context: BranchContext,
    { instructions, signal }: { signal: AbortSignal; instructions?: string },
  ): Promise<"cancel" | SuppliedSummary | undefined> {
    const { agent, hooks } = this.#ports;
    if (!hooks.beforeCompact) return undefined;
    const { contextWindow, maxTokens } = agent.model.facts;
    const planned = planCompaction(context, {
      settings: this.#settings(),
      window: { contextWindow, maxTokens, overheadTokens: this.#overhead() },
      reason,
    });
    return await hooks.beforeCompact({
      reason,
      branch: [...context.branch],
      ...(planned.ok ? { plan: suggestion(planned.plan) } : {}),
      ...(instructions === undefined ? {} : { instructions }),
    }, signal);
  }

  async #write(
    made: SuppliedSummary,
    context: BranchContext,
    fromHook: boolean,
  ): Promise<CompactionRun> {
    const { session, emit } = this.#ports;
    const id = await session.appendCompaction({
      summary: made.summary,
      firstKeptEntryId: made.firstKeptEntryId,
      tokensBefore: contextTokens(context, this.#overhead()).tokens,
      ...(made.details === undefined ? {} : { details: made.details }),
      ...(made.usage === undefined ? {} : { usage: made.usage }),
      ...(fromHook ? { fromHook } : {}),
    });
    const entry = await session.getEntry(id);
    if (entry?.type !== "compaction") {
      throw new SessionError("unknown_entry", `Cannot read the compaction ${id} back.`);
    }
    await emit({ type: "entry_appended", entry });
    return { kind: "done", entry, usage: made.usage ?? noUsage() };
  }

  async #context(): Promise<BranchContext> {
    const { session } = this.#ports;
    return { items: await session.contextItems(), branch: await session.contextBranch() };
  }

  async #largestPart(): Promise<string> {
    let what = "the system prompt with the tools";
    let tokens = this.#overhead();
    for (const { entry, message } of (await this.#context()).items) {
      const size = estimateMessage(message);
      if (size <= tokens) continue;
      tokens = size;
      what = `the ${message.role} message ${entry.id}`;
    }
    return `The largest part is ${what}, about ${tokens} tokens.`;
  }

  #overhead(): number {
    const { systemPrompt, tools } = this.#ports.agent;
    return estimateOverhead({ systemPrompt, tools });
  }

  #settings(): CompactionSettings {
    return compactionSettings(this.#ports.config, this.#ports.agent.model.facts);
  }
}

/** What a hook is told of a plan. */
function suggestion({ firstKeptEntryId, history, turn }: CompactionPlan) {
  return { firstKeptEntryId, messages: [...history, ...turn].map(({ message }) => message) };
}

function failure(failed: CompactionFailure, usage: Usage): CompactionRun {
  const error = compactionError(failed);
  return error ? { kind: "failed", error, usage } : { kind: "cancelled", usage };
}
