import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import {
  type FileSystem,
  JsonlSessionRepo,
  MemorySessionRepo,
  nodeFileSystem,
  noUsage,
  SessionError,
} from "../../lib/session/mod.ts";
import { caseDirectory } from "../support/cases.ts";
import { TempDirectory } from "../support/temp.ts";

const USER = { role: "user", content: "hello there", timestamp: 1 } as const;

function answer(cost: number) {
  const usage = { ...noUsage(), cost: { ...noUsage().cost, total: cost } };
  return {
    role: "assistant" as const,
    content: [],
    api: "a",
    provider: "p",
    model: "m",
    usage,
    stopReason: "stop" as const,
    timestamp: 2,
  };
}

async function failure(promise: Promise<unknown>): Promise<SessionError | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    if (error instanceof SessionError) return error;
    throw error;
  }
}

function copyCase(name: string, file: string, directory: string, as = file): string {
  const target = path.join(directory, as);
  fs.mkdirSync(directory, { recursive: true });
  fs.copyFileSync(path.join(caseDirectory(name), file), target);
  return target;
}

describe("create()", () => {
  test("makes the file at the first message, with what came before it", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.join("sessions") });
    const session = await repo.create({ cwd: temp.cwd, id: "an.id_1-2" });
    await session.appendModelChange("p", "m");
    await session.appendSessionName("n");
    expect(session.name).toBe("n");
    expect(fs.existsSync(temp.join("sessions"))).toBe(false);
    await session.appendMessage(USER);
    const lines = fs.readFileSync(session.file ?? "", "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).type)).toEqual([
      "session",
      "model_change",
      "session_info",
      "message",
    ]);
    await session.close();
  });

  test("names directory and file by cwd, time and id", async () => {
    using temp = new TempDirectory();
    const clock = { now: () => Date.parse("2026-05-06T07:08:09.010Z") };
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path, clock });
    const session = await repo.create({ cwd: "/a/b:c\\d", id: "x" });
    expect(session.file).toBe(temp.join("--a-b-c-d--", "2026-05-06T07-08-09-010Z_x.jsonl"));
    const flat = new JsonlSessionRepo({ sessionsDir: temp.path, clock, flat: true });
    expect((await flat.create({ cwd: "/a", id: "x" })).file).toBe(
      temp.join("2026-05-06T07-08-09-010Z_x.jsonl"),
    );
  });

  test.each(["0o000", "0o022", "0o077"])(
    "gives modes 0700 and 0600 under umask %s (C008)",
    async (mask: string) => {
      using temp = new TempDirectory();
      const repo = new JsonlSessionRepo({ sessionsDir: temp.join("sessions") });
      const before = process.umask(Number(mask));
      try {
        const session = await repo.create({ cwd: temp.cwd });
        await session.appendMessage(USER);
        const fork = await repo.fork(session);
        const modes = [
          temp.join("sessions"),
          path.dirname(session.file ?? ""),
          session.file ?? "",
          fork.file ?? "",
        ].map((file) => (fs.statSync(file).mode & 0o777).toString(8));
        expect(modes).toEqual(["700", "700", "600", "600"]);
        await session.close();
        await fork.close();
      } finally {
        process.umask(before);
      }
    },
  );

  test.each(["../../escape", "/abs", "a/b", "a\\b", "..", "", "-rf", "a\0b", "x".repeat(129)])(
    "refuses the id %j before it touches the disk (C049)",
    async (id: string) => {
      using temp = new TempDirectory();
      const repo = new JsonlSessionRepo({ sessionsDir: temp.join("sessions") });
      expect((await failure(repo.create({ cwd: temp.cwd, id })))?.code).toBe("bad_id");
      expect(await failure(new MemorySessionRepo().create({ cwd: "/", id }))).toBeInstanceOf(
        SessionError,
      );
      expect(fs.existsSync(temp.join("sessions"))).toBe(false);
    },
  );

  test("bounds the names that deep directories give, and tells them apart (C046)", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path, durability: "none" });
    const deep = "/tmp/" + Array.from({ length: 14 }, (_, n) => `测试中文目录${n}`).join("/");
    for (const cwd of [deep, `${deep}/other`]) {
      const session = await repo.create({ cwd, id: "x".repeat(128) });
      await session.appendMessage({ ...USER, content: cwd });
      const parts = (session.file ?? "").slice(temp.path.length).split(path.sep);
      expect(Math.max(...parts.map((part) => Buffer.byteLength(part)))).toBeLessThanOrEqual(143);
      await session.close();
    }
    for (const cwd of [deep, `${deep}/other`]) {
      expect((await repo.list({ cwd })).map(({ firstMessage }) => firstMessage)).toEqual([cwd]);
    }
  });

  test("never writes over a file", async () => {
    using temp = new TempDirectory();
    const clock = { now: () => 0 };
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path, clock, durability: "none" });
    const [one, two] = [
      await repo.create({ cwd: "/", id: "same" }),
      await repo.create({ cwd: "/", id: "same" }),
    ];
    await one.appendMessage(USER);
    const before = fs.readFileSync(one.file ?? "");
    expect((await failure(two.appendMessage(USER)))?.code).toBe("write_failed");
    expect(two.leafId).toBe(null);
    expect(fs.readFileSync(one.file ?? "")).toEqual(before);
    await one.close();
  });
});

