/** What can be set, and what holds where nothing is. Data only: no zod, no disk. */
import type { QueueMode } from "../../agent/mod.ts";
import type { ThinkingLevel } from "../../session/mod.ts";

/** When a compaction happens and what it keeps; token counts. */
export interface CompactionSettings {
  enabled: boolean;
  reserveTokens: number;
  keepRecentTokens: number;
  /** By `provider/id`: what is different for one model. */
  models: Record<string, CompactionOverride>;
}

export interface CompactionOverride {
  enabled?: boolean;
  reserveTokens?: number;
  keepRecentTokens?: number;
}

export interface RetrySettings {
  enabled: boolean;
  /** How often a failed answer is asked for again. */
  maxRetries: number;
  /** The first wait; each further one is twice as long. */
  baseDelayMs: number;
  maxDelayMs: number;
  /** Asked in this order when the retries are used up; written like `--model`. */
  fallbackModels: string[];
  provider: {
    /** How long a provider may say nothing, before and during an answer. */
    timeoutMs: number;
    /** A provider that asks for a longer wait than this is not waited for. */
    maxRetryDelayMs: number;
  };
}

/** All settings, with the names that they have in a settings file. */
export interface Settings {
  defaultProvider?: string;
  defaultModel?: string;
  defaultThinkingLevel?: ThinkingLevel;
  /** The models to cycle through; `*` stands for any part of `provider/id`. All if empty. */
  enabledModels: string[];
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  /** Absolute. */
  sessionDir?: string;
  durability: "turn" | "entry" | "none";
  shellPath?: string;
  compaction: CompactionSettings;
  retry: RetrySettings;
  cacheWarming: { enabled: boolean; intervalMs: number };
  hideThinking: boolean;
  /** Files and folders to take besides those in the usual places; absolute. */
  extensions: string[];
  skills: string[];
  prompts: string[];
}

/** Some settings; `null` takes one back to its default, an absent one says nothing. */
export type Patch<T> = {
  [K in keyof T]?:
    | (T[K] extends readonly unknown[] | string | number | boolean | undefined ? T[K] : Patch<T[K]>)
    | null
    | undefined;
};

export type SettingsPatch = Patch<Settings>;

/** The defaults; a fresh value each time, so that nobody changes another's. */
export function defaultSettings(): Settings {
  return {
    enabledModels: [],
    steeringMode: "one-at-a-time",
    followUpMode: "one-at-a-time",
    durability: "turn",
    compaction: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000, models: {} },
    retry: {
      enabled: true,
      maxRetries: 3,
      baseDelayMs: 2_000,
      maxDelayMs: 60_000,
      fallbackModels: [],
      provider: { timeoutMs: 300_000, maxRetryDelayMs: 60_000 },
    },
    cacheWarming: { enabled: false, intervalMs: 240_000 },
    hideThinking: false,
    extensions: [],
    skills: [],
    prompts: [],
  };
}
