/** Sessions as a program uses them that imports `mod.ts`: files and memory behind one surface. */
import { describe, expect, test } from "bun:test";
import * as path from "node:path";
import {
  JsonlSessionRepo,
  MemorySessionRepo,
  repairSession,
  type Session,
  SessionError,
  type SessionRepo,
  type TreeNode,
  verifySession,
} from "../../mod.ts";
import { closeDirectories } from "../support/denied_files.ts";
import { TempDirectory } from "../support/temp.ts";

function user(content: string) {
  return { role: "user", content, timestamp: 1 } as const;
}

/** How a call of a program that no compiler looked at ends. */
async function failureOf(call: () => unknown): Promise<string> {
  try {
    await call();
    return "none";
  } catch (error) {
    if (error instanceof SessionError) return error.code;
    return error instanceof TypeError ? error.message : String(error);
  }
}

/** What no compiler lets through: it is passed all the same, as JavaScript would. */
function untyped(repo: SessionRepo): Record<string, (...args: unknown[]) => Promise<unknown>> {
  const methods = ["create", "open", "find", "continueRecent", "list"] as const;
  return Object.fromEntries(
    methods.map((name) => [name, (...args: unknown[]) => Reflect.apply(repo[name], repo, args)]),
  );
}

const REPOS = [
  [
    "JsonlSessionRepo",
    (temp: TempDirectory) => new JsonlSessionRepo({ sessionsDir: temp.join("s") }),
  ],
  ["MemorySessionRepo", () => new MemorySessionRepo()],
] as const;

function shape({ entry, label, children }: TreeNode): unknown {
  return [entry.type, label, children.map(shape)];
}

