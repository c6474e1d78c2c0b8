/** Asks a model for a summary, and takes no bad one. */
import {
  answerEvents,
  type Model,
  type ModelError,
  type ModelRequest,
  systemTimer,
  type Timer,
} from "../agent/mod.ts";
import { addUsage, type AssistantMessage, noUsage, textOf, type Usage } from "../session/mod.ts";
import { type SummaryKind, summaryPrompt, SYSTEM_PROMPT } from "./prompts.ts";
import { SUMMARY_SLACK } from "./settings.ts";
import { estimateText } from "./tokens.ts";
import { cutText, newestPieces, takePieces } from "./transcript.ts";

/** What a model said to a request; `message` is absent if it broke its word and said nothing. */
export interface ModelAnswer {
  message?: AssistantMessage;
  error?: ModelError | Error;
}

/** Makes a model call, again if the caller sees fit, and gives the last answer. */
export type CallWithRetry = (call: () => Promise<ModelAnswer>) => Promise<ModelAnswer>;

/** How a model is asked. */
export interface AskOptions {
  model: Model;
  signal: AbortSignal;
  /** Without it, each call is made once. */
  retry?: CallWithRetry;
  /** Bounds how long a model may go on after an abort; the machine's clock if absent. */
  timer?: Timer;
}

/** A summary to write. */
export interface SummaryJob {
  kind: SummaryKind;
  /** The conversation, oldest first (`transcript`). */
  pieces: readonly string[];
  previousSummary?: string;
  /** The newest user message, where it is not in what the agent still sees. */
  request?: string;
  instructions?: string;
  /** How long the summary may be, in tokens. */
  summaryTokens: number;
}

/** Why there is no summary. */
export type SummaryFailureCode =
  | "aborted"
  | "model_error"
  | "empty"
  | "reasoning_only"
  | "cut"
  | "tool_call"
  | "too_long"
  | "window_too_small";

export interface SummaryFailure {
  code: SummaryFailureCode;
  message: string;
  /** The model's own failure, with `model_error`. */
  error?: ModelError | Error;
}

/** `usage` is what the calls cost, also in vain. */
export type SummaryOutcome =
  | { ok: true; text: string; usage: Usage }
  | { ok: false; failure: SummaryFailure; usage: Usage };

/** A long conversation is summarized in so many requests at most; beyond, its oldest part is cut. */
const REQUESTS_MAX = 12;
/** A request that was too long all the same is made smaller so many times, by half. */
const SHRINKS_MAX = 3;
const CONVERSATION_TOKENS_MIN = 200;
const REQUEST_CHARACTERS_MAX = 8_000;
/** Estimates are rough: this share of the window is left free. */
const MARGIN = 0.05;

/**
 * Summarizes a conversation. One that is too long for the model's window is taken in parts, each
 * bringing the summary of those before it up to date. Never throws; nothing that is empty, cut, too
 * long, or a tool call passes for a summary.
 */
export async function summarize(job: SummaryJob, options: AskOptions): Promise<SummaryOutcome> {
  const window = options.model.facts.contextWindow > 0
    ? options.model.facts.contextWindow
    : Infinity;
  let usage = noUsage();
  const failed = (failure: SummaryFailure): SummaryOutcome => ({ ok: false, failure, usage });
  const short = { ...job, ...(job.request && { request: shortRequest(job.request, window) }) };
  let { pieces, previousSummary } = withinReach(job, window);
  let shrinks = 0;
  let roomMax = Infinity;
  for (let asked = 0; asked < REQUESTS_MAX;) {
    const room = Math.min(conversationRoom(short, previousSummary, window), roomMax);
    if (room < CONVERSATION_TOKENS_MIN) return failed(tooSmall(window));
    pieces = newestPieces(pieces, room * (REQUESTS_MAX - asked));
    const { taken, rest } = takePieces(pieces, room);
    const asking = modelRequest(short, taken, previousSummary);
    const answer = await ask(asking, options, (cost) => usage = addUsage(usage, cost));
    const half = Math.floor(estimateText(taken.join("")) / 2);
    if (isTooLong(answer) && shrinks < SHRINKS_MAX && half >= CONVERSATION_TOKENS_MIN) {
      // Estimated too low, or the window is smaller than it is said to be.
      roomMax = half;
      shrinks++;
      continue;
    }
    const checked = checkAnswer(answer, job, options.signal);
    if (!checked.ok) return failed(checked.failure);
    if (rest.length === 0) return { ok: true, text: checked.text, usage };
    asked++;
    pieces = rest;
    previousSummary = checked.text;
  }
  return failed(tooSmall(window));
}

/** A previous summary that would fill the window by itself becomes part of the conversation. */
function withinReach(
  job: SummaryJob,
  window: number,
): { pieces: readonly string[]; previousSummary: string | undefined } {
  const { pieces, previousSummary } = job;
  if (previousSummary === undefined || estimateText(previousSummary) < window / 4) {
    return { pieces, previousSummary };
  }
  const piece = `[Summary of what came before]: ${previousSummary}`;
  return { pieces: [piece, ...pieces], previousSummary: undefined };
}

