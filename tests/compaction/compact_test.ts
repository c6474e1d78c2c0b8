import { expect, test } from "bun:test";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import type { ModelRequest } from "../../lib/agent/mod.ts";
import {
  type BranchContext,
  compact,
  type CompactionResult,
  type CompactOptions,
  contextTokens,
  DEFAULT_COMPACTION_SETTINGS,
  planCompaction,
  shouldCompact,
} from "../../lib/compaction/mod.ts";
import {
  JsonlSessionRepo,
  MemorySessionRepo,
  type Message,
  noUsage,
  type Session,
  textOf,
} from "../../lib/session/mod.ts";
import { assistant, branchOf, textOfTokens, toolResult, user } from "../support/conversation.ts";
import { type Answer, type ScriptedModel, scriptedModel } from "../support/scripted_model.ts";

function settings(keepRecentTokens: number, reserveTokens = 16_384) {
  return { enabled: true, reserveTokens, keepRecentTokens };
}

function options(model: ScriptedModel, more: Partial<CompactOptions> = {}): CompactOptions {
  return {
    model,
    settings: DEFAULT_COMPACTION_SETTINGS,
    overheadTokens: 0,
    reason: "manual",
    signal: new AbortController().signal,
    ...more,
  };
}

async function compacted(
  context: BranchContext,
  model: ScriptedModel,
  more: Partial<CompactOptions> = {},
): Promise<CompactionResult> {
  const outcome = await compact(context, options(model, more));
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.compaction;
}

async function refusal(
  context: BranchContext,
  model: ScriptedModel,
  more: Partial<CompactOptions> = {},
): Promise<string> {
  const outcome = await compact(context, options(model, more));
  return outcome.ok ? "compacted" : outcome.failure.code;
}

function question(request: ModelRequest | undefined): string {
  const message = request?.messages[0];
  return message?.role === "user" ? textOf(message.content) : "";
}

/** The context of a session's branch. */
async function contextOf(session: Session): Promise<BranchContext> {
  return { items: await session.contextItems(), branch: await session.getBranch() };
}

/** The context of a recorded case. */
async function recorded(name: string): Promise<BranchContext> {
  const file = path.join(
    path.dirname(fileURLToPath(import.meta.url)),
    "../fixtures/cases",
    name,
    "session.jsonl",
  );
  const repo = new JsonlSessionRepo({ sessionsDir: path.dirname(file) });
  const session = await repo.open(file, { access: "read" });
  const context = await contextOf(session);
  await session.close();
  return context;
}

function textOfMessage(message: Message): string {
  if (message.role === "compactionSummary" || message.role === "branchSummary") {
    return message.summary;
  }
  return message.role === "bashExecution" ? message.output : textOf(message.content);
}

test("compact() puts the result together: summary, turn, newest message, files, cost", async () => {
  const context = branchOf(
    user("first"),
    assistant("", { calls: [["a", "read", { path: "a.ts" }]] }),
    toolResult("a", "read", "old"),
    assistant("done"),
    user("fix <b>it</b>"),
    assistant("", { calls: [["b", "edit", { path: "b.ts" }]] }),
    toolResult("b", "edit", "ok"),
    assistant("", { calls: [["c", "read", { path: "c.ts" }]] }),
    toolResult("c", "read", textOfTokens(40)),
  );
  const model = scriptedModel([
    { text: "THE PAST", usage: { input: 10, output: 1 } },
    { text: "THE TURN", usage: { input: 20, output: 2 } },
  ]);
  expect(await compacted(context, model, { settings: settings(50), reason: "threshold" })).toEqual({
    summary: "THE PAST\n\n" +
      "# The turn in progress, first part\n\nTHE TURN\n\n" +
      "The newest message of the user, word for word:\n\n" +
      "<current-request>\nfix <b>it</b>\n</current-request>\n\n" +
      "<read-files>\na.ts\n</read-files>\n\n" +
      "<modified-files>\nb.ts\n</modified-files>",
    firstKeptEntryId: "m8",
    tokensBefore: contextTokens(context, 0).tokens,
    details: { readFiles: ["a.ts"], modifiedFiles: ["b.ts"] },
    usage: { ...noUsage(), input: 30, output: 3 },
  });
  const [past, turn] = model.requests.map(question);
  expect(past).toContain("[User]: first");
  expect(past).not.toContain("Assistant calls edit");
  expect(turn).toContain("Assistant calls edit");
  expect(turn).toContain("first part of a turn");
});

