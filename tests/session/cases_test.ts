/** What went wrong in programs of this kind, by the public reports (tests/fixtures/cases). */
import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import {
  JsonlSessionRepo,
  type Message,
  type Session,
  SessionError,
  textOf,
} from "../../lib/session/mod.ts";
import { caseDirectory } from "../support/cases.ts";
import { TempDirectory } from "../support/temp.ts";

const NEXT = { role: "user", content: "next", timestamp: 1 } as const;

/** A copy of a case's file, and a repo around it. */
function opened(temp: TempDirectory, name: string, file = "session.jsonl") {
  const copy = temp.write("session.jsonl", fs.readFileSync(path.join(caseDirectory(name), file)));
  return { file: copy, repo: new JsonlSessionRepo({ sessionsDir: temp.join("sessions") }) };
}

function textOfMessage(message: Message): string {
  switch (message.role) {
    case "branchSummary":
    case "compactionSummary":
      return message.summary;
    case "bashExecution":
      return message.command;
    case "user":
    case "assistant":
    case "toolResult":
    case "custom":
    case "system":
      return textOf(message.content);
  }
}

async function texts(session: Session): Promise<string[]> {
  return (await session.buildContext()).messages.map(textOfMessage);
}

/** The file's lines as values; a line that is no JSON is undefined. */
function linesOf(file: string): (Record<string, unknown> | undefined)[] {
  return fs.readFileSync(file, "utf8").split("\n").filter((line) => line !== "").map((line) => {
    try {
      return JSON.parse(line);
    } catch {
      return undefined;
    }
  });
}

async function code(promise: Promise<unknown>): Promise<string> {
  return await promise.then(
    () => "resolved",
    (error) => error instanceof SessionError ? error.code : String(error),
  );
}

