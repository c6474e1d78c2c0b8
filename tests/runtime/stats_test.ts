import { describe, expect, test } from "bun:test";
import { AgentSession, type AgentSessionOptions } from "../../lib/runtime/mod.ts";
import { MemorySessionRepo, type Usage } from "../../lib/session/mod.ts";
import { InstantTimer } from "../support/manual_timer.ts";
import { type Answer, scriptedModel } from "../support/scripted_model.ts";

/** Usage with a total of so many tokens; powers of ten tell who it came from. */
const used = (tokens: number): Partial<Usage> => ({ input: tokens, totalTokens: tokens });

async function live(answers: Answer[], options: Partial<AgentSessionOptions> = {}) {
  return new AgentSession({
    session: await new MemorySessionRepo().create({ cwd: "/tmp" }),
    model: scriptedModel(answers),
    timer: new InstantTimer(),
    random: () => 0,
    ...options,
  });
}

/** The tokens of the branch, and of all branches. */
async function totals(session: AgentSession): Promise<[branch: number, session: number]> {
  const { branch, session: all } = await session.stats();
  return [branch.totalTokens, all.totalTokens];
}

describe("stats()", () => {
  test("counts answers, failed attempts, compactions and summaries once each", async () => {
    const conversation = await live([
      { text: "one", usage: used(1) },
      { text: "half", fails: "overloaded", usage: used(10) },
      { text: "two", usage: used(100) },
      { text: "the summary", usage: used(1_000) },
      { text: "three", usage: used(10_000) },
      { text: "of the branch", usage: used(100_000) },
    ]);
    expect((await conversation.prompt("first")).usage.totalTokens).toBe(1);
    const first = conversation.session.leafId;
    expect((await conversation.prompt("second")).usage.totalTokens).toBe(110);
    expect(await totals(conversation)).toEqual([111, 111]);
    await conversation.compact();
    expect(await totals(conversation)).toEqual([1_111, 1_111]);
    expect((await conversation.prompt("third")).usage.totalTokens).toBe(10_000);
    expect(await totals(conversation)).toEqual([11_111, 11_111]);
    await conversation.navigateTree(first, { summarize: true });
    expect(await totals(conversation)).toEqual([100_001, 111_111]);
  });

  test("counts a compaction within a prompt in that prompt, also one in vain", async () => {
    const conversation = await live([], {
      model: scriptedModel([
        { text: "one", usage: used(3_900) },
        { text: "", usage: used(10) },
        { text: "two", usage: used(3_910) },
        { text: "the summary", usage: used(1_000) },
        { text: "three", usage: used(100) },
      ], { contextWindow: 4_000, maxTokens: 500 }),
      compaction: { reserveTokens: 1_000, keepRecentTokens: 1 },
    });
    // The answer fills the window: compacted after the run, in vain.
    expect((await conversation.prompt("first")).usage.totalTokens).toBe(3_910);
    const second = await conversation.prompt("second");
    expect([second.usage.totalTokens, second.compactions]).toEqual([4_910, 1]);
    // A summary that was not kept is in no entry.
    expect(await totals(conversation)).toEqual([8_810, 8_810]);
  });

  test("counts usage entries, and those of a fallback model", async () => {
    const conversation = await live([{ fails: "quota", usage: used(1) }], {
      fallbackModels: [scriptedModel([{ text: "ok", usage: used(10) }], { id: "fallback" })],
    });
    expect((await conversation.prompt("go")).usage.totalTokens).toBe(11);
    await conversation.session.appendUsage({
      kind: "cache_warm",
      provider: "test",
      model: "scripted",
      usage: {
        input: 100,
        output: 0,
        cacheRead: 0,
        cacheWrite: 0,
        totalTokens: 100,
        cost: { input: 1, output: 0, cacheRead: 0, cacheWrite: 0, total: 1 },
      },
    });
    expect(await totals(conversation)).toEqual([111, 111]);
    expect((await conversation.stats()).session.cost.total).toBe(1);
  });

  test("tells what the context takes of the window, and what the branch holds", async () => {
    const conversation = await live([
      { calls: [{ id: "a", name: "none" }], usage: used(400) },
      { text: "done", usage: used(500) },
    ]);
    await conversation.prompt("go");
    const { context, messages } = await conversation.stats();
    expect(context).toEqual({ tokens: 500, window: 200_000, percent: 0.3 });
    expect(messages).toEqual({ user: 1, assistant: 2, toolCalls: 1, toolResults: 1 });
  });
});
