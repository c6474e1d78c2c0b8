import type { Model, QueueMode, Timer, Tool } from "../agent/mod.ts";
import type { CompactionConfig } from "../compaction/mod.ts";
import type { ImageContent, ModelRef, Session, ThinkingLevel } from "../session/mod.ts";
import type { CacheWarmingSettings } from "./cache_warming.ts";
import type { SessionHooks } from "./hooks.ts";
import type { RetrySettings } from "./retry.ts";
import type { UserShell } from "./user_shell.ts";

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
  /** Throws if the model cannot be asked, for want of a key; then nothing of a prompt is written. */
  checkModel?: (model: Model) => Promise<void>;
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
  /** Aborts what the prompt started, as `abort()` does; one that was queued stays queued. */
  signal?: AbortSignal;
  /** Told once, before the first event of it: it begins, it waits its turn, or it was taken. */
  onAccepted?: (how: "started" | "queued" | "taken") => void;
}