describe("open()", () => {
  test("skips one damaged line, says which, and keeps all bytes (C001)", async () => {
    using temp = new TempDirectory();
    const { file, repo } = opened(temp, "C001");
    const before = fs.readFileSync(file, "utf8");
    const session = await repo.open(file);
    expect(await texts(session)).toEqual([
      "alpha question",
      "alpha answer",
      "beta question",
      "beta answer",
    ]);
    expect(session.damage).toEqual([
      {
        line: 4,
        offset: before.indexOf('{"type":"custom"'),
        kind: "unreadable",
        reason: "not JSON",
      },
    ]);
    const id = await session.appendMessage(NEXT);
    expect((await session.getEntry(id))?.parentId).toBe("a1000005");
    await session.close();
    expect(fs.readFileSync(file, "utf8").startsWith(before)).toBe(true);
  });

  test("closes off a torn tail before it appends, twice over (C002)", async () => {
    using temp = new TempDirectory();
    const { file, repo } = opened(temp, "C002");
    const session = await repo.open(file);
    expect(await texts(session)).toEqual(["first", "reply one", "second"]);
    expect(session.damage.map(({ kind, line }) => [kind, line])).toEqual([["torn", 5]]);
    await session.appendMessage(NEXT);
    await session.close();
    expect(linesOf(file).map((line) => line?.["parentId"])).toEqual([
      undefined,
      null,
      "a2000001",
      "a2000002",
      undefined,
      "a2000003",
    ]);
    const again = await repo.open(file);
    await again.appendMessage(NEXT);
    expect(await texts(again)).toEqual(["first", "reply one", "second", "next", "next"]);
    await again.close();
    expect(linesOf(file).filter((line) => line === undefined).length).toBe(1);
  });

  test.each(["\n", "\r\n"])("ends lines at LF alone, with %j (C005)", async (end: string) => {
    using temp = new TempDirectory();
    const { file, repo } = opened(temp, "C005");
    fs.writeFileSync(file, fs.readFileSync(file, "utf8").replaceAll("\n", end));
    const session = await repo.open(file, { access: "read" });
    expect(await texts(session)).toEqual([
      "line\u2028sep and para\u2029sep and nel\u0085end",
      "kept\u2028whole",
      "tail",
    ]);
    expect(session.damage).toEqual([]);
    await session.close();
  });

  test.each(["notes.txt", "other.json"])(
    "refuses %s and leaves it (C010)",
    async (name: string) => {
      using temp = new TempDirectory();
      const { file, repo } = opened(temp, "C010", name);
      const before = fs.readFileSync(file);
      for (const access of ["read", "write", undefined] as const) {
        const attempt = repo.open(file, access ? { access } : {});
        expect(await code(attempt)).toBe("not_a_session");
      }
      expect(await code(repo.find(file))).toBe("not_a_session");
      expect(await code(repo.fork(file))).toBe("not_a_session");
      expect(fs.readFileSync(file)).toEqual(before);
    },
  );

  test.each(["write", undefined] as const)(
    "makes a session of an empty file, with access %s (C010)",
    async (access: "write" | undefined) => {
      using temp = new TempDirectory();
      const { file, repo } = opened(temp, "C010", "empty.jsonl");
      fs.chmodSync(file, 0o640);
      expect(await repo.find(file)).toBe(file);
      const session = await repo.open(file, { cwd: temp.cwd, ...access ? { access } : {} });
      await session.appendMessage(NEXT);
      await session.close();
      expect(linesOf(file).map((line) => line?.["type"])).toEqual(["session", "message"]);
      expect(linesOf(file)[0]?.["cwd"]).toBe(temp.cwd);
      expect(fs.statSync(file).mode & 0o777).toBe(0o640);
    },
  );

  test("ends in a ring of parents (C023)", async () => {
    using temp = new TempDirectory();
    const { file, repo } = opened(temp, "C023");
    const session = await repo.open(file);
    expect(await texts(session)).toEqual(["two", "three", "four"]);
    expect(session.damage.map(({ kind, line }) => [kind, line])).toEqual([["cycle", 3]]);
    expect((await session.getTree()).length).toBe(2);
    expect((await repo.list()).length).toBe(0);
    const fork = await repo.fork(file);
    expect(await texts(fork)).toEqual(["two", "three", "four"]);
    await fork.close();
    await session.close();
  });

  test("ends at an entry that is its own parent (C023)", async () => {
    using temp = new TempDirectory();
    const { file, repo } = opened(temp, "C023", "selfloop.jsonl");
    const session = await repo.open(file);
    expect(await texts(session)).toEqual(["me"]);
    expect(session.damage.map(({ kind, line }) => [kind, line])).toEqual([["cycle", 3]]);
    await session.close();
  });

  test("takes the thinking level from the active path (C027)", async () => {
    using temp = new TempDirectory();
    const { file, repo } = opened(temp, "C027");
    const session = await repo.open(file);
    expect((await session.buildContext()).thinkingLevel).toBe("off");
    await session.moveTo("td000005");
    expect((await session.buildContext()).thinkingLevel).toBe("high");
    await session.close();
  });

  test("lets the last compaction on the path rule (C028)", async () => {
    using temp = new TempDirectory();
    const { file, repo } = opened(temp, "C028");
    const session = await repo.open(file);
    expect(await texts(session)).toEqual([
      "SUMMARY-TWO",
      "late",
      "late answer",
      "now",
      "now answer",
    ]);
    await session.close();
  });

  test("gives the context of a branch, not of the file (C019)", async () => {
    using temp = new TempDirectory();
    const { file, repo } = opened(temp, "C019");
    const session = await repo.open(file);
    const right = ["root", "root answer", "right question", "right answer"];
    expect(await texts(session)).toEqual(right);
    const fork = await repo.fork(session);
    expect(await texts(fork)).toEqual(right);
    expect(fs.readFileSync(fork.file ?? "", "utf8")).not.toContain("LEFT");
    expect((await session.getTree())[0]?.children[0]?.children.length).toBe(2);
    await fork.close();
    await session.close();
  });

  test("reads 200,000 entries in linear time, without a deep stack (C030)", async () => {
    using temp = new TempDirectory();
    const lines = ['{"type":"session","version":3,"id":"x","timestamp":"","cwd":"/tmp"}'];
    for (let n = 1; n <= 200_000; n++) {
      const place = `"id":"${n}","parentId":${n === 1 ? "null" : `"${n - 1}"`},"timestamp":""`;
      const message = `"message":{"role":"user","content":"q${n}","timestamp":1}`;
      lines.push(`{"type":"message",${place},${message}}`);
    }
    const file = temp.write("long.jsonl", lines.join("\n") + "\n");
    const session = await new JsonlSessionRepo({ sessionsDir: temp.path }).open(file);
    const { messages } = await session.buildContext();
    expect(messages.length).toBe(200_000);
    expect((await session.getTree()).length).toBe(1);
    await session.appendMessage(NEXT);
    expect((await session.getBranch()).length).toBe(200_001);
    const fork = await session.close().then(() =>
      new JsonlSessionRepo({ sessionsDir: temp.path }).fork(file)
    );
    expect((await fork.getBranch()).length).toBe(200_001);
    await fork.close();
  }, 20_000);

  test("copes with a result of many megabytes on one line (C128)", async () => {
    using temp = new TempDirectory();
    const lines = [
      '{"type":"session","version":3,"id":"x","timestamp":"","cwd":"/tmp"}',
      '{"type":"message","id":"1","parentId":null,"timestamp":"","message":{"role":"user",' +
      '"content":"read it","timestamp":1}}',
      '{"type":"message","id":"2","parentId":"1","timestamp":"","message":{"role":"toolResult",' +
      `"content":[{"type":"text","text":"${"z".repeat(30_000_000)}"}]}}`,
      '{"type":"message","id":"3","parentId":"2","timestamp":"","message":{"role":"assistant",' +
      '"content":[{"type":"text","text":"ok"}]}}',
      '{"type":"compaction","id":"4","parentId":"3","timestamp":"","summary":"It was read.",' +
      '"firstKeptEntryId":"3","tokensBefore":1000}',
    ];
    const file = temp.write("big.jsonl", lines.join("\n") + "\n");
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path });
    const session = await repo.open(file);
    expect(await texts(session)).toEqual(["It was read.", "ok"]);
    expect((await session.getTree()).length).toBe(1);
    expect((await repo.list()).map(({ messageCount }) => messageCount)).toEqual([3]);
    await session.close();
  });
});

