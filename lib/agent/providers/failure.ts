/** What a thrown value says, whoever threw it. */
import { systemTimer } from "../timer.ts";
import { record } from "./json.ts";

export interface Failure {
  /** The server's own words, or the network's, on one line. */
  text: string;
  status?: number;
  /** Names that the server gave the failure (`type`, `code`). */
  kinds: readonly string[];
  retryAfterMs?: number;
  /** Whether a server said it, and not something on this side of the wire. */
  fromServer: boolean;
  /** Set where no server answered. */
  network?: "unreachable" | "dropped" | "timed_out";
}

const TEXT_MAX = 500;
/** What Bun adds for whoever calls fetch; the person at the terminal does not. */
const FETCH_ADVICE = / ?For more information, pass `verbose: true`[^.]*fetch\(\)\.?/;

/** Reads an SDK's error, an error of `fetch`, or an error object out of a stream. */
export function describeFailure(cause: unknown): Failure {
  const thrown = record(cause);
  const body = errorBody(thrown);
  const status = statusOf(thrown, body);
  const failure: Failure = {
    fromServer: status !== undefined || !(cause instanceof Error),
    text: oneLine(textOf(cause, thrown, body, status)),
    kinds: [thrown["type"], thrown["code"], body["type"], body["code"]]
      .filter((kind) => typeof kind === "string"),
  };
  if (status !== undefined) failure.status = status;
  const retryAfterMs = retryAfter(thrown["headers"]);
  if (retryAfterMs !== undefined) failure.retryAfterMs = retryAfterMs;
  if (status === undefined && cause instanceof Error) {
    const network = networkTrouble(cause);
    if (network) failure.network = network;
  }
  return failure;
}

/** The innermost error object: providers wrap it in `error`, SDKs once more. */
function errorBody(thrown: Record<string, unknown>): Record<string, unknown> {
  let body = record(thrown["error"]);
  for (let depth = 0; depth < 3; depth++) {
    if (typeof body["error"] !== "object" || body["error"] === null) break;
    body = record(body["error"]);
  }
  return body;
}

function statusOf(
  thrown: Record<string, unknown>,
  body: Record<string, unknown>,
): number | undefined {
  for (const value of [thrown["status"], body["status"], body["code"], thrown["code"]]) {
    if (typeof value === "number" && value >= 400 && value < 600) return value;
  }
  return undefined;
}

function textOf(
  cause: unknown,
  thrown: Record<string, unknown>,
  body: Record<string, unknown>,
  status: number | undefined,
): string {
  const fromBody = [
    body["message"],
    body["detail"],
    thrown["error"],
    record(thrown["error"])["error"],
  ].find((text) => typeof text === "string" && text !== "");
  if (typeof fromBody === "string") return fromBody;
  if (cause instanceof Error && status === undefined) {
    const said = [...chain(cause)].map((error) => error.message.replace(FETCH_ADVICE, ""));
    return said.filter(Boolean).at(-1) ?? cause.name;
  }
  const message = typeof thrown["message"] === "string" ? thrown["message"] : String(cause);
  return withoutStatus(message, status);
}

/** SDKs put the status before the text; it is told once, at the end. */
function withoutStatus(message: string, status: number | undefined): string {
  const text = status !== undefined && message.startsWith(`${status} `)
    ? message.slice(String(status).length + 1)
    : message;
  if (text.startsWith("status code (no body)")) return "";
  const title = /<title>([^<]*)<\/title>/i.exec(text);
  return title?.[1] ?? text;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > TEXT_MAX ? `${line.slice(0, TEXT_MAX).toWellFormed()}…` : line;
}

function* chain(error: Error): Generator<Error> {
  let current: unknown = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    yield current;
    current = current.cause;
  }
}

const TIMED_OUT = /timed? ?out|ETIMEDOUT/i;
const UNREACHABLE = new RegExp(
  [
    "ECONNREFUSED|ConnectionRefused|connection refused|unable to connect|FailedToOpenSocket",
    "ENOTFOUND|EAI_AGAIN|getaddrinfo|dns error|failed to lookup|EHOSTUNREACH|ENETUNREACH",
    "client error \\(Connect\\)|certificate|CERT_|self.signed|SSL|TLS",
  ].join("|"),
  "i",
);
const DROPPED =
  /ECONNRESET|ECONNABORTED|EPIPE|socket|terminated|closed|reset|UND_ERR|aborted|network/i;

function networkTrouble(error: Error): Failure["network"] {
  const words = [...chain(error)]
    .map((link) => `${link.name} ${record(link)["code"] ?? ""} ${link.message}`)
    .join("\n");
  if (UNREACHABLE.test(words)) return "unreachable";
  if (TIMED_OUT.test(words)) return "timed_out";
  if (DROPPED.test(words)) return "dropped";
  return /connection error|fetch failed/i.test(words) ? "unreachable" : undefined;
}

/**
 * How long a server asks to wait, in ms: `retry-after-ms`, else `retry-after` in seconds or as an
 * HTTP date. What is no time in the future is no answer.
 */
export function retryAfter(headers: unknown, nowMs = systemTimer.now()): number | undefined {
  const ms = Number.parseFloat(header(headers, "retry-after-ms") ?? "");
  if (Number.isFinite(ms) && ms > 0) return Math.ceil(ms);
  const value = header(headers, "retry-after")?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) {
    const waitMs = Math.ceil(Number(value) * 1000);
    return waitMs > 0 ? waitMs : undefined;
  }
  // Only a date as HTTP writes it: Date.parse makes something of "-5" and of many words, too.
  if (!/^[A-Z][a-z]{2,8},? /.test(value)) return undefined;
  const waitMs = Date.parse(value) - nowMs;
  return Number.isFinite(waitMs) && waitMs > 0 ? waitMs : undefined;
}

function header(headers: unknown, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = record(headers)[name];
  return typeof value === "string" ? value : undefined;
}
