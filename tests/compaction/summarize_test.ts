import { expect, test } from "bun:test";
import { type Model, ModelError, type ModelRequest } from "../../lib/agent/mod.ts";
import { type ModelAnswer, summarize, type SummaryJob } from "../../lib/compaction/mod.ts";
import { noUsage, textOf } from "../../lib/session/mod.ts";
import { HeldTimer } from "../support/manual_timer.ts";
import { type Answer, SCRIPTED_FACTS, scriptedModel } from "../support/scripted_model.ts";
import { textOfTokens } from "../support/conversation.ts";

const JOB: SummaryJob = { kind: "history", pieces: ["[User]: hello"], summaryTokens: 500 };

function question(request: ModelRequest | undefined): string {
  const message = request?.messages[0];
  return message?.role === "user" ? textOf(message.content) : "";
}

function conversation(request: ModelRequest | undefined): string {
  return question(request).split("<conversation>\n")[1]?.split("\n</conversation>")[0] ?? "";
}

/** The code with which an answer is refused. */
async function refusal(answer: Answer): Promise<string> {
  const model = scriptedModel([answer]);
  const outcome = await summarize(JOB, { model, signal: new AbortController().signal });
  return outcome.ok ? "accepted" : outcome.failure.code;
}

function signal(): AbortSignal {
  return new AbortController().signal;
}

test("summarize() asks without tools, thinking and cache, in one user message", async () => {
  const model = scriptedModel([{ text: " The summary. \n" }]);
  const job = { ...JOB, previousSummary: "OLD", request: "NEWEST", instructions: "mind the tests" };
  const outcome = await summarize(job, { model, signal: signal() });
  expect(outcome).toEqual({ ok: true, text: "The summary.", usage: noUsage() });
  const [request] = model.requests;
  expect(request).toMatchObject({
    tools: [],
    cache: false,
    thinkingLevel: "off",
    maxTokens: 500,
  });
  const text = question(request);
  for (
    const part of [
      "<conversation>\n[User]: hello\n</conversation>",
      "<previous-summary>\nOLD\n</previous-summary>",
      "<current-request>\nNEWEST\n</current-request>",
      "The person adds: mind the tests",
      "at most 250 words",
      "## Goal",
      "## Constraints",
      "## Progress",
      "## Decisions",
      "## Next steps",
      "## Must not be lost",
    ]
  ) {
    expect(text).toContain(part);
  }
});

test("summarize() refuses what is no summary", async () => {
  const rows: [string, Answer, string][] = [
    ["a good one", { text: "fine" }, "accepted"],
    ["nothing", { text: "" }, "empty"],
    ["blanks", { text: "  \n " }, "empty"],
    ["cut at the limit", { text: "The user wanted", stopReason: "length" }, "cut"],
    ["reasoning alone", { thinking: "hm", text: "" }, "reasoning_only"],
    ["reasoning in tags alone", { text: "<think>hm</think>\n" }, "reasoning_only"],
    ["reasoning in tags that goes on", { text: "<think>hm" }, "reasoning_only"],
    ["reasoning in tags, then a summary", { text: "<think>hm</think>\nfine" }, "accepted"],
    ["a tool call", { text: "let me see", calls: [{ id: "c", name: "read" }] }, "tool_call"],
    [
      "a tool call that calls itself finished",
      { calls: [{ id: "c", name: "read" }], stopReason: "stop" },
      "tool_call",
    ],
    ["one that is far too long", { text: textOfTokens(800) }, "too_long"],
    ["a failure", { text: "half", fails: "overloaded" }, "model_error"],
    ["an abort from elsewhere", { text: "half", stopReason: "aborted" }, "aborted"],
  ];
  for (const [title, answer, code] of rows) {
    expect([title, await refusal(answer)]).toEqual([title, code]);
  }
});

test("summarize() hands the model's failure on, and says what to do", async () => {
  const model = scriptedModel([{ fails: "bad_key", usage: { input: 7 } }]);
  const outcome = await summarize(JOB, { model, signal: signal() });
  if (outcome.ok) throw new Error("A summary was accepted.");
  expect(outcome.failure.error).toBeInstanceOf(ModelError);
  expect(outcome.failure.message).toBe(
    "Cannot write a summary: The model failed: bad_key. Nothing was changed; try again, or with " +
      "another model.",
  );
  expect(outcome.usage).toEqual({ ...noUsage(), input: 7 });
});

test("summarize() takes a model that throws, or ends without an end, for a failure", async () => {
  const { facts } = scriptedModel([]);
  const throwing = {
    facts,
    // deno-lint-ignore require-yield
    async *stream() {
      throw new Error("no network");
    },
  };
  const silent = { facts, async *stream() {} };
  for (const [model, reason] of [[throwing, "no network"], [silent, "broke off"]] as const) {
    const outcome = await summarize(JOB, { model, signal: signal() });
    expect(outcome.ok ? undefined : outcome.failure).toMatchObject({
      code: "model_error",
      message: expect.stringContaining(reason),
    });
  }
});

test("summarize() does not wait for a model that does not heed an abort", async () => {
  const asked = Promise.withResolvers<void>();
  const deaf: Model = {
    facts: SCRIPTED_FACTS,
    async *stream() {
      yield { type: "start" };
      asked.resolve();
      await new Promise(() => {});
    },
  };
  const timer = new HeldTimer();
  const controller = new AbortController();
  const running = summarize(JOB, { model: deaf, signal: controller.signal, timer });
  await asked.promise;
  controller.abort();
  await timer.sleeping(1);
  timer.wake();
  const outcome = await running;
  expect(outcome.ok ? "accepted" : outcome.failure.code).toBe("aborted");
});