describe("moveTo()", () => {
  test("notes the leaf that was left as the summary's source (C025)", async () => {
    using temp = new TempDirectory();
    const { file, repo } = opened(temp, "C025");
    const session = await repo.open(file);
    const id = await session.moveTo("tb000002", { summary: { summary: "LEFT" } });
    expect(await session.getEntry(id ?? "")).toMatchObject({
      fromId: "tb000004",
      parentId: "tb000002",
    });
    expect(await texts(session)).toEqual(["root", "root answer", "LEFT"]);
    await session.close();
  });
});

describe("fork()", () => {
  test("links around what it leaves out, and keeps labels (C015)", async () => {
    using temp = new TempDirectory();
    const { file, repo } = opened(temp, "C015");
    const before = fs.readFileSync(file);
    const session = await repo.fork(file);
    expect(await texts(session)).toEqual(["start", "ok", "go on", "went on", "more", "more done"]);
    expect(Object.fromEntries(session.labels)).toEqual({
      t1000002: "good point",
      t1000006: "second",
    });
    expect(session.damage).toEqual([]);
    const [header, ...entries] = linesOf(session.file ?? "");
    expect(header?.["parentSession"]).toBe(file);
    expect(header?.["id"]).not.toBe("0195a000-0000-7000-8000-000000000001");
    const ids = new Set(entries.map((entry) => entry?.["id"]));
    expect(entries.map((entry) => entry?.["parentId"]).filter((id) => !ids.has(id))).toEqual([
      null,
    ]);
    expect(fs.readFileSync(file)).toEqual(before);
    await session.close();
  });

  test("never writes to its source (C017)", async () => {
    using temp = new TempDirectory();
    const { file, repo } = opened(temp, "C017");
    const before = fs.readFileSync(file);
    const session = await repo.fork(file, { cwd: temp.cwd });
    await session.appendMessage(NEXT);
    await session.close();
    expect(fs.readFileSync(file)).toEqual(before);
    expect(session.header).toMatchObject({ cwd: temp.cwd, parentSession: file });
    const recent = await repo.continueRecent(temp.cwd);
    expect(recent && await texts(recent)).toEqual(["start", "ok", "go on", "went on", "next"]);
    await recent?.close();
  });

  test("leaves a session whose directory is gone readable, for another (C048)", async () => {
    using temp = new TempDirectory();
    const { file, repo } = opened(temp, "C048");
    const session = await repo.fork(file, { cwd: temp.cwd });
    expect(session.cwd).toBe(temp.cwd);
    await session.close();
  });
});
