/** Makes the parts of a conversation and joins them. */
import { Agent, type RunHooks, systemTimer, type Timer } from "../agent/mod.ts";
import type { CallWithRetry } from "../compaction/mod.ts";
import type { AgentSessionOptions } from "./agent_session_options.ts";
import { CacheWarmer, DEFAULT_CACHE_WARMING } from "./cache_warming.ts";
import { Compactor } from "./compactor.ts";
import { EventHub } from "./event_hub.ts";
import type { SessionHooks } from "./hooks.ts";
import { MessageKeeper } from "./message_keeper.ts";
import { ModelChoice } from "./model_choice.ts";
import { patientHooks } from "./patient_hooks.ts";
import { PromptRun } from "./prompt_run.ts";
import { DEFAULT_RETRY } from "./retry.ts";
import { RetryLoop } from "./retry_loop.ts";
import { retrySummary } from "./summary_retry.ts";
import { clampThinkingLevel } from "./thinking.ts";
import { WorkFrame } from "./work.ts";

/** What a conversation consists of. */
export interface Parts {
  readonly agent: Agent;
  readonly choice: ModelChoice;
  readonly compactor: Compactor;
  readonly hooks: SessionHooks;
  readonly hub: EventHub;
  readonly keeper: MessageKeeper;
  readonly timer: Timer;
  readonly work: WorkFrame;
  /** How the model calls of summaries are tried again. */
  summaryRetry(signal: AbortSignal): CallWithRetry;
}

export function joinParts(options: AgentSessionOptions): Parts {
  const { findModel, random = Math.random, scopedModels, session } = options;
  const { timer = systemTimer } = options;
  const patience = { signal: () => work.run?.signal, timer };
  const hooks = patientHooks(options.hooks ?? {}, patience);
  const hub = new EventHub({ hooks, report: options.onListenerError, ...patience });
  const attempts = {
    retry: { ...DEFAULT_RETRY, ...options.retry },
    emit: hub.emit.bind(hub),
    timer,
    random,
  };
  const keeper: MessageKeeper = new MessageKeeper(session, hub, () => agent);
  const warmer = new CacheWarmer({
    settings: { ...DEFAULT_CACHE_WARMING, ...options.cacheWarming },
    timer,
    record: async (model, usage) => await work.run?.keepUsage("cache_warm", model, usage),
  });
  const agent: Agent = new Agent({
    model: options.model,
    thinkingLevel: clampThinkingLevel(options.thinkingLevel ?? "off", options.model.facts),
    context: async () => (await session.buildContext()).messages,
    hooks: runHooks(hooks, { keeper, warmer, work: () => work }),
    request: {
      sessionId: session.id,
      ...(options.outputSchema ? { outputSchema: options.outputSchema } : {}),
    },
    timer,
    ...(options.steeringMode ? { steeringMode: options.steeringMode } : {}),
    ...(options.followUpMode ? { followUpMode: options.followUpMode } : {}),
  });
  agent.subscribe((event) => keeper.passOn(event));
  agent.subscribe((event) => warmer.hear(event));
  const compactor = new Compactor({
    ...attempts,
    session,
    agent,
    config: options.compaction ?? {},
    hooks,
  });
  const choice = new ModelChoice({ session, agent, keeper, hub, scopedModels, findModel });
  const newRun = (signal: AbortSignal) => {
    compactor.startPrompt();
    signal.addEventListener("abort", () => agent.abort(), { once: true });
    const retry = new RetryLoop({
      ...attempts,
      settings: attempts.retry,
      fallbackModels: options.fallbackModels ?? [],
      useModel: (model) => {
        agent.model = model;
      },
    });
    return new PromptRun({
      session,
      agent,
      keeper,
      compactor,
      retry,
      choice,
      hooks,
      timer,
      signal,
    });
  };
  const work: WorkFrame = new WorkFrame({
    newRun,
    settled: (aborted) => hub.emit({ type: "agent_settled", aborted }),
    timer,
  });
  const summaryRetry = (signal: AbortSignal) => retrySummary(attempts, signal);
  return { agent, choice, compactor, hooks, hub, keeper, timer, work, summaryRetry };
}

/** What the agent asks at the joints of a run. */
function runHooks(
  { afterToolCall, beforeToolCall, context }: SessionHooks,
  parts: { keeper: MessageKeeper; warmer: CacheWarmer; work: () => WorkFrame },
): RunHooks {
  const { keeper, warmer, work } = parts;
  return {
    commit: (message) => work().run?.commit(message) ?? keeper.commit(message),
    beforeRequest: (request, model) => warmer.beforeRequest(request, model),
    afterTurn: async (turn) => await work().run?.afterTurn(turn),
    willRetry: (end) => work().run?.willRetry(end) ?? false,
    ...(context ? { context } : {}),
    ...(beforeToolCall ? { beforeToolCall } : {}),
    ...(afterToolCall ? { afterToolCall } : {}),
  };
}
