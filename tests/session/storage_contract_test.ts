import { describe, expect, test } from "bun:test";
import {
  type EntryBody,
  JsonlSessionRepo,
  MemorySessionRepo,
  noUsage,
  type Session,
  type SessionEntry,
  SessionError,
} from "../../lib/session/mod.ts";
import { TempDirectory } from "../support/temp.ts";

const USER = { role: "user", content: "hello", timestamp: 1 } as const;

function assistant(model = "m") {
  return {
    role: "assistant" as const,
    content: [{ type: "text" as const, text: `by ${model}` }],
    api: "a",
    provider: "p",
    model,
    usage: noUsage(),
    stopReason: "stop" as const,
    timestamp: 2,
  };
}

const BODIES: EntryBody[] = [
  { type: "message", message: USER },
  { type: "message", message: assistant() },
  { type: "model_change", provider: "q", modelId: "n" },
  { type: "thinking_level_change", thinkingLevel: "high" },
  { type: "custom", customType: "c", data: { a: [1, null] } },
  { type: "custom_message", customType: "c", content: "text", display: true },
  { type: "session_info", name: "a name" },
  { type: "usage", kind: "k", provider: "p", model: "m", usage: noUsage() },
];

/** A repo's ways to make a session and to open it again. */
interface Place {
  create(): Promise<Session>;
  reopen(session: Session): Promise<Session>;
}

const PLACES: Record<string, (temp: TempDirectory) => Place> = {
  JsonlSessionStorage(temp) {
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path, durability: "none" });
    return {
      create: () => repo.create({ cwd: temp.cwd }),
      async reopen(session) {
        await session.close();
        return await repo.open(session.file ?? "");
      },
    };
  },
  MemorySessionStorage(temp) {
    const repo = new MemorySessionRepo();
    return {
      create: () => repo.create({ cwd: temp.cwd }),
      async reopen(session) {
        await session.close();
        return await repo.open(session.id);
      },
    };
  },
};

async function code(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "resolved";
  } catch (error) {
    if (error instanceof SessionError) return error.code;
    throw error;
  }
}

/** All that a session tells. */
async function view(session: Session) {
  return {
    leafId: session.leafId,
    name: session.name,
    labels: [...session.labels],
    entries: await session.getEntries(),
    branch: await session.getBranch(),
    tree: await session.getTree(),
    context: await session.buildContext(),
    items: await session.contextItems(),
  };
}