test("compact() fails as a whole, at its cost, where one of two summaries fails", async () => {
  const context = branchOf(
    user("first"),
    assistant("done"),
    user("again"),
    assistant("", { calls: [["b", "edit"]] }),
    toolResult("b", "edit", "ok"),
    assistant(textOfTokens(100)),
  );
  const model = scriptedModel([
    { text: "THE PAST", usage: { input: 10 } },
    { text: "", usage: { input: 20 } },
  ]);
  const how = options(model, { settings: settings(60), reason: "threshold" });
  expect(await compact(context, how)).toEqual({
    ok: false,
    failure: {
      code: "empty",
      message: "Cannot write a summary: the model's answer was empty. Nothing was changed; try " +
        "again, or with another model.",
    },
    usage: { ...noUsage(), input: 30 },
  });
});

test("compact() never begins with a tool result what it keeps (C052)", async () => {
  const context = await recorded("C052");
  const ids = new Set<string>();
  for (let keep = 1; keep <= 60; keep++) {
    const window = { contextWindow: 200_000, maxTokens: 0, overheadTokens: 0 };
    const outcome = planCompaction(context, { settings: settings(keep), window, reason: "manual" });
    if (!outcome.ok) continue;
    const [first] = outcome.plan.kept;
    expect(first?.message.role).not.toBe("toolResult");
    expect(outcome.plan.kept.map(({ message }) => textOfMessage(message))).toContain("what now");
    ids.add(outcome.plan.firstKeptEntryId);
  }
  expect(ids.size).toBeGreaterThan(0);
});

test("compact() goes on from what the last compaction kept, with its summary (C056)", async () => {
  const context = await recorded("C056");
  const model = scriptedModel([{ text: "SUMMARY-B" }]);
  const result = await compacted(context, model, { settings: settings(500) });
  const asked = model.requests.map(question).join("\n");
  for (const text of ["SUMMARY-A", "KEPTONCE question", "KEPTONCE answer"]) {
    expect(asked).toContain(text);
  }
  expect(asked).not.toContain("ancient");
  expect(result.summary).toStartWith("SUMMARY-B");
  // What the last answer reported: the context as it was sent, not the file.
  expect(result.tokensBefore).toBe(110);
});

test("compact() finds something to give up where the provider refused (C057)", async () => {
  const context = await recorded("C057");
  const facts = { contextWindow: 8_192 };
  for (const chosen of [settings(1_000, 1_000), DEFAULT_COMPACTION_SETTINGS]) {
    const model = scriptedModel([{ text: "SHORT SUMMARY" }], facts);
    const result = await compacted(context, model, { settings: chosen, reason: "overflow" });
    expect(result.summary).toBe("SHORT SUMMARY");
  }
});

test("compact() takes no empty, blank or cut answer for a summary (C059)", async () => {
  const context = await recorded("C057");
  const answers: [Answer, string][] = [
    [{ text: "" }, "empty"],
    [{ text: "  \n " }, "empty"],
    [{ text: "The user wanted", stopReason: "length" }, "cut"],
  ];
  for (const [answer, code] of answers) {
    expect(await refusal(context, scriptedModel([answer]))).toBe(code);
  }
});

test("compact() keeps a run with large tool results within the window (C061)", async () => {
  const session = await new MemorySessionRepo().create({ cwd: "/tmp" });
  const summaries = Array.from({ length: 8 }, () => ({ text: "SUMMARY OF TURN" }));
  const model = scriptedModel(summaries, { contextWindow: 16_000 });
  const chosen = settings(3_000, 2_000);
  await session.appendMessage(user("count"));
  let largest = 0;
  let compactions = 0;
  for (let round = 0; round < 8; round++) {
    // The server names every call alike and reports no usage.
    await session.appendMessage(assistant("", { calls: [["call_1", "bash"]] }));
    await session.appendMessage(toolResult("call_1", "bash", textOfTokens(4_700)));
    const { tokens } = contextTokens(await contextOf(session), 1_000);
    if (shouldCompact(tokens, 16_000, chosen)) {
      const result = await compacted(await contextOf(session), model, {
        settings: chosen,
        overheadTokens: 1_000,
        reason: "threshold",
      });
      await session.appendCompaction(result);
      compactions++;
    }
    const after = await contextOf(session);
    largest = Math.max(largest, contextTokens(after, 1_000).tokens);
    const [summary, first] = after.items;
    if (summary?.message.role !== "compactionSummary") continue;
    expect(summary.message.summary).toContain("<current-request>\ncount\n</current-request>");
    expect(first?.message.role).toBe("assistant");
  }
  expect(compactions).toBeGreaterThan(0);
  expect(largest).toBeLessThanOrEqual(14_000);
});

