import { describe, expect, test } from "bun:test";
import { canKeepPromptCached, type ModelFacts, type Tool } from "../../lib/agent/mod.ts";
import { AgentSession } from "../../lib/runtime/agent_session.ts";
import type { AgentSessionEvent } from "../../lib/runtime/event.ts";
import { MemorySessionRepo } from "../../lib/session/mod.ts";
import { entryText } from "../support/extended.ts";
import { HeldTimer } from "../support/manual_timer.ts";
import { type Answer, SCRIPTED_FACTS, scriptedModel } from "../support/scripted_model.ts";

const CACHING: Partial<ModelFacts> = {
  cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1 },
};
const CALL: Answer = { calls: [{ id: "1", name: "wait" }], usage: { totalTokens: 100 } };
const WARM: Answer = {
  text: "x",
  stopReason: "length",
  usage: { cacheRead: 99, output: 1, totalTokens: 100 },
};

/** A tool that runs until the test ends it. */
function heldTool(): { tool: Tool; started: Promise<void>; end: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const tool: Tool = {
    name: "wait",
    description: "Waits.",
    parameters: { type: "object" },
    async execute() {
      started.resolve();
      await promise;
      return { content: [{ type: "text", text: "waited" }] };
    },
  };
  return { tool, started: started.promise, end: resolve };
}

interface World {
  answers: Answer[];
  facts?: Partial<ModelFacts>;
  enabled?: boolean;
}

async function opened({ answers, enabled = true, facts = CACHING }: World) {
  const timer = new HeldTimer();
  const model = scriptedModel(answers, facts);
  const { end, started, tool } = heldTool();
  const live = new AgentSession({
    session: await new MemorySessionRepo().create({ cwd: "/tmp" }),
    model,
    tools: [tool],
    systemPrompt: "You wait.",
    cacheWarming: { enabled, intervalMs: 240_000 },
    timer,
  });
  const warmed: (() => void)[] = [];
  live.subscribe((event: AgentSessionEvent) => {
    if (event.type === "entry_appended" && event.entry.type === "usage") warmed.shift()?.();
  });
  const nextWarmed = () => new Promise<void>((resolve) => void warmed.push(resolve));
  const branch = async () => (await live.session.getBranch()).map(entryText);
  return { branch, end, live, model, nextWarmed, started, timer };
}

describe("cache warming", () => {
  test("asks the last request again for one token while a tool runs, and counts what it took", async () => {
    const world = await opened({ answers: [CALL, WARM, WARM, { text: "done" }] });
    const outcome = world.live.prompt("go");
    for (let n = 1; n <= 2; n++) {
      await world.timer.sleeping(n);
      const warmed = world.nextWarmed();
      world.timer.wake();
      await warmed;
    }
    await world.timer.sleeping(3);
    world.end();
    expect((await outcome).usage).toMatchObject({ cacheRead: 198, totalTokens: 300 });
    expect(world.timer.slept).toEqual([240_000, 240_000, 240_000]);
    const [asked, ...warm] = world.model.requests.slice(0, 3);
    expect(warm).toEqual([1, 2].map(() => ({ ...asked, maxTokens: 1 })) as never);
    expect(await world.branch()).toEqual([
      "model_change",
      "user: go",
      "assistant: ",
      "usage: cache_warm",
      "usage: cache_warm",
      "toolResult: waited",
      "assistant: done",
    ]);
    expect((await world.live.stats()).session.cacheRead).toBe(198);
    expect(world.model.requests.length).toBe(4);
  });

  test("is over before the model is asked again: a request under way is aborted", async () => {
    const hanging: Answer = { hangs: true };
    const world = await opened({ answers: [CALL, hanging, { text: "done" }] });
    const outcome = world.live.prompt("go");
    await world.timer.sleeping(1);
    world.timer.wake();
    await world.model.asked(2);
    world.end();
    expect((await outcome).text).toBe("done");
    expect(await world.branch()).not.toContain("usage: cache_warm");
  });

  test("ends with an abort", async () => {
    const world = await opened({ answers: [CALL, { hangs: true }] });
    const outcome = world.live.prompt("go");
    await world.timer.sleeping(1);
    world.timer.wake();
    await world.model.asked(2);
    await world.started;
    const aborting = world.live.abort();
    await world.timer.sleeping(2);
    world.timer.wake();
    await aborting;
    expect((await outcome).aborted).toBe(true);
    expect(world.model.requests.length).toBe(2);
  });

  test("gives up where it fails, without a word", async () => {
    const world = await opened({ answers: [CALL, { fails: "overloaded" }, { text: "done" }] });
    const outcome = world.live.prompt("go");
    await world.timer.sleeping(1);
    world.timer.wake();
    await world.model.asked(2);
    world.end();
    expect(await outcome).toMatchObject({ text: "done", retries: 0 });
    expect(world.timer.slept).toEqual([240_000]);
  });

  const idle: [string, Partial<World>][] = [
    ["it is off", { enabled: false }],
    ["the model has no cache", { facts: {} }],
  ];
  test.each(idle)("does nothing where %s", async (_, options) => {
    const world = await opened({ answers: [CALL, { text: "done" }], ...options });
    const outcome = world.live.prompt("go");
    await world.started;
    world.end();
    await outcome;
    expect([world.timer.slept, world.model.requests.length]).toEqual([[], 2]);
  });
});

test("canKeepPromptCached() says no where a short answer would change the cached prompt", () => {
  const claude = (id: string) => ({
    ...SCRIPTED_FACTS,
    api: "anthropic-messages",
    id,
    maxTokens: 32_000,
  });
  expect([
    canKeepPromptCached(claude("claude-sonnet-4-5"), "off"),
    canKeepPromptCached(claude("claude-sonnet-4-5"), "high"),
    canKeepPromptCached(claude("claude-opus-4-6"), "high"),
    canKeepPromptCached({ ...SCRIPTED_FACTS, ...CACHING }, "high"),
    canKeepPromptCached(SCRIPTED_FACTS, "off"),
  ]).toEqual([true, false, true, true, false]);
});