describe("open()", () => {
  test("with access read refuses appends and leaves everything as it is", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path });
    const file = copyCase("C028", "session.jsonl", temp.cwd);
    const before = fs.readFileSync(file);
    const session = await repo.open(file, { access: "read" });
    expect((await failure(session.appendMessage(USER)))?.code).toBe("closed");
    expect((await failure(session.moveTo(null)))?.code).toBe("closed");
    await session.close();
    expect(fs.readFileSync(file)).toEqual(before);
    expect(fs.readdirSync(temp.cwd)).toEqual(["session.jsonl"]);
  });

  test("reads a newer version, and refuses to write it, naming both versions", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path });
    const text = fs.readFileSync(path.join(caseDirectory("C028"), "session.jsonl"), "utf8");
    const file = temp.write("new.jsonl", text.replace('"version":3', '"version":7'));
    const session = await repo.open(file);
    expect((await session.buildContext()).messages.length).toBe(5);
    const error = await failure(session.appendMessage(USER));
    expect(error?.code).toBe("newer_version");
    expect(error?.message).toMatch(/version 7.*version 3/);
    expect((await failure(repo.open(file, { access: "write" })))?.code).toBe("newer_version");
    expect((await failure(repo.fork(file)))?.code).toBe("newer_version");
    await session.close();
  });

  test("says what is not there or no file", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path });
    expect((await failure(repo.open(temp.join("nothing.jsonl"))))?.code).toBe("not_found");
    expect((await failure(repo.open(temp.cwd)))?.code).toBe("not_a_session");
  });

  test("through a link writes the file itself", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path });
    const file = copyCase("C031", "session.jsonl", temp.cwd);
    const link = temp.join("link.jsonl");
    fs.symlinkSync(file, link);
    const session = await repo.open(link);
    await session.appendMessage(USER);
    await session.close();
    expect(session.file).toBe(file);
    expect(fs.lstatSync(link).isSymbolicLink()).toBe(true);
    expect(fs.readFileSync(file, "utf8")).toContain("hello there");
  });

  test("takes in what another program has added, and goes on from its own leaf", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path });
    const file = copyCase("C019", "session.jsonl", temp.cwd);
    const session = await repo.open(file);
    const first = await session.appendMessage(USER);
    const foreign = { type: "message", id: "foreign1", parentId: "t5000002", timestamp: "" };
    fs.appendFileSync(file, `${JSON.stringify({ ...foreign, message: USER })}\n`);
    const second = await session.appendMessage(USER);
    expect((await session.getEntry(second))?.parentId).toBe(first);
    expect((await session.getEntry("foreign1"))?.parentId).toBe("t5000002");
    const before = await session.getTree();
    await session.close();
    const again = await repo.open(file);
    expect(again.leafId).toBe(second);
    expect(await again.getTree()).toEqual(before);
    await again.close();
  });

  test("says what can be done with a file that may not be written", async () => {
    using temp = new TempDirectory();
    const readOnly: FileSystem = {
      ...nodeFileSystem,
      open(file, mode, permissions) {
        if (mode === "a") throw new Error("EROFS: read-only file system");
        return nodeFileSystem.open(file, mode, permissions);
      },
    };
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path, fs: readOnly });
    const file = copyCase("C019", "session.jsonl", temp.cwd);
    const error = await failure(repo.open(file, { access: "write" }));
    expect(error?.code).toBe("write_failed");
    expect(error?.message).toBe(
      `Cannot write session ${file}: it cannot be opened for writing: EROFS: read-only file ` +
        "system; go on in a fork of it, or make it writable",
    );
    const fork = await repo.fork(file, { cwd: temp.cwd });
    expect(fork.leafId).toBe("t5000006");
    await fork.close();
  });

  test.each(
    [
      ["deleted", (file: string) => fs.rmSync(file)],
      ["cut short", (file: string) => fs.truncateSync(file, 200)],
      ["replaced", (file: string) => {
        fs.copyFileSync(file, `${file}.new`);
        fs.renameSync(`${file}.new`, file);
      }],
      ["given half a line", (file: string) => fs.appendFileSync(file, '{"type":"mess')],
    ] as const,
  )(
    "stops the writer of a file that was %s",
    async (_name: string, change: (file: string) => void) => {
      using temp = new TempDirectory();
      const repo = new JsonlSessionRepo({ sessionsDir: temp.path });
      const file = copyCase("C019", "session.jsonl", temp.cwd);
      const session = await repo.open(file);
      const leaf = await session.appendMessage(USER);
      change(file);
      const before = fs.existsSync(file) ? fs.readFileSync(file) : undefined;
      expect((await failure(session.appendMessage(USER)))?.code).toBe("write_failed");
      expect(session.leafId).toBe(leaf);
      expect(fs.existsSync(file) ? fs.readFileSync(file) : undefined).toEqual(before);
      await session.close();
    },
  );
});