test("summarize() ends at once when it is aborted, and asks nothing after it", async () => {
  const model = scriptedModel([{ text: "half", hangs: true }, { text: "never" }]);
  const controller = new AbortController();
  const running = summarize(JOB, { model, signal: controller.signal });
  await model.asked(1);
  controller.abort();
  const outcome = await running;
  expect(outcome.ok ? "accepted" : outcome.failure.code).toBe("aborted");
  const again = await summarize(JOB, { model, signal: controller.signal });
  expect(again.ok ? "accepted" : again.failure.code).toBe("aborted");
  expect(model.requests.length).toBe(1);
});

test("summarize() leaves it to the caller to try a failed call again", async () => {
  const model = scriptedModel([
    { fails: "overloaded", usage: { input: 1 } },
    { text: "fine", usage: { input: 2 } },
  ]);
  const seen: (string | undefined)[] = [];
  const retry = async (call: () => Promise<ModelAnswer>) => {
    const first = await call();
    seen.push(first.error instanceof ModelError ? first.error.code : undefined);
    return first.error ? await call() : first;
  };
  const outcome = await summarize(JOB, { model, signal: signal(), retry });
  expect(outcome).toEqual({ ok: true, text: "fine", usage: { ...noUsage(), input: 3 } });
  expect(seen).toEqual(["overloaded"]);
});

test("summarize() takes a conversation over the window in parts, and loses none of it", async () => {
  const window = 4_000;
  const model = scriptedModel(
    Array.from({ length: 12 }, (_, index) => ({ text: `summary ${index + 1}` })),
    { contextWindow: window },
  );
  const pieces = Array.from(
    { length: 30 },
    (_, index) => textOfTokens(300, `[User]: piece-${index}`),
  );
  const outcome = await summarize({ ...JOB, pieces }, { model, signal: signal() });
  const asked = model.requests.length;
  expect(outcome).toMatchObject({ ok: true, text: `summary ${asked}` });
  expect(asked).toBeGreaterThan(2);
  expect(model.requests.flatMap((request) => conversation(request).split("\n\n"))).toEqual(pieces);
  for (const [index, request] of model.requests.entries()) {
    const tokens = (question(request).length + request.systemPrompt.length) / 4;
    expect(tokens + (request.maxTokens ?? 0)).toBeLessThan(window);
    expect(question(request).includes(`<previous-summary>\nsummary ${index}\n`)).toBe(index > 0);
  }
});

test("summarize() cuts the oldest part of a conversation that is far over the window", async () => {
  const model = scriptedModel(
    Array.from({ length: 12 }, () => ({ text: "so far" })),
    { contextWindow: 2_000 },
  );
  const pieces = Array.from({ length: 200 }, (_, index) => textOfTokens(300, `piece-${index}-`));
  const outcome = await summarize({ ...JOB, pieces }, { model, signal: signal() });
  expect(outcome.ok).toBe(true);
  const all = model.requests.map(conversation).join("\n");
  expect(model.requests.length).toBeLessThanOrEqual(12);
  expect(all).toContain("[Older messages are left out here: they do not fit]");
  expect(all).not.toContain("piece-0-");
  expect(all).toContain("piece-199-");
});

test("summarize() asks for less at a time where the provider finds it too long", async () => {
  const answer = (request: ModelRequest): Answer =>
    conversation(request).length > 4_000 ? { fails: "context_overflow" } : { text: "short" };
  const model = scriptedModel(Array.from({ length: 12 }, () => answer), { contextWindow: 0 });
  const pieces = Array.from({ length: 10 }, (_, index) => textOfTokens(200, `piece-${index}-`));
  const outcome = await summarize({ ...JOB, pieces }, { model, signal: signal() });
  expect(outcome).toMatchObject({ ok: true, text: "short" });
  const heard = model.requests.map(conversation).filter((text) => text.length <= 4_000).join("\n");
  for (const piece of pieces) expect(heard).toContain(piece);
});

test("summarize() gives up on a provider that finds everything too long", async () => {
  const model = scriptedModel(
    Array.from({ length: 20 }, () => ({ fails: "context_overflow" as const })),
    { contextWindow: 0 },
  );
  const long = { ...JOB, pieces: Array.from({ length: 20 }, () => textOfTokens(200)) };
  const outcome = await summarize(long, { model, signal: signal() });
  expect(outcome.ok ? undefined : outcome.failure.code).toBe("model_error");
  expect(model.requests.map((request) => conversation(request).split("\n\n").length)).toEqual([
    20,
    10,
    5,
    2,
  ]);
});

test("summarize() says so where the window has no room for a summary", async () => {
  const model = scriptedModel([{ text: "never" }], { contextWindow: 600 });
  const outcome = await summarize(JOB, { model, signal: signal() });
  expect(outcome.ok ? undefined : outcome.failure.code).toBe("window_too_small");
  expect(model.requests).toEqual([]);
});

test("summarize() reads a previous summary that would fill the window as conversation", async () => {
  const model = scriptedModel(
    Array.from({ length: 12 }, () => ({ text: "so far" })),
    { contextWindow: 4_000 },
  );
  const job = { ...JOB, previousSummary: textOfTokens(4_000, "OLD") };
  expect((await summarize(job, { model, signal: signal() })).ok).toBe(true);
  const heard = model.requests.map(conversation).join("");
  expect(heard.replaceAll(/[^x]/g, "").length).toBe(
    job.previousSummary.replaceAll(/[^x]/g, "").length,
  );
});