describe.each(REPOS)("%s", (_name, makeRepo) => {
  const opened = async (temp: TempDirectory): Promise<{ repo: SessionRepo; session: Session }> => {
    const repo: SessionRepo = makeRepo(temp);
    return { repo, session: await repo.create({ cwd: temp.cwd }) };
  };

  test("its sessions take, tell and undo what they should", async () => {
    using temp = new TempDirectory();
    const { session } = await opened(temp);
    expect([session.leafId, session.name, session.labels, session.damage, session.cwd])
      .toEqual([null, undefined, new Map(), [], temp.cwd]);
    const first = await session.appendMessage(user("Héllo 🌳 \u2028"));
    const model = await session.appendModelChange("anthropic", "claude");
    await session.appendThinkingLevelChange("high");
    await session.appendCustomEntry("state", { count: 1 });
    const note = await session.appendCustomMessage({
      customType: "note",
      content: "A note",
      display: true,
    });
    await session.appendLabel(first, "start");
    await session.appendSessionName("A name");
    await session.appendContextEdit(first, { content: "Hello" });
    const context = await session.buildContext();
    expect({ ...context, messages: context.messages.map(({ role }) => role) }).toEqual({
      messages: ["user", "custom"],
      model: { provider: "anthropic", modelId: "claude" },
      thinkingLevel: "high",
    });
    expect(context.messages[0]).toEqual(user("Hello"));
    expect([session.name, [...session.labels]]).toEqual(["A name", [[first, "start"]]]);
    await session.appendCompaction({ summary: "So far", firstKeptEntryId: note, tokensBefore: 9 });
    expect((await session.buildContext()).messages.map(({ role }) => role))
      .toEqual(["compactionSummary", "custom"]);
    expect(await session.moveTo(first)).toBeUndefined();
    expect(session.leafId).toBe(first);
    await session.moveTo(null);
    expect([session.leafId, await session.getBranch()]).toEqual([null, []]);
    const summary = await session.moveTo(model, { summary: { summary: "What was left" } });
    expect(session.leafId).toBe(summary ?? "");
    expect((await session.getBranch()).map(({ type }) => type))
      .toEqual(["message", "model_change", "branch_summary"]);
    expect((await session.getBranch(first)).map(({ id }) => id)).toEqual([first]);
    const tree = await session.getTree();
    expect(tree.map(({ entry, label }) => [entry.id, label])).toEqual([[first, "start"]]);
    expect(JSON.stringify(tree.map(shape))).toContain("branch_summary");
    expect((await session.getEntry(first))?.type).toBe("message");
    expect(await session.getEntry("nope")).toBeUndefined();
    await session.close();
    await session.close();
    expect(await failureOf(() => session.appendMessage(user("more")))).toBe("closed");
  });

  test("fork() gives a session with a part of the branch, elsewhere", async () => {
    using temp = new TempDirectory();
    const { repo, session } = await opened(temp);
    await session.appendMessage(user("first"));
    const second = await session.appendMessage(user("second"));
    const source = session.file ?? session.id;
    await session.close();
    const there = temp.make("there");
    const at = await repo.fork(source, { entryId: second, position: "at", cwd: there });
    expect([at.cwd, at.editorText, (await at.getBranch()).length]).toEqual([there, undefined, 2]);
    expect(at.header.parentSession).toBe(source);
    const before = await repo.fork(source, { entryId: second, position: "before" });
    expect([before.editorText, (await before.getBranch()).length]).toEqual(["second", 1]);
    expect(await failureOf(() => repo.fork(source, { entryId: "nope" }))).toBe("unknown_entry");
    await Promise.all([at.close(), before.close()]);
  });

  test("takes a relative directory for one below the current directory", async () => {
    using temp = new TempDirectory();
    const repo: SessionRepo = makeRepo(temp);
    const session = await repo.create({ cwd: "project/../project/" });
    await session.appendMessage(user("hello"));
    const absolute = path.resolve("project");
    expect(session.cwd).toBe(absolute);
    expect((await repo.list({ cwd: "./project" })).map(({ cwd }) => cwd)).toEqual([absolute]);
    expect((await repo.continueRecent("project"))?.id).toBe(session.id);
    expect(await repo.findKey(session.id, "project")).toBe(session.file ?? session.id);
    const fork = await repo.fork(session, { cwd: "other" });
    expect(fork.cwd).toBe(path.resolve("other"));
    await Promise.all([session.close(), fork.close()]);
  });

  test("find() prefers a session of the directory that is given", async () => {
    using temp = new TempDirectory();
    const repo: SessionRepo = makeRepo(temp);
    const ids: string[] = [];
    for (const cwd of ["/one", "/two"]) {
      const session = await repo.create({ cwd });
      await session.appendMessage(user("hello"));
      await session.appendSessionName("same");
      ids.push(session.file ?? session.id);
      await session.close();
    }
    expect(await repo.find("same", { cwd: "/two" })).toBe(ids[1] ?? "");
    expect(await failureOf(() => repo.find("same", { cwd: "/three" }))).toBe("ambiguous");
    expect(await failureOf(() => repo.find("nothing like it"))).toBe("not_found");
    expect(await failureOf(() => repo.find(""))).toBe("not_found");
  });

  test("an id that a session of the directory has is not given to a second one", async () => {
    using temp = new TempDirectory();
    const repo: SessionRepo = makeRepo(temp);
    const session = await repo.create({ cwd: temp.cwd, id: "mine" });
    await session.appendMessage(user("hello"));
    expect(await failureOf(() => repo.create({ cwd: temp.cwd, id: "mine" }))).toBe("bad_id");
    expect(await failureOf(() => repo.fork(session, { id: "mine" }))).toBe("bad_id");
    expect((await repo.list()).length).toBe(1);
    await session.close();
  });

  test("what is no path, no session and no name is refused with a reason", async () => {
    using temp = new TempDirectory();
    const repo: SessionRepo = makeRepo(temp);
    const session = await repo.create({ cwd: temp.cwd });
    await session.appendMessage(user("a session without a name"));
    await session.close();
    const { create, find, continueRecent } = untyped(repo);
    const noPath = "Cannot use undefined as a path: a path is a text";
    expect(await failureOf(() => create?.({}))).toBe(noPath);
    expect(await failureOf(() => continueRecent?.())).toBe(noPath);
    expect(await failureOf(() => create?.({ cwd: new URL("file:///tmp/a%20b") }))).toBe(
      "Cannot use file:///tmp/a%20b as a path: a path is a text; fileURLToPath() of node:url makes " +
        "a path of a URL",
    );
    expect(await failureOf(() => find?.())).toBe("not_found");
    expect(await failureOf(() => create?.({ cwd: temp.cwd, id: "" }))).toBe("bad_id");
  });

  test("appendMessage() refuses what no model would get to see", async () => {
    using temp = new TempDirectory();
    const { session } = await opened(temp);
    const append = (message: unknown) =>
      failureOf(() => Reflect.apply(session.appendMessage, session, [message]));
    const advice = "it must be user, assistant, toolResult, bashExecution, custom or system";
    for (const message of [undefined, null, "hello", {}, { content: "hello" }]) {
      expect(await append(message)).toBe(`Cannot append a message: it has no role; ${advice}`);
    }
    expect(await append({ role: "tool", content: "hello" }))
      .toBe(`Cannot append a message: its role is "tool"; ${advice}`);
    expect(await append({ ...user("x"), self: 1n })).toBe("write_failed");
    expect([session.leafId, await session.getEntries()]).toEqual([null, []]);
    await session.close();
  });

  test("appendThinkingLevelChange() refuses what is no level", async () => {
    using temp = new TempDirectory();
    const { session } = await opened(temp);
    const { appendThinkingLevelChange: append } = session;
    expect(await failureOf(() => Reflect.apply(append, session, ["very"]))).toBe(
      "Cannot set the thinking level very: it must be off, minimal, low, medium, high, xhigh, max",
    );
    expect(session.leafId).toBeNull();
    await session.close();
  });

  test.each(["getBranch", "buildContext", "moveTo"] as const)(
    "%s() of an id that no entry has rejects with unknown_entry",
    async (name) => {
      using temp = new TempDirectory();
      const { session } = await opened(temp);
      await session.appendMessage(user("hello"));
      const leaf = session.leafId;
      for (const id of ["nope", "", undefined]) {
        if (id === undefined && name !== "moveTo") continue;
        expect(await failureOf(() => Reflect.apply(session[name], session, [id])))
          .toBe("unknown_entry");
      }
      expect(session.leafId).toBe(leaf);
      await session.close();
    },
  );

  test("appends that are not awaited one by one keep their order", async () => {
    using temp = new TempDirectory();
    const { session } = await opened(temp);
    const texts = Array.from({ length: 500 }, (_, index) => `message ${index}`);
    const ids = await Promise.all(texts.map((text) => session.appendMessage(user(text))));
    expect((await session.getBranch()).map(({ id }) => id)).toEqual(ids);
    expect((await session.buildContext()).messages).toEqual(texts.map(user));
    await session.close();
  });
});

