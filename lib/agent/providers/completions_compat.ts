/**
 * What a server of the Chat Completions format can take. All may be left out; the names are those
 * that Pi's `models.json` has.
 */
export type CompletionsCompat = {
  /** The field that bounds the answer. */
  maxTokensField?: "max_tokens" | "max_completion_tokens";
  /** The system prompt goes as `developer`, as newer OpenAI models want it. */
  supportsDeveloperRole?: boolean;
  supportsReasoningEffort?: boolean;
  /** Takes `stream_options: {include_usage: true}`. */
  supportsUsageInStreaming?: boolean;
  /** Takes `prompt_cache_key`. */
  supportsPromptCacheKey?: boolean;
  /** Chat templates that refuse two messages of one role in a row: neighbours are joined. */
  requiresAlternation?: boolean;
};

/**
 * The switches in full: what was given, else what is right for the server at this address. Values of
 * the wrong type count as not given.
 */
export function completionsCompat(
  baseUrl: string,
  given: Readonly<Record<string, unknown>> = {},
): Required<CompletionsCompat> {
  const isOpenAI = /^https:\/\/api\.openai\.com(?:[:/]|$)/.test(baseUrl);
  const flag = (name: keyof CompletionsCompat, otherwise: boolean): boolean => {
    const value = given[name];
    return typeof value === "boolean" ? value : otherwise;
  };
  const field = given["maxTokensField"];
  return {
    maxTokensField: field === "max_tokens" || field === "max_completion_tokens"
      ? field
      : isOpenAI
      ? "max_completion_tokens"
      : "max_tokens",
    supportsDeveloperRole: flag("supportsDeveloperRole", isOpenAI),
    supportsReasoningEffort: flag("supportsReasoningEffort", true),
    supportsUsageInStreaming: flag("supportsUsageInStreaming", true),
    supportsPromptCacheKey: flag("supportsPromptCacheKey", isOpenAI),
    requiresAlternation: flag("requiresAlternation", false),
  };
}
