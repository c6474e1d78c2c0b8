import { expect, test } from "bun:test";
import {
  type BranchContext,
  type CompactionPlan,
  DEFAULT_COMPACTION_SETTINGS,
  planCompaction,
  type PlanFailure,
  type PlanOptions,
} from "../../lib/compaction/mod.ts";
import type { ContextItem, SessionEntry } from "../../lib/session/mod.ts";
import { assistant, branchOf, textOfTokens, toolResult, user } from "../support/conversation.ts";

function options(keepRecentTokens: number, more: Partial<PlanOptions> = {}): PlanOptions {
  return {
    settings: { enabled: true, reserveTokens: 1_000, keepRecentTokens },
    window: { contextWindow: 100_000, maxTokens: 0, overheadTokens: 0 },
    reason: "threshold",
    ...more,
  };
}

function planned(context: BranchContext, how: PlanOptions): CompactionPlan {
  const outcome = planCompaction(context, how);
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.plan;
}

function refused(context: BranchContext, how: PlanOptions): PlanFailure {
  const outcome = planCompaction(context, how);
  if (outcome.ok) throw new Error("A plan was made.");
  return outcome.failure;
}

function ids(items: readonly ContextItem[]): string[] {
  return items.map((item) => item.entry.id);
}

/** The plan's parts as the ids of their entries. */
function parts({ history, turn, kept, request, firstKeptEntryId }: CompactionPlan) {
  return {
    history: ids(history),
    turn: ids(turn),
    kept: ids(kept),
    request: request?.entryId,
    first: firstKeptEntryId,
  };
}

const TURNS = branchOf(
  user(textOfTokens(100)),
  assistant(textOfTokens(100)),
  user(textOfTokens(100)),
  assistant(textOfTokens(100)),
);

test("planCompaction() keeps the newest messages that fit", () => {
  expect(parts(planned(TURNS, options(250)))).toEqual({
    history: ["m1", "m2"],
    turn: [],
    kept: ["m3", "m4"],
    request: undefined,
    first: "m3",
  });
});

test("planCompaction() says so where there is nothing to compact", () => {
  expect(refused(TURNS, options(400))).toEqual({
    code: "nothing_to_compact",
    message: "Cannot compact: the conversation is short enough to be kept as it is.",
  });
  expect(refused(branchOf(), options(400, { reason: "manual" })).code).toBe("nothing_to_compact");
});

test("planCompaction() keeps half at most of what a person asks to be compacted", () => {
  const plan = planned(TURNS, options(20_000, { reason: "manual" }));
  expect(parts(plan)).toMatchObject({ history: ["m1", "m2"], kept: ["m3", "m4"] });
});

test("planCompaction() keeps half at most of what the provider found too long", () => {
  const plan = planned(TURNS, options(20_000, { reason: "overflow" }));
  expect(parts(plan)).toMatchObject({ history: ["m1", "m2"], kept: ["m3", "m4"] });
});

test("planCompaction() believes a report over the threshold more than its estimates", () => {
  const context = branchOf(
    user(textOfTokens(10)),
    assistant(textOfTokens(10)),
    user(textOfTokens(10)),
    assistant(textOfTokens(10), { tokens: 99_500 }),
  );
  expect(parts(planned(context, options(20_000)))).toMatchObject({ first: "m3" });
});

test("planCompaction() never parts a call from its results, however many", () => {
  const context = branchOf(
    user(textOfTokens(10)),
    assistant("", { calls: [["a", "read"], ["b", "read"]] }),
    toolResult("a", "read", textOfTokens(100)),
    toolResult("b", "read", textOfTokens(100)),
    assistant(textOfTokens(10)),
    user(textOfTokens(10)),
  );
  // 220 would hold the results, but not their call.
  expect(planned(context, options(220)).firstKeptEntryId).toBe("m5");
});

test("planCompaction() does not cut at what stands between a call and its result", () => {
  const context = branchOf(
    user(textOfTokens(100)),
    assistant("", { calls: [["a", "read"]] }),
    user("meanwhile"),
    toolResult("a", "read", "content"),
    assistant(textOfTokens(10)),
  );
  expect(planned(context, options(15)).firstKeptEntryId).toBe("m5");
});

test("planCompaction() takes a result for that of the nearest call with its id", () => {
  const context = branchOf(
    user(textOfTokens(10)),
    assistant("", { calls: [["call_1", "bash"]] }),
    toolResult("call_1", "bash", textOfTokens(100)),
    assistant("", { calls: [["call_1", "bash"]] }),
    toolResult("call_1", "bash", textOfTokens(100)),
  );
  expect(planned(context, options(150)).firstKeptEntryId).toBe("m4");
});

test("planCompaction() never begins the kept part with a result whose call is not there", () => {
  const context = branchOf(
    user(textOfTokens(100)),
    toolResult("gone", "bash", textOfTokens(10)),
    assistant(textOfTokens(10)),
  );
  expect(planned(context, options(25)).firstKeptEntryId).toBe("m3");
});

