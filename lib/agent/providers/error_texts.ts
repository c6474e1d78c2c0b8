/** What providers and local servers say, by meaning. */

/** A context that does not fit. Servers have no common code for it, only words. */
const OVERFLOW: readonly RegExp[] = [
  /maximum context length/i,
  /context[_ ]?length[_ ]exceeded/i,
  /context ?window ?exceeded/i,
  /model_context_window_exceeded/i,
  /prompt (?:is )?too long/i,
  /input (?:is|was) too long/i,
  /exceed\w*[^.]{0,60}\bcontext[ _-]?(?:size|window|length|limit)/i,
  /context[ _-]?(?:size|window|length|limit)[^.]{0,40}\bexceed/i,
  /exceed\w*[^.]{0,60}\bmax\w* (?:context|prompt|input|sequence|model) len/i,
  /prompt exceeds? max(?:imum)? length/i,
  /longer than the (?:maximum )?(?:model|context) length/i,
  /greater than the context length/i,
  /maximum prompt length is \d/i,
  /input token count[^.]*exceeds/i,
  /prompt token count[^.]*exceeds/i,
  /exceeded model token limit/i,
  /range of input length should be/i,
  /reduce the length of (?:the|your) (?:messages|prompt|input)/i,
];

const RATE_LIMIT = [/rate.?limit/i, /\bper (?:minute|second|hour|day)\b/i, /too many requests/i];

const QUOTA: readonly RegExp[] = [
  /insufficient[_ ](?:quota|funds|credits?|balance)/i,
  /exceeded your current quota/i,
  /credit balance is too low/i,
  /out of credits/i,
  /payment required/i,
  /billing (?:hard )?limit/i,
];

const UNKNOWN_MODEL: readonly RegExp[] = [
  /model.{0,120}(?:not found|not exist|does not exist|unknown|is not available)/i,
  /(?:no such|unknown|invalid) model\b/i,
  /\bmodel: \S+$/i,
  /not a valid model/i,
];

/** Whether the text says that the context is too long. Ask first whether it is a rate limit. */
export function isOverflow(text: string): boolean {
  return OVERFLOW.some((pattern) => pattern.test(text));
}

/** Whether the text speaks of a rate: also one of tokens, which is no overflow. */
export function isRateLimit(text: string): boolean {
  return RATE_LIMIT.some((pattern) => pattern.test(text));
}

/** Whether the text says that the account has nothing left: waiting does not help. */
export function isQuota(text: string): boolean {
  return QUOTA.some((pattern) => pattern.test(text));
}

/** Whether the text says that there is no such model. */
export function isUnknownModel(text: string): boolean {
  return UNKNOWN_MODEL.some((pattern) => pattern.test(text));
}