test("compact() keeps the newest user message word for word, also twice in one turn (C063)", async () => {
  const session = await new MemorySessionRepo().create({ cwd: "/tmp" });
  const model = scriptedModel([{ text: "ONE" }, { text: "TWO" }, { text: "THREE" }]);
  await session.appendMessage(user("an earlier task"));
  await session.appendMessage(assistant("finished"));
  const edited = await session.appendMessage(user("the newest request, misspelt"));
  await session.appendContextEdit(edited, { content: "the newest request\nin two lines" });
  for (let round = 0; round < 2; round++) {
    for (let call = 0; call < 4; call++) {
      await session.appendMessage(assistant("", { calls: [[`c${round}${call}`, "bash"]] }));
      await session.appendMessage(toolResult(`c${round}${call}`, "bash", textOfTokens(100)));
    }
    const before = model.requests.length;
    const context = await contextOf(session);
    // The second time the branch as a reader from its end has it: without the user's message.
    const kept = context.branch.findIndex(({ id }) => id === context.items[1]?.entry.id);
    if (round === 1) context.branch = context.branch.slice(kept);
    const result = await compacted(context, model, {
      settings: settings(150),
      reason: "threshold",
    });
    await session.appendCompaction(result);
    const texts = (await session.contextItems()).map(({ message }) => textOfMessage(message));
    expect(texts.join("\n")).toContain("the newest request\nin two lines\n</current-request>");
    for (const request of model.requests.slice(before)) {
      expect(question(request)).toContain("the newest request\nin two lines");
    }
  }
});

test("compact() carries the files on, and lists them once", async () => {
  const session = await new MemorySessionRepo().create({ cwd: "/tmp" });
  const model = scriptedModel([{ text: "ONE" }, { text: "TWO" }]);
  for (const file of ["a.ts", "b.ts"]) {
    await session.appendMessage(user("go on"));
    await session.appendMessage(assistant("", { calls: [[file, "read", { path: file }]] }));
    await session.appendMessage(toolResult(file, "read", "content"));
    await session.appendMessage(assistant("done"));
    await session.appendMessage(user(textOfTokens(50)));
    const result = await compacted(await contextOf(session), model, {
      settings: settings(50),
      reason: "threshold",
    });
    await session.appendCompaction(result);
  }
  const [first] = await session.contextItems();
  expect(first && textOfMessage(first.message)).toBe(
    "TWO\n\n<read-files>\na.ts\nb.ts\n</read-files>",
  );
  expect(question(model.requests[1])).toContain("<previous-summary>\nONE\n</previous-summary>");
});

test("compact() summarizes the whole retained tail of an earlier compaction", async () => {
  const session = await new MemorySessionRepo().create({ cwd: "/tmp" });
  const model = scriptedModel([{ text: "TWO" }, { text: "THREE" }]);
  const first = await session.appendMessage(user("gone"));
  await session.appendCompaction({
    summary: "ONE",
    firstKeptEntryId: first,
    tokensBefore: 9,
    retainedTail: [user("TAIL-1"), assistant(textOfTokens(100, "TAIL-2"))],
  });
  const how = { settings: settings(50), reason: "threshold" as const };
  // Nothing follows the tail: nothing but the summary is left.
  const alone = await compacted(await contextOf(session), model, how);
  const leaf = session.leafId;
  await session.appendCompaction(alone);
  const texts = (await session.contextItems()).map(({ message }) => textOfMessage(message));
  expect(texts).toEqual([alone.summary]);
  expect(alone.summary).toContain("<current-request>\nTAIL-1\n</current-request>");
  await session.moveTo(leaf);
  const kept = await session.appendMessage(user("after"));
  expect((await compacted(await contextOf(session), model, how)).firstKeptEntryId).toBe(kept);
  for (const asked of model.requests.map(question)) {
    for (const text of ["ONE", "TAIL-1", "TAIL-2"]) expect(asked).toContain(text);
    expect(asked).not.toContain("gone");
  }
});

test("compact() has nothing to do for a person where nothing came after the last one", async () => {
  const session = await new MemorySessionRepo().create({ cwd: "/tmp" });
  const model = scriptedModel([{ text: "ONE" }]);
  for (let turn = 0; turn < 4; turn++) {
    await session.appendMessage(user(textOfTokens(50)));
    await session.appendMessage(assistant(textOfTokens(50)));
  }
  await session.appendCompaction(await compacted(await contextOf(session), model));
  await session.appendSessionName("named since");
  expect(await refusal(await contextOf(session), model)).toBe("nothing_to_compact");
  expect(model.requests.length).toBe(1);
});