test("planCompaction() can cut at a shell command, a custom message and a branch summary", () => {
  const bash = {
    role: "bashExecution" as const,
    command: "ls",
    output: textOfTokens(10),
    exitCode: 0,
    cancelled: false,
    truncated: false,
    timestamp: 1,
  };
  const first = branchOf(user(textOfTokens(100)), bash);
  expect(planned(first, options(60)).firstKeptEntryId).toBe("m2");
  const custom: SessionEntry = {
    type: "custom_message",
    id: "c1",
    parentId: "m1",
    timestamp: "2026-01-01T00:00:00.000Z",
    customType: "note",
    content: textOfTokens(10),
    display: true,
  };
  const summary: SessionEntry = {
    type: "branch_summary",
    id: "s1",
    parentId: "m1",
    timestamp: "2026-01-01T00:00:00.000Z",
    summary: textOfTokens(10),
    fromId: "m1",
  };
  const { items, branch } = branchOf(user(textOfTokens(100)));
  const { customType, content, display } = custom;
  const rows: [SessionEntry, ContextItem["message"]][] = [
    [custom, { role: "custom", customType, content, display, timestamp: 1 }],
    [summary, { role: "branchSummary", summary: summary.summary, fromId: "m1", timestamp: 1 }],
  ];
  for (const [entry, message] of rows) {
    const context = { branch: [...branch, entry], items: [...items, { entry, message }] };
    expect(planned(context, options(60)).firstKeptEntryId).toBe(entry.id);
  }
});

const LONG_TURN = branchOf(
  user("before"),
  assistant("done"),
  user("the newest request"),
  assistant("", { calls: [["a", "read"]] }),
  toolResult("a", "read", textOfTokens(300)),
  assistant("", { calls: [["b", "read"]] }),
  toolResult("b", "read", textOfTokens(100)),
);

test("planCompaction() gives the first part of a split turn apart, with its user message", () => {
  expect(parts(planned(LONG_TURN, options(150)))).toEqual({
    history: ["m1", "m2"],
    turn: ["m3", "m4", "m5"],
    kept: ["m6", "m7"],
    request: "m3",
    first: "m6",
  });
  expect(planned(LONG_TURN, options(150)).request?.text).toBe("the newest request");
});

test("planCompaction() takes the room for a repeated user message from what else is kept", () => {
  const context = branchOf(
    user(textOfTokens(60)),
    assistant(textOfTokens(50)),
    assistant(textOfTokens(50)),
    assistant(textOfTokens(50)),
  );
  const plan = planned(context, options(150));
  expect(parts(plan)).toMatchObject({ kept: ["m4"], request: "m1" });
  expect(plan.keptTokens).toBe(110);
});

test("planCompaction() keeps the last call with its results even if they are too large", () => {
  const plan = planned(LONG_TURN, options(20));
  expect(parts(plan)).toMatchObject({ kept: ["m6", "m7"] });
  expect(plan.oversized).toEqual({
    entryId: "m7",
    what: "a result of the tool read",
    tokens: 100,
  });
});

test("planCompaction() names a message that alone does not fit the window", () => {
  const context = branchOf(user("small"), assistant("ok"), user(textOfTokens(9_000)));
  const window = { contextWindow: 8_192, maxTokens: 0, overheadTokens: 100 };
  const settings = DEFAULT_COMPACTION_SETTINGS;
  expect(refused(context, { settings, window, reason: "overflow" })).toEqual({
    code: "oversized",
    message: "Cannot compact: a user message (entry m3) takes about 9000 of the 8192 tokens of " +
      "the model's window, and has to stay. Drop that entry from the context, or use a model " +
      "with a larger window.",
    oversized: { entryId: "m3", what: "a user message", tokens: 9_000 },
  });
});

test("planCompaction() names the system prompt and the tools where they fill the window", () => {
  const window = { contextWindow: 8_192, maxTokens: 0, overheadTokens: 8_000 };
  const failure = refused(TURNS, {
    settings: DEFAULT_COMPACTION_SETTINGS,
    window,
    reason: "threshold",
  });
  expect(failure).toMatchObject({
    code: "oversized",
    oversized: { what: "the system prompt with the tools", tokens: 8_000 },
  });
});

test("planCompaction() compacts for a small local model with the settings of a large one", () => {
  const turns = Array.from({ length: 14 }, () => [
    user(textOfTokens(250)),
    assistant(textOfTokens(250)),
  ]);
  const plan = planned(branchOf(...turns.flat()), {
    settings: DEFAULT_COMPACTION_SETTINGS,
    window: { contextWindow: 8_192, maxTokens: 0, overheadTokens: 1_000 },
    reason: "threshold",
  });
  expect(plan.tokensBefore).toBe(8_000);
  expect(plan.keptTokens).toBe(2_500);
  expect(plan.budget).toEqual({
    windowTokens: 8_192,
    limitTokens: 6_144,
    keepTokens: 2_572,
    summaryTokens: 1_286,
  });
});

test("planCompaction() takes failed answers for nothing, neither to summarize nor to keep", () => {
  const failed = assistant("", { stopReason: "error" });
  const before = branchOf(failed, user(textOfTokens(100)));
  expect(refused(before, options(50)).code).toBe("nothing_to_compact");
  const after = branchOf(user(textOfTokens(100)), assistant("a"), user(textOfTokens(100)), failed);
  expect(planned(after, options(50)).firstKeptEntryId).toBe("m3");
});