describe("list()", () => {
  test("tells what is in a session", async () => {
    using temp = new TempDirectory();
    let now = Date.parse("2026-05-06T00:00:00Z");
    const clock = { now: () => now += 1000 };
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path, clock });
    const session = await repo.create({ cwd: "/project", id: "one", parentSession: "/p.jsonl" });
    await session.appendMessage(USER);
    await session.appendMessage(answer(0.25));
    await session.appendUsage({ kind: "k", provider: "p", model: "m", usage: answer(0.5).usage });
    await session.appendSessionName("named");
    await session.close();
    expect(await repo.list()).toEqual([{
      path: session.file ?? "",
      id: "one",
      cwd: "/project",
      name: "named",
      parentSession: "/p.jsonl",
      created: "2026-05-06T00:00:01.000Z",
      modified: "2026-05-06T00:00:03.000Z",
      messageCount: 2,
      firstMessage: "hello there",
      model: { provider: "p", modelId: "m" },
      cost: 0.75,
    }]);
    const memory = new MemorySessionRepo({ clock });
    const copy = await memory.create({ cwd: "/project", id: "two" });
    await copy.appendMessage(USER);
    await copy.appendMessage(answer(0.25));
    expect(await memory.list()).toMatchObject([{ messageCount: 2, cost: 0.25, path: "two" }]);
  });

  test("does not drop a session whose first message is long (C034)", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path });
    const session = await repo.create({ cwd: "/tmp" });
    const image = { type: "image", data: "A".repeat(700_000), mimeType: "image/png" } as const;
    const text = { type: "text", text: "what is on this picture" } as const;
    await session.appendMessage({ role: "user", content: [image, text], timestamp: 1 });
    await session.appendMessage(answer(0));
    await session.close();
    expect(await repo.list({ cwd: "/tmp" })).toMatchObject([
      { firstMessage: "what is on this picture", messageCount: 2 },
    ]);
    expect(await repo.find(session.id)).toBe(session.file ?? "");
  });

  test("orders by the newest message, not by the file's time (C035)", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path });
    const newer = copyCase("C035", "new.jsonl", temp.path, "b.jsonl");
    const older = copyCase("C035", "old.jsonl", temp.path, "a.jsonl");
    fs.utimesSync(newer, 1, 1);
    expect((await repo.list()).map((one) => [one.path, one.modified])).toEqual([
      [newer, "2026-03-05T09:00:20.000Z"],
      [older, "2026-03-02T09:00:20.000Z"],
    ]);
    const recent = await repo.continueRecent("/tmp");
    expect(recent?.file).toBe(newer);
    await recent?.close();
  });

  test("passes over what is no session (C039)", async () => {
    using temp = new TempDirectory();
    const directory = temp.make("sessions");
    const repo = new JsonlSessionRepo({ sessionsDir: directory });
    for (const name of fs.readdirSync(caseDirectory("C039"))) copyCase("C039", name, directory);
    fs.mkdirSync(path.join(directory, "folder.jsonl"));
    fs.symlinkSync("/nowhere", path.join(directory, "dead.jsonl"));
    fs.writeFileSync(
      path.join(directory, "rand.jsonl"),
      crypto.getRandomValues(new Uint8Array(3000)),
    );
    const before = fs.readdirSync(directory);
    expect((await repo.list({ cwd: "/tmp" })).map((one) => path.basename(one.path)).sort()).toEqual(
      [
        "good.jsonl",
        "headeronly.jsonl",
      ],
    );
    const recent = await repo.continueRecent("/tmp");
    expect(recent && path.basename(recent.file ?? "")).toBe("good.jsonl");
    await recent?.close();
    expect(fs.readdirSync(directory)).toEqual(before);
  });

  test("goes by the header's directory where two share a name (C044)", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path });
    const shared = temp.join("--tmp-cs-data-api-proxy--");
    const nested = copyCase("C044", "a.jsonl", shared);
    copyCase("C044", "b.jsonl", shared);
    const recent = await repo.continueRecent("/tmp/cs/data-api/proxy");
    expect(recent?.file).toBe(nested);
    await recent?.close();
    expect((await repo.list({ cwd: "/tmp/cs/data-api/proxy" })).length).toBe(1);
    expect((await repo.list()).length).toBe(2);
    expect(await repo.continueRecent("/tmp/cs")).toBe(undefined);
  });
});