describe("JsonlSessionRepo", () => {
  test("open() says of a directory that it is one", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.join("s") });
    await expect(repo.open(temp.cwd)).rejects.toThrow(
      `Cannot open ${temp.cwd}: it is a directory, not a session`,
    );
  });

  test("what is closed to us, or cannot be a name, is a SessionError with the system's reason", async () => {
    using temp = new TempDirectory();
    const closed = temp.make("closed");
    const fs = closeDirectories(closed);
    const repo = new JsonlSessionRepo({ sessionsDir: path.join(closed, "s"), fs });
    const file = path.join(closed, "a.jsonl");
    expect([await repo.list(), await repo.continueRecent("/tmp")]).toEqual([[], undefined]);
    for (
      const call of [
        () => repo.open(file),
        () => repo.find(file),
        () => repo.delete(file),
        () => repo.importFile(file),
        () => repo.fork(file),
        () => repo.find("x".repeat(5_000)),
        () => repo.open("x".repeat(5_000)),
        async () => verifySession(file, { fs }),
        async () => repairSession(file, { fs }),
      ]
    ) expect(await failureOf(call)).toBe("not_found");
    expect(await failureOf(() => repo.create({ cwd: "/tmp", id: "a", reserve: true })))
      .toBe("write_failed");
    const session = await repo.create({ cwd: "/tmp", id: "a" });
    expect(await failureOf(() => session.appendMessage(user("hello")))).toBe("write_failed");
    expect(await session.getEntries()).toEqual([]);
  });

  test("of two sessions of one file one writes, and the other reads on", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.join("s") });
    const writer = await repo.create({ cwd: temp.cwd });
    await writer.appendMessage(user("one"));
    const file = writer.file ?? "";
    const lazy = await repo.open(file);
    const error = await lazy.appendMessage(user("two")).catch((error: unknown) => error);
    if (!(error instanceof SessionError)) throw error;
    expect([error.code, error.holder?.pid, error.file]).toEqual(["busy", process.pid, file]);
    await writer.appendMessage(user("three"));
    const reader = await repo.open(file, { access: "read" });
    expect((await reader.buildContext()).messages).toEqual([user("one"), user("three")]);
    await writer.close();
    const second = await repo.open(file, { access: "write" });
    await second.appendMessage(user("four"));
    expect((await second.getBranch()).length).toBe(3);
    await Promise.all([lazy.close(), reader.close(), second.close()]);
  });

  test("a message of many megabytes comes back as it went in", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.join("s"), durability: "none" });
    const session = await repo.create({ cwd: temp.cwd });
    const text = "é🌳\u2028\u0000\ud800".repeat(1_000_000);
    await session.appendMessage(user(text));
    await session.close();
    const again = await repo.open(session.file ?? "");
    const [message] = (await again.buildContext()).messages;
    expect(message?.role === "user" && message.content === text).toBe(true);
    await again.close();
  });
});