/** The request is in the result word for word: here its start tells the model what matters. */
function shortRequest(request: string, window: number): string {
  return cutText(request, Math.min(REQUEST_CHARACTERS_MAX, Math.floor(window / 2)));
}

function conversationRoom(
  job: SummaryJob,
  previousSummary: string | undefined,
  window: number,
): number {
  const frame = modelRequest(job, [], previousSummary);
  const characters = frame.systemPrompt.length +
    frame.messages.reduce(
      (sum, message) => message.role === "user" ? sum + textOf(message.content).length : sum,
      0,
    );
  return Math.floor(window * (1 - MARGIN)) - job.summaryTokens - Math.ceil(characters / 4);
}

function modelRequest(
  job: SummaryJob,
  pieces: readonly string[],
  previousSummary: string | undefined,
): ModelRequest {
  const text = summaryPrompt({
    kind: job.kind,
    conversation: pieces.join("\n\n"),
    previousSummary,
    request: job.request,
    instructions: job.instructions,
    wordsMax: Math.floor(job.summaryTokens / 2),
  });
  return {
    systemPrompt: SYSTEM_PROMPT,
    messages: [{ role: "user", content: text.toWellFormed(), timestamp: 0 }],
    tools: [],
    thinkingLevel: "off",
    maxTokens: job.summaryTokens,
    cache: false,
  };
}

async function ask(
  request: ModelRequest,
  { model, signal, retry, timer = systemTimer }: AskOptions,
  onCost: (usage: Usage) => void,
): Promise<ModelAnswer> {
  const call = async (): Promise<ModelAnswer> => {
    const answer = await callModel(model, request, { signal, timer });
    if (answer.message) onCost(answer.message.usage);
    return answer;
  };
  return retry ? await retry(call) : await call();
}

async function callModel(
  model: Model,
  request: ModelRequest,
  { signal, timer }: { signal: AbortSignal; timer: Timer },
): Promise<ModelAnswer> {
  if (signal.aborted) return {};
  try {
    for await (const event of answerEvents(model, request, { signal, timer })) {
      if (event.type === "done") return { message: event.message };
      if (event.type === "failed") {
        return { message: event.message, ...(event.error && { error: event.error }) };
      }
    }
    return { error: new Error("the answer broke off") };
  } catch (cause) {
    return { error: cause instanceof Error ? cause : new Error(String(cause)) };
  }
}

function isTooLong({ error }: ModelAnswer): boolean {
  return error !== undefined && "code" in error && error.code === "context_overflow";
}

type Checked = { ok: true; text: string } | { ok: false; failure: SummaryFailure };

function checkAnswer(answer: ModelAnswer, job: SummaryJob, signal: AbortSignal): Checked {
  const { message, error } = answer;
  if (signal.aborted || message?.stopReason === "aborted") {
    return refused("aborted", "it was aborted");
  }
  if (!message || error || message.stopReason === "error") {
    const reason = error?.message ?? message?.errorMessage ?? "the model gave no answer";
    const failure: SummaryFailure = { code: "model_error", message: unable(reason) };
    return { ok: false, failure: error ? { ...failure, error } : failure };
  }
  if (message.stopReason === "toolUse" || message.content.some(({ type }) => type === "toolCall")) {
    return refused("tool_call", "the model called a tool instead of writing one");
  }
  if (message.stopReason === "length") {
    return refused("cut", "the model's answer was cut at its length limit");
  }
  const said = textOf(message.content);
  const text = withoutReasoning(said).trim();
  if (text === "") {
    const reasoned = said.trim() !== "" ||
      message.content.some((block) => block.type === "thinking");
    return reasoned
      ? refused("reasoning_only", "the model's answer held reasoning and no summary")
      : refused("empty", "the model's answer was empty");
  }
  if (estimateText(text) > job.summaryTokens * SUMMARY_SLACK) {
    return refused("too_long", "the model's answer was longer than a summary may be");
  }
  return { ok: true, text };
}

/** Some local models write their reasoning into the text, between tags, ahead of the answer. */
function withoutReasoning(text: string): string {
  const start = text.trimStart();
  if (!start.startsWith("<think>")) return text;
  const end = start.indexOf("</think>");
  return end < 0 ? "" : start.slice(end + "</think>".length);
}

function refused(code: SummaryFailureCode, reason: string): Checked {
  return { ok: false, failure: { code, message: unable(reason) } };
}

function tooSmall(window: number): SummaryFailure {
  const reason = `the model's window of ${window} tokens has no room for it`;
  return { code: "window_too_small", message: unable(reason) };
}

function unable(reason: string): string {
  return `Cannot write a summary: ${
    reason.replace(/\.$/, "")
  }. Nothing was changed; try again, or ` +
    "with another model.";
}