describe("find()", () => {
  async function repoWithThree(temp: TempDirectory) {
    const repo = new JsonlSessionRepo({ sessionsDir: temp.join("sessions"), durability: "none" });
    const files: Record<string, string> = {};
    for (
      const [id, cwd, name] of [["abc1", "/x", "one"], ["abc2", "/y", "two"], ["b", "/y", "two"]]
    ) {
      const session = await repo.create({ cwd: cwd ?? "", id: id ?? "" });
      await session.appendSessionName(name ?? "");
      await session.appendMessage(USER);
      await session.close();
      files[id ?? ""] = session.file ?? "";
    }
    return { repo, files };
  }

  test("takes an id, the start of one, a name and a path", async () => {
    using temp = new TempDirectory();
    const { repo, files } = await repoWithThree(temp);
    const found = await Promise.all(
      ["abc1", "b", "one", files["abc2"] ?? "", path.relative("/", files["b"] ?? "")].map((text) =>
        repo.find(text, { cwd: "/" })
      ),
    );
    expect(found).toEqual(
      [files["abc1"], files["b"], files["abc1"], files["abc2"], files["b"]] as string[],
    );
  });

  test("prefers the directory's own, and says so if that does not settle it", async () => {
    using temp = new TempDirectory();
    const { repo, files } = await repoWithThree(temp);
    expect(await repo.find("abc", { cwd: "/x" })).toBe(files["abc1"] ?? "");
    const error = await failure(repo.find("abc", { cwd: "/" }));
    expect(error?.code).toBe("ambiguous");
    expect(error?.message).toMatch(/abc1.*abc2/);
    expect((await failure(repo.find("two", { cwd: "/y" })))?.code).toBe("ambiguous");
  });

  test("tells sessions of one id apart by their paths", async () => {
    using temp = new TempDirectory();
    const { repo, files } = await repoWithThree(temp);
    const other = await repo.create({ cwd: "/z", id: "abc1" });
    await other.appendMessage(USER);
    await other.close();
    const paths = [files["abc1"] ?? "", other.file ?? ""].sort();
    expect((await failure(repo.find("abc1", { cwd: "/" })))?.message).toBe(
      `Cannot tell which session "abc1" is: ${paths.join(", ")}; give the path`,
    );
  });

  test("says what it looked for", async () => {
    using temp = new TempDirectory();
    const { repo } = await repoWithThree(temp);
    for (const text of ["nothing", "", "./nothing.jsonl"]) {
      expect((await failure(repo.find(text)))?.code).toBe("not_found");
    }
    const error = await failure(repo.find(temp.path));
    expect(error?.code).toBe("not_a_session");
    expect(error?.message).toBe(`Cannot open ${temp.path}: it is a directory, not a session`);
  });

  test("reads no more files than may be meant by their names", async () => {
    using temp = new TempDirectory();
    const { repo, files } = await repoWithThree(temp);
    const opened: string[] = [];
    const watched = new JsonlSessionRepo({
      sessionsDir: repo.sessionsDir,
      fs: {
        ...nodeFileSystem,
        open(file, ...how) {
          opened.push(file);
          return nodeFileSystem.open(file, ...how);
        },
      },
    });
    expect(await watched.find("abc2")).toBe(files["abc2"] ?? "");
    expect(opened).toEqual([files["abc2"] ?? ""]);
  });

  test("finds a session by its id in a file of any name", async () => {
    using temp = new TempDirectory();
    const { repo, files } = await repoWithThree(temp);
    const directory = path.dirname(files["b"] ?? "");
    const notes = path.join(directory, "notes.jsonl");
    const other = path.join(directory, "2026-01-02T03-04-05-006Z_other.jsonl");
    fs.renameSync(files["abc1"] ?? "", notes);
    fs.renameSync(files["b"] ?? "", other);
    expect(await repo.find("abc1")).toBe(notes);
    expect(await repo.find("b")).toBe(other);
    // A name of another form tells nothing of the id, so that file is looked at, too.
    expect((await failure(repo.find("abc")))?.code).toBe("ambiguous");
  });

  test("has the sessions of one directory first, and paths that begin in another", async () => {
    using temp = new TempDirectory();
    const { repo, files } = await repoWithThree(temp);
    const file = files["b"] ?? "";
    const where = { cwd: "/x", pathsFrom: path.dirname(file) };
    expect(await repo.find(`./${path.basename(file)}`, where)).toBe(file);
    expect(await repo.find("abc", where)).toBe(files["abc1"] ?? "");
  });
});

