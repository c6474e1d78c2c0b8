/** When a context is compacted, and how much of it stays. All sizes are tokens. */

/** Settings of the compaction. */
export interface CompactionSettings {
  /** Whether a context over the threshold is compacted by itself. */
  enabled: boolean;
  /** What stays free of the model's window: the threshold is the window less this. */
  reserveTokens: number;
  /** How much of the newest conversation is kept as it is. */
  keepRecentTokens: number;
}

/** The settings as a settings file has them: each may be absent, and differ by model. */
export interface CompactionConfig extends Partial<CompactionSettings> {
  /** By `provider/id`. */
  models?: Record<string, Partial<CompactionSettings>>;
}

export const DEFAULT_COMPACTION_SETTINGS: CompactionSettings = {
  enabled: true,
  reserveTokens: 16_384,
  keepRecentTokens: 20_000,
};

/** The settings that hold for a model: its own, then the general ones, then the defaults. */
export function compactionSettings(
  config: CompactionConfig,
  model: { provider: string; id: string },
): CompactionSettings {
  const models = config.models ?? {};
  const key = `${model.provider}/${model.id}`;
  const own = Object.hasOwn(models, key) ? models[key] : undefined;
  return {
    enabled: own?.enabled ?? config.enabled ?? DEFAULT_COMPACTION_SETTINGS.enabled,
    reserveTokens: own?.reserveTokens ?? config.reserveTokens ??
      DEFAULT_COMPACTION_SETTINGS.reserveTokens,
    keepRecentTokens: own?.keepRecentTokens ?? config.keepRecentTokens ??
      DEFAULT_COMPACTION_SETTINGS.keepRecentTokens,
  };
}

/** What a request is made of besides the conversation, and what the model can take. */
export interface ModelWindow {
  /** The model's window; 0 where it is not known, which reads as endless. */
  contextWindow: number;
  /** The model's longest answer; 0 where it is not known. */
  maxTokens: number;
  /** System prompt and tools (`estimateOverhead`). */
  overheadTokens: number;
}

/** How a window is shared out. */
export interface CompactionBudget {
  /** The window itself; `Infinity` where it is not known. */
  windowTokens: number;
  /** The threshold: a context with more than this is compacted. */
  limitTokens: number;
  /** How much of the newest conversation is kept. */
  keepTokens: number;
  /** How long a summary may be. */
  summaryTokens: number;
}

/** A summary may be estimated at this much more than was asked for: estimates are rough. */
export const SUMMARY_SLACK = 1.5;

const SUMMARY_TOKENS_MIN = 256;
const SUMMARY_TOKENS_USUAL = 1_024;

/**
 * Shares out a window. A window too small for the settings gets smaller ones: at most a quarter is
 * reserved; then at most half of what is left beside the overhead is kept, and a quarter is for the
 * summary, so that a compacted context is always under the threshold.
 */
export function compactionBudget(
  settings: CompactionSettings,
  window: ModelWindow,
): CompactionBudget {
  const windowTokens = window.contextWindow > 0 ? window.contextWindow : Infinity;
  const { reserveTokens, keepRecentTokens } = settings;
  const reserve = reserveTokens + keepRecentTokens > windowTokens
    ? Math.min(reserveTokens, Math.floor(windowTokens / 4))
    : reserveTokens;
  const limitTokens = windowTokens - reserve;
  const room = Math.max(0, limitTokens - window.overheadTokens);
  const wanted = Math.max(SUMMARY_TOKENS_USUAL, Math.floor(reserve * 0.8));
  const answerMax = window.maxTokens > 0 ? window.maxTokens : Infinity;
  return {
    windowTokens,
    limitTokens,
    keepTokens: Math.min(keepRecentTokens, Math.floor(room / 2)),
    summaryTokens: Math.max(
      SUMMARY_TOKENS_MIN,
      Math.min(wanted, Math.floor(room / 4), answerMax),
    ),
  };
}

/** Whether a context of so many tokens is due for compaction. */
export function shouldCompact(
  tokens: number,
  contextWindow: number,
  settings: CompactionSettings,
): boolean {
  if (!settings.enabled) return false;
  const window = { contextWindow, maxTokens: 0, overheadTokens: 0 };
  return tokens > compactionBudget(settings, window).limitTokens;
}
