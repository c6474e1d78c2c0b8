import { describe, expect, test } from "bun:test";
import type { AgentSessionEvent } from "../../../lib/runtime/event.ts";
import { LimitWatch } from "../../../lib/runtime/modes/limits.ts";
import { Stopper } from "../../../lib/runtime/modes/stop.ts";
import {
  type CompactionEntry,
  noUsage,
  type StopReason,
  type Usage,
} from "../../../lib/session/mod.ts";
import { assistant, toolResult } from "../../support/conversation.ts";
import { HeldTimer, InstantTimer } from "../../support/manual_timer.ts";

function cost(total: number): Usage {
  return { ...noUsage(), cost: { ...noUsage().cost, total } };
}

/** The events of one turn of the model. */
function turn(stopReason: StopReason, usd = 0): AgentSessionEvent[] {
  const message = { ...assistant("text", { stopReason }), usage: cost(usd) };
  const toolResults = stopReason === "toolUse" ? [toolResult("c1", "bash", "ok")] : [];
  return [{ type: "message_end", message }, { type: "turn_end", message, toolResults }];
}

function watch(limits: ConstructorParameters<typeof LimitWatch>[0]) {
  const stopper = new Stopper();
  const limitWatch = new LimitWatch(limits, (cause) => stopper.stop(cause));
  return {
    stopper,
    limitWatch,
    observe: (events: AgentSessionEvent[]) => events.forEach((each) => limitWatch.observe(each)),
  };
}

describe("LimitWatch stops", () => {
  test("after so many turns, when another one would follow", () => {
    const { stopper, observe } = watch({ maxTurns: 2 });
    observe(turn("toolUse"));
    expect(stopper.cause).toBeUndefined();
    observe(turn("toolUse"));
    expect(stopper.cause).toMatchObject({ kind: "limit", limit: "turns" });
    expect(stopper.cause).toMatchObject({
      message: "Cannot finish within the limit: --max-turns 2 is used up",
    });
  });

  test("when an answer that wants tools has cost too much, before they run", () => {
    const { stopper, observe } = watch({ maxCostUsd: 0.5 });
    observe(turn("toolUse", 0.3));
    expect(stopper.cause).toBeUndefined();
    observe(turn("toolUse", 0.2).slice(0, 1));
    expect(stopper.cause).toMatchObject({ kind: "limit", limit: "cost" });
  });

  test("before a turn, when a compaction used up the rest", () => {
    const { stopper, observe } = watch({ maxCostUsd: 0.5 });
    const result: CompactionEntry = {
      type: "compaction",
      id: "c",
      parentId: null,
      timestamp: "",
      summary: "",
      firstKeptEntryId: "c",
      tokensBefore: 1,
      usage: cost(1),
    };
    const compaction = { reason: "threshold", aborted: false, willRetry: false } as const;
    observe([{ type: "compaction_end", ...compaction, result }]);
    // After the last answer it costs nobody an answer.
    expect(stopper.cause).toBeUndefined();
    observe([{ type: "turn_start" }]);
    expect(stopper.cause).toMatchObject({ kind: "limit", limit: "cost" });
  });

  test("when the time is over", async () => {
    const { stopper, limitWatch } = watch({ timeoutMs: 90_000 });
    const timer = new InstantTimer();
    await limitWatch.start(timer, stopper.signal);
    expect(timer.slept).toEqual([90_000]);
    expect(stopper.cause).toMatchObject({ kind: "limit", limit: "time" });
  });

  test("before a next prompt that nothing is left for", () => {
    for (const limits of [{ maxTurns: 1 }, { maxCostUsd: 1 }]) {
      const { stopper, limitWatch, observe } = watch(limits);
      observe(turn("stop", 1));
      expect(stopper.cause).toBeUndefined();
      limitWatch.checkBeforePrompt();
      expect(stopper.cause?.kind).toBe("limit");
    }
  });
});

describe("LimitWatch does not stop", () => {
  test("a run whose last answer reaches a limit", () => {
    const { stopper, observe } = watch({ maxTurns: 1, maxCostUsd: 1 });
    observe(turn("stop", 2));
    expect(stopper.cause).toBeUndefined();
  });

  test("for answers that failed", () => {
    const { stopper, observe } = watch({ maxTurns: 1 });
    observe(turn("error"));
    observe(turn("aborted"));
    expect(stopper.cause).toBeUndefined();
  });

  test("without limits", async () => {
    const { stopper, limitWatch, observe } = watch({});
    await limitWatch.start(new HeldTimer(), stopper.signal);
    observe(turn("toolUse", 1_000));
    limitWatch.checkBeforePrompt();
    expect(stopper.cause).toBeUndefined();
  });

  test("once the run is over", async () => {
    const { stopper, limitWatch } = watch({ timeoutMs: 1 });
    const ended = new AbortController();
    const watching = limitWatch.start(new HeldTimer(), ended.signal);
    ended.abort();
    await watching;
    expect(stopper.cause).toBeUndefined();
  });
});