describe("fork()", () => {
  test("at an entry or before it, with the text to edit", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path, durability: "none" });
    const memory = new MemorySessionRepo();
    for (const place of [repo, memory]) {
      const source = await place.create({ cwd: "/w" });
      const first = await source.appendMessage(USER);
      const second = await source.appendMessage(answer(0));
      const third = await source.appendMessage({ ...USER, content: "edit me" });
      await source.appendMessage(answer(0));
      const at = await place.fork(source, { entryId: second });
      expect((await at.getBranch()).map(({ id }) => id)).toEqual([first, second]);
      expect(at.editorText).toBe(undefined);
      const before = await place.fork(source, { entryId: third, position: "before" });
      expect((await before.getBranch()).map(({ id }) => id)).toEqual([first, second]);
      expect(before.editorText).toBe("edit me");
      const start = await place.fork(source, { entryId: first, position: "before", id: "mine" });
      expect(start.id).toBe("mine");
      expect(await start.getBranch()).toEqual([]);
      expect(start.editorText).toBe("hello there");
      if (start.file) expect(fs.existsSync(start.file)).toBe(false);
      await start.appendMessage(USER);
      expect((await failure(place.fork(source, { entryId: "no" })))?.code).toBe("unknown_entry");
      for (const session of [at, before, start]) await session.close();
      await source.close();
    }
  });

  test("keeps labels that were set elsewhere, unknown fields and unknown types", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path });
    const line = (id: string, parentId: string | null, rest: object) =>
      JSON.stringify({ type: "x_new", id, parentId, timestamp: "2026-01-01T00:00:00Z", ...rest });
    const file = temp.write(
      "s.jsonl",
      [
        '{"type":"session","version":3,"id":"s","timestamp":"","cwd":"/"}',
        line("a", null, { type: "message", message: USER, future: { deep: [1] } }),
        line("b", "a", { value: "unknown type" }),
        line("l", "b", { type: "leaf", targetId: "a" }),
        line("c", "l", { type: "message", message: USER }),
        line("left", "a", { type: "label", targetId: "c", label: "set on the left" }),
        line("gone", "c", { type: "label", targetId: "b", label: "target is not in the fork" }),
        line("d", "gone", { type: "x_new", value: "\u2028 kept" }),
        "",
      ].join("\n"),
    );
    const session = await repo.fork(file);
    expect(Object.fromEntries(session.labels)).toEqual({ c: "set on the left" });
    const branch = await session.getBranch();
    expect(branch.slice(0, 3)).toEqual([
      { ...JSON.parse(line("a", null, { type: "message", message: USER, future: { deep: [1] } })) },
      { ...JSON.parse(line("c", "a", { type: "message", message: USER })) },
      { ...JSON.parse(line("d", "c", { value: "\u2028 kept" })) },
    ]);
    expect(branch[3]).toMatchObject({ type: "label", parentId: "d", targetId: "c" });
    expect(session.damage).toEqual([]);
    await session.close();
  });

  test("a compaction whose first kept entry is left out keeps from the next one on", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path });
    const source = await repo.create({ cwd: "/w" });
    await source.appendMessage(USER);
    await source.moveTo(null);
    const other = await source.appendMessage({ ...USER, content: "other" });
    const elsewhere = (await source.getEntries())[0]?.id ?? "";
    const label = await source.appendLabel(elsewhere, "of another branch");
    await source.appendMessage({ ...USER, content: "kept" });
    await source.appendCompaction({ summary: "s", firstKeptEntryId: label, tokensBefore: 1 });
    const before = await source.buildContext();
    const session = await repo.fork(source);
    expect(await session.buildContext()).toEqual(before);
    expect((await session.getBranch()).map(({ type }) => type)).toEqual([
      "message",
      "message",
      "compaction",
    ]);
    expect((await session.getBranch())[0]?.id).toBe(other);
    await session.close();
    await source.close();
  });

  test("has the name that its own path gives, whatever the source was called elsewhere", async () => {
    using temp = new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path });
    const source = await repo.create({ cwd: "/w" });
    const first = await source.appendMessage(USER);
    await source.appendSessionName("given on the left");
    await source.moveTo(first);
    await source.appendCompaction({ summary: "s", firstKeptEntryId: first, tokensBefore: 1 });
    expect(source.name).toBe("given on the left");
    const session = await repo.fork(source);
    expect(session.name).toBe(undefined);
    expect(await session.buildContext()).toEqual(await source.buildContext());
    await session.close();
    await source.close();
  });
});
