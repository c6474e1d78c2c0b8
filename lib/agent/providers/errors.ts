/**
 * Sorts the failures of model calls: what an SDK, a server or the network says becomes a
 * `ModelError` with a code, and the code decides what happens next.
 */
import { ModelError, type ModelErrorCode } from "../model.ts";
import { isOverflow, isQuota, isRateLimit, isUnknownModel } from "./error_texts.ts";
import { describeFailure, type Failure } from "./failure.ts";

/**
 * What each failure leads to: whether the same request may be tried again after a wait. An overflow
 * is never retried as it is: compaction comes first.
 */
export const MODEL_ERROR_FATE: Record<ModelErrorCode, { retry: boolean }> = {
  rate_limited: { retry: true },
  overloaded: { retry: true },
  dropped: { retry: true },
  timed_out: { retry: true },
  unreachable: { retry: true },
  context_overflow: { retry: false },
  quota: { retry: false },
  bad_request: { retry: false },
  refused: { retry: false },
  bad_key: { retry: false },
  unknown_model: { retry: false },
};

/** Which model was asked, and where. */
export interface AskedModel {
  provider: string;
  model: string;
  baseUrl?: string;
  /** Whether the answer had begun: then a lost connection is `dropped`, not `unreachable`. */
  started?: boolean;
}

/**
 * The failure as a `ModelError`: a code, one line of text with the provider's own words and the HTTP
 * status, and how long the server asked to wait. `cause` may be an error of an SDK, of `fetch`, or an
 * error object that came inside a stream.
 */
export function modelErrorFrom(cause: unknown, asked: AskedModel): ModelError {
  if (cause instanceof ModelError) return cause;
  const failure = describeFailure(cause);
  const code = codeOf(failure, asked.started ?? false);
  return new ModelError(code, messageOf(code, failure, asked), {
    cause,
    ...(failure.status === undefined ? {} : { status: failure.status }),
    ...(failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs }),
  });
}

/** The kinds that providers name in an error's `type` or `code`. */
const CODE_OF_KIND: Readonly<Record<string, ModelErrorCode>> = {
  overloaded_error: "overloaded",
  api_error: "overloaded",
  server_error: "overloaded",
  server_is_overloaded: "overloaded",
  slow_down: "overloaded",
  rate_limit_error: "rate_limited",
  rate_limit_exceeded: "rate_limited",
  timeout_error: "timed_out",
  authentication_error: "bad_key",
  permission_error: "bad_key",
  invalid_api_key: "bad_key",
  billing_error: "quota",
  insufficient_quota: "quota",
  model_not_found: "unknown_model",
  context_length_exceeded: "context_overflow",
  exceed_context_size_error: "context_overflow",
  request_too_large: "context_overflow",
  content_filter: "refused",
  content_policy_violation: "refused",
};

function codeOf(failure: Failure, started: boolean): ModelErrorCode {
  const { text, status } = failure;
  const limited = status === 429 || isRateLimit(text);
  if (isQuota(text) && (status === undefined || status < 500)) return "quota";
  if (!limited && isOverflow(text)) return "context_overflow";
  for (const kind of failure.kinds) {
    const code = Object.hasOwn(CODE_OF_KIND, kind) ? CODE_OF_KIND[kind] : undefined;
    if (code) return code;
  }
  if (status !== undefined) return codeOfStatus(status, text);
  if (failure.network) return failure.network;
  if (limited) return "rate_limited";
  if (isUnknownModel(text)) return "unknown_model";
  if (failure.kinds.includes("invalid_request_error")) return "bad_request";
  if (failure.fromServer) return "overloaded";
  return started ? "dropped" : "bad_request";
}

function codeOfStatus(status: number, text: string): ModelErrorCode {
  switch (status) {
    case 401:
    case 403:
      return "bad_key";
    case 402:
      return "quota";
    case 404:
      return isUnknownModel(text) ? "unknown_model" : "bad_request";
    case 408:
    case 504:
      return "timed_out";
    case 409:
      return "overloaded";
    case 413:
      return "context_overflow";
    case 425:
    case 429:
      return "rate_limited";
    case 501:
    case 505:
      return "bad_request";
  }
  if (status >= 500) return "overloaded";
  return isUnknownModel(text) ? "unknown_model" : "bad_request";
}

function messageOf(code: ModelErrorCode, failure: Failure, asked: AskedModel): string {
  const { provider, model } = asked;
  const place = asked.baseUrl ? `${provider} at ${shownUrl(asked.baseUrl)}` : provider;
  const status = failure.status === undefined ? "" : ` (HTTP ${failure.status})`;
  const said = sentence(`${failure.text || "no reason given"}${status}`);
  switch (code) {
    case "unreachable":
      return `Cannot reach ${place}: ${said} Check the network and the base URL.`;
    case "bad_key":
      return `Cannot use ${provider}: it refused the key (${failure.status ?? "no status"}): ` +
        `${sentence(failure.text || "no reason given")} Check the key.`;
    case "unknown_model":
      return `Cannot use model ${model}: ${provider} does not have it: ${said}`;
    case "context_overflow":
      return `Cannot send the context to ${provider}/${model}: it is too long: ${said}`;
    case "quota":
      return `Cannot use ${provider}: the account's quota is used up: ${said}`;
    case "rate_limited":
    case "overloaded":
    case "dropped":
    case "timed_out":
    case "bad_request":
    case "refused":
      return `Cannot get an answer from ${provider}/${model}: ${said}`;
  }
}

/** A base URL as an error, which is stored, may tell it: a name, a password or a query is left out. */
export function shownUrl(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return baseUrl;
  const { username, password, search, protocol, host, pathname } = new URL(baseUrl);
  return username || password || search ? `${protocol}//${host}${pathname}` : baseUrl;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
