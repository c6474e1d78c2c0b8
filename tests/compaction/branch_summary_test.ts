import { expect, test } from "bun:test";
import { DEFAULT_COMPACTION_SETTINGS, summarizeBranch } from "../../lib/compaction/mod.ts";
import { textOf } from "../../lib/session/mod.ts";
import { assistant, branchOf, textOfTokens, toolResult, user } from "../support/conversation.ts";
import { type ScriptedModel, scriptedModel } from "../support/scripted_model.ts";

const BRANCH = branchOf(
  user("SHARED"),
  assistant("shared answer"),
  user("LEFT-1"),
  assistant("", { calls: [["a", "read", { path: "a.ts" }]] }),
  toolResult("a", "read", "content"),
  assistant("LEFT-2"),
);

function options(model: ScriptedModel) {
  return {
    ancestorId: "m2",
    model,
    settings: DEFAULT_COMPACTION_SETTINGS,
    signal: new AbortController().signal,
  };
}

function asked(model: ScriptedModel): string {
  const message = model.requests[0]?.messages[0];
  return message?.role === "user" ? textOf(message.content) : "";
}

test("summarizeBranch() summarizes what is left, with its files and nothing above it", async () => {
  const model = scriptedModel([{ text: "What was tried." }]);
  const outcome = await summarizeBranch(BRANCH, {
    ...options(model),
    instructions: "be brief",
  });
  expect(outcome).toMatchObject({
    ok: true,
    branchSummary: {
      summary: "What was tried.\n\n<read-files>\na.ts\n</read-files>",
      details: { readFiles: ["a.ts"], modifiedFiles: [] },
    },
  });
  expect(asked(model)).toContain("LEFT-1");
  expect(asked(model)).toContain("LEFT-2");
  expect(asked(model)).toContain("The person adds: be brief");
  expect(asked(model)).not.toContain("SHARED");
  expect(model.requests[0]).toMatchObject({ tools: [], cache: false });
});

test("summarizeBranch() takes the newest messages first within its budget", async () => {
  const long = branchOf(user(textOfTokens(100, "OLDEST")), assistant("middle"), user("NEWEST"));
  const model = scriptedModel([{ text: "fine" }]);
  const outcome = await summarizeBranch(long, {
    ...options(model),
    ancestorId: null,
    budgetTokens: 60,
  });
  expect(outcome.ok).toBe(true);
  expect(asked(model)).not.toContain("OLDEST");
  expect(asked(model)).toContain("middle");
  expect(asked(model)).toContain("NEWEST");
  expect(asked(model)).toContain("Older messages are left out");
});

test("summarizeBranch() refuses what is no summary, and an empty branch", async () => {
  const cut = await summarizeBranch(
    BRANCH,
    options(scriptedModel([{ text: "a", stopReason: "length" }])),
  );
  expect(cut.ok ? undefined : cut.failure.code).toBe("cut");
  const model = scriptedModel([]);
  const empty = await summarizeBranch(BRANCH, { ...options(model), ancestorId: "m6" });
  expect(empty.ok ? undefined : empty.failure.code).toBe("nothing_to_summarize");
  expect(model.requests).toEqual([]);
});
