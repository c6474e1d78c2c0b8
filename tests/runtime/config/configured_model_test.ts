import { expect, test } from "bun:test";
import {
  type Model,
  ModelError,
  type ModelEvent,
  type ModelFacts,
  replayModel,
} from "../../../lib/agent/mod.ts";
import { ConfiguredModel } from "../../../lib/runtime/config/configured_model.ts";
import { ConfigError } from "../../../lib/runtime/config/errors.ts";
import { noUsage } from "../../../lib/session/mod.ts";

const FACTS: ModelFacts = {
  provider: "p",
  id: "m",
  name: "m",
  api: "openai-completions",
  contextWindow: 1000,
  maxTokens: 100,
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};
const REQUEST = { systemPrompt: "", messages: [], tools: [], thinkingLevel: "off" as const };
const clock = { now: () => 7 };

function ask(model: Model, signal = new AbortController().signal): Promise<ModelEvent[]> {
  return Array.fromAsync(model.stream(REQUEST, signal));
}

function failed(stopReason: "error" | "aborted", errorMessage?: string) {
  return {
    role: "assistant",
    content: [],
    api: "openai-completions",
    provider: "p",
    model: "m",
    usage: noUsage(),
    stopReason,
    ...(errorMessage === undefined ? {} : { errorMessage }),
    timestamp: 7,
  };
}

test("ConfiguredModel connects at its first request, once", async () => {
  let connections = 0;
  const inner = replayModel({ messages: [], facts: FACTS });
  const model = new ConfiguredModel({
    facts: FACTS,
    connect: () => Promise.resolve((connections++, inner)),
  });
  expect(connections).toBe(0);
  const answers = [await ask(model), await ask(model)];
  expect(answers.map((events) => events.at(-1)?.type)).toEqual(["failed", "failed"]);
  expect(connections).toBe(1);
});

test("ConfiguredModel turns a failed connection into a failed answer, and tries again", async () => {
  const errors = [new ConfigError("no_key", "no key here"), new Error("broken")];
  const model = new ConfiguredModel({
    facts: FACTS,
    clock,
    connect: () => Promise.reject(errors.shift()),
  });
  const answers = [await ask(model), await ask(model)].map(([event, ...rest]) => {
    if (event?.type !== "failed") throw new Error("it did not fail");
    return [event.message, event.error?.code, rest.length];
  });
  expect(answers).toEqual([
    [failed("error", "no key here"), "bad_key", 0],
    [failed("error", "broken"), "bad_request", 0],
  ] as never);
});

test("ConfiguredModel ends at once when it is aborted while it connects", async () => {
  const controller = new AbortController();
  const model = new ConfiguredModel({ facts: FACTS, clock, connect: () => new Promise(() => {}) });
  const answer = ask(model, controller.signal);
  controller.abort();
  expect(await answer).toEqual([{ type: "failed", message: failed("aborted") } as never]);
});

test("ConfiguredModel says where another key can go, when the provider refuses the one there is", async () => {
  const said = "Cannot use p: it refused the key (401): no. Check the key.";
  const refusing: Model = {
    facts: FACTS,
    async *stream() {
      const error = new ModelError("bad_key", said, { status: 401 });
      yield { type: "failed", message: { ...failed("error", said) } as never, error };
    },
  };
  const model = new ConfiguredModel({
    facts: FACTS,
    connect: () => Promise.resolve(refusing),
    refusedAdvice: () => "Store another.",
  });
  const [event] = await ask(model);
  const error = event?.type === "failed" ? event.error : undefined;
  expect(event).toMatchObject({ message: failed("error", `${said} Store another.`) });
  expect([error?.message, error?.code, error?.status]).toEqual([
    `${said} Store another.`,
    "bad_key",
    401,
  ]);
});