describe.each(Object.keys(PLACES))("%s", (name: string) => {
  function place(temp: TempDirectory): Place {
    const make = PLACES[name];
    if (!make) throw new Error(name);
    return make(temp);
  }

  test("starts with nothing", async () => {
    using temp = new TempDirectory();
    const session = await place(temp).create();
    expect(await view(session)).toEqual({
      leafId: null,
      name: undefined,
      labels: [],
      entries: [],
      branch: [],
      tree: [],
      context: { messages: [], model: null, thinkingLevel: "off" },
      items: [],
    });
  });

  test("append() makes each entry a child of the one before, and the leaf", async () => {
    using temp = new TempDirectory();
    const { storage } = await place(temp).create();
    const entries: SessionEntry[] = [];
    for (const body of BODIES) {
      const entry = storage.append(body);
      expect(storage.leafId).toBe(entry.id);
      expect(entry.parentId).toBe(entries.at(-1)?.id ?? null);
      entries.push(entry);
    }
    expect(storage.path(storage.leafId)).toEqual(entries);
    expect(storage.entries()).toEqual(entries);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(BODIES.length);
  });

  test("what was appended is there after a reopen, after every append and move", async () => {
    using temp = new TempDirectory();
    const where = place(temp);
    let session = await where.create();
    const first = await session.appendMessage(USER);
    const steps: ((session: Session) => Promise<unknown>)[] = [
      (open) => open.appendMessage(assistant()),
      (open) => open.appendLabel(first, "start"),
      (open) => open.appendSessionName("named"),
      (open) => open.moveTo(first),
      (open) => open.appendModelChange("q", "n"),
      (open) => open.appendContextEdit(first, { content: "changed" }),
      (open) => open.moveTo(null),
      (open) => open.appendMessage(USER),
      (open) => open.moveTo(first, { summary: { summary: "the other side" } }),
      (open) => open.appendCompaction({ summary: "all", firstKeptEntryId: first, tokensBefore: 9 }),
      (open) => open.appendThinkingLevelChange("low"),
      (open) => open.appendLabel(first),
      (open) => open.appendCustomMessage({ customType: "c", content: [], display: false }),
    ];
    for (const step of steps) {
      await step(session);
      const before = await view(session);
      session = await where.reopen(session);
      expect(await view(session)).toEqual(before);
    }
    await session.close();
  });

  test("moveTo() survives a reopen, and writes a leaf entry under its target", async () => {
    using temp = new TempDirectory();
    const where = place(temp);
    const session = await where.create();
    const first = await session.appendMessage(USER);
    const second = await session.appendMessage(assistant());
    expect(await session.moveTo(first)).toBe(undefined);
    const moved = await where.reopen(session);
    expect(moved.leafId).toBe(first);
    const last = (await moved.getEntries()).at(-1);
    expect(last).toMatchObject({
      type: "leaf",
      parentId: first,
      targetId: first,
      fromId: second,
    });
    expect((await moved.getBranch()).map(({ id }) => id)).toEqual([first]);
  });

  test("moveTo(null) puts the next entry at the root", async () => {
    using temp = new TempDirectory();
    const session = await place(temp).create();
    await session.appendMessage(USER);
    await session.moveTo(null);
    expect(session.leafId).toBe(null);
    const root = await session.appendMessage(USER);
    expect((await session.getEntry(root))?.parentId).toBe(null);
    expect((await session.getTree()).length).toBe(2);
  });

  test("moveTo() with a summary names the leaf that was left", async () => {
    using temp = new TempDirectory();
    const session = await place(temp).create();
    const first = await session.appendMessage(USER);
    const left = await session.appendMessage(assistant());
    const id = await session.moveTo(first, { summary: { summary: "s", details: { x: 1 } } });
    expect(session.leafId).toBe(id ?? "");
    expect(await session.getEntry(id ?? "")).toMatchObject({
      type: "branch_summary",
      parentId: first,
      fromId: left,
      summary: "s",
      details: { x: 1 },
    });
    const { messages } = await session.buildContext();
    expect(messages.map(({ role }) => role)).toEqual(["user", "branchSummary"]);
  });

  test("an unknown entry is refused, and nothing is written", async () => {
    using temp = new TempDirectory();
    const session = await place(temp).create();
    await session.appendMessage(USER);
    const before = await view(session);
    for (
      const attempt of [
        session.moveTo("nowhere"),
        session.moveTo("nowhere", { summary: { summary: "s" } }),
        session.appendLabel("nowhere", "x"),
        session.appendContextEdit("nowhere", null),
        session.appendCompaction({ summary: "", firstKeptEntryId: "nowhere", tokensBefore: 0 }),
        session.getBranch("nowhere"),
        session.buildContext("nowhere"),
        session.contextItems("nowhere"),
      ]
    ) expect(await code(attempt)).toBe("unknown_entry");
    expect(await session.getEntry("nowhere")).toBe(undefined);
    expect(await view(session)).toEqual(before);
  });

  test("close() makes appends reject", async () => {
    using temp = new TempDirectory();
    const session = await place(temp).create();
    await session.appendMessage(USER);
    await session.close();
    expect(await code(session.appendMessage(USER))).toBe("closed");
    expect(await code(session.moveTo(null))).toBe("closed");
  });

  test("what a caller does to a value afterwards does not change what was written", async () => {
    using temp = new TempDirectory();
    const session = await place(temp).create();
    const message = { ...USER, content: [{ type: "text" as const, text: "as written" }] };
    const id = await session.appendMessage(message);
    message.content.push({ type: "text", text: "added later" });
    expect(await session.getEntry(id)).toMatchObject({
      message: { content: [{ type: "text", text: "as written" }] },
    });
  });

  test("appendCompaction() notes the settings and the name at the leaf", async () => {
    using temp = new TempDirectory();
    const session = await place(temp).create();
    await session.appendThinkingLevelChange("high");
    await session.appendSessionName("n");
    await session.appendMessage(USER);
    const kept = await session.appendMessage(assistant());
    const id = await session.appendCompaction({
      summary: "s",
      firstKeptEntryId: kept,
      tokensBefore: 5,
    });
    expect(await session.getEntry(id)).toMatchObject({
      checkpoint: {
        model: { provider: "p", modelId: "m" },
        thinkingLevel: "high",
        name: "n",
      },
    });
    const context = await session.buildContext();
    expect(context.messages.map(({ role }) => role)).toEqual(["compactionSummary", "assistant"]);
    expect(context.thinkingLevel).toBe("high");
  });

  test("model and level come from the path, the name from the last entry that gives one", async () => {
    using temp = new TempDirectory();
    const session = await place(temp).create();
    const root = await session.appendMessage(USER);
    await session.appendThinkingLevelChange("high");
    await session.appendMessage(assistant("left"));
    await session.appendSessionName("from the left");
    await session.moveTo(root);
    expect(await session.settings()).toEqual({ model: null, thinkingLevel: "off" });
    expect(session.name).toBe("from the left");
    await session.appendSessionName("");
    expect(session.name).toBe(undefined);
  });

  test("values that JSON cannot hold are refused before anything is written", async () => {
    using temp = new TempDirectory();
    const session = await place(temp).create();
    await session.appendMessage(USER);
    const before = await view(session);
    expect(await code(session.appendCustomEntry("c", 1n))).toBe("write_failed");
    expect(await view(session)).toEqual(before);
  });
});
