import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { JsonlSessionRepo, type Session, SessionError } from "../../lib/session/mod.ts";
import { caseDirectory } from "../support/cases.ts";
import { FaultyFileSystem, Killed } from "../support/faulty_file_system.ts";
import { TempDirectory } from "../support/temp.ts";

const USER = { role: "user", content: "next", timestamp: 1 } as const;
const OLD = fs.readFileSync(path.join(caseDirectory("C031"), "session.jsonl"), "utf8");

async function contents(session: Session) {
  return (await session.buildContext()).messages.map((message) =>
    message.role === "compactionSummary"
      ? message.summary
      : "content" in message
      ? typeof message.content === "string"
        ? message.content
        : message.content.map((block) => "text" in block ? block.text : block.type).join()
      : message.role
  );
}

const CONTEXT = ["LEGACY SUMMARY", "legacy two", "legacy answer two", "legacy three"];

describe("open() of a version 1 file", () => {
  test("upgrades it on the disk, keeps the old one, and does so once (C031)", async () => {
    using temp = new TempDirectory();
    const file = temp.write("s.jsonl", OLD);
    fs.chmodSync(file, 0o640);
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path });
    const session = await repo.open(file);
    expect(await contents(session)).toEqual(CONTEXT);
    const upgraded = fs.readFileSync(file, "utf8");
    const [header, ...entries] = upgraded.trimEnd().split("\n").map((line) => JSON.parse(line));
    const old = OLD.trimEnd().split("\n").slice(1).map((line) => JSON.parse(line));
    expect(header.version).toBe(3);
    expect(entries.map(({ timestamp, type }) => [timestamp, type])).toEqual(
      old.map(({ timestamp, type }) => [timestamp, type]),
    );
    expect(entries.map(({ parentId }) => parentId)).toEqual([
      null,
      ...entries.slice(0, -1).map(({ id }) => id),
    ]);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    expect(upgraded).not.toContain("firstKeptEntryIndex");
    expect(fs.readFileSync(`${file}.v1.bak`, "utf8")).toBe(OLD);
    expect(fs.statSync(file).mode & 0o777).toBe(0o640);
    await session.close();

    const again = await repo.open(file, { access: "write" });
    expect(fs.readFileSync(file, "utf8")).toBe(upgraded);
    await again.appendMessage(USER);
    expect(fs.readFileSync(file, "utf8").startsWith(upgraded)).toBe(true);
    expect(await contents(again)).toEqual([...CONTEXT, "next"]);
    await again.close();
    expect(fs.readdirSync(temp.path).filter((name) => name.endsWith(".bak"))).toEqual([
      "s.jsonl.v1.bak",
    ]);
  });

  test("for reading changes nothing, and gives the same ids each time", async () => {
    using temp = new TempDirectory();
    const file = temp.write("s.jsonl", OLD);
    const repo = new JsonlSessionRepo({ sessionsDir: temp.path });
    const ids: string[][] = [];
    for (let time = 0; time < 2; time++) {
      const session = await repo.open(file, { access: "read" });
      expect(await contents(session)).toEqual(CONTEXT);
      expect(session.header.version).toBe(3);
      ids.push((await session.getEntries()).map(({ id }) => id));
      await session.close();
    }
    expect(ids[0]).toEqual(ids[1] ?? []);
    expect(fs.readFileSync(file, "utf8")).toBe(OLD);
    expect(fs.existsSync(`${file}.v1.bak`)).toBe(false);
    const written = await repo.open(file);
    expect((await written.getEntries()).map(({ id }) => id)).toEqual(ids[0] ?? []);
    await written.close();
  });

  test("killed at any step leaves the old or the new file, whole", async () => {
    let steps = 0;
    for (let at = 1;; at++) {
      using temp = new TempDirectory();
      const file = temp.write("s.jsonl", OLD);
      const disk = new FaultyFileSystem({ at, failure: "EIO", then: "killed" });
      const options = { sessionsDir: temp.path, lock: { acquire: () => ({ release() {} }) } };
      const attempt = await new JsonlSessionRepo({ ...options, fs: disk }).open(file).then(
        (session) => session.close(),
        (error: unknown) => {
          if (!(error instanceof Killed || error instanceof SessionError)) throw error;
        },
      );
      expect(attempt).toBe(undefined);
      const left = fs.readFileSync(file, "utf8");
      expect(left === OLD || left.startsWith('{"type":"session","id"')).toBe(true);
      const session = await new JsonlSessionRepo(options).open(file);
      expect(await contents(session)).toEqual(CONTEXT);
      await session.appendMessage(USER);
      await session.close();
      expect(fs.readFileSync(`${file}.v1.bak`, "utf8")).toBe(OLD);
      if (!disk.hasFailed) break;
      steps = at;
    }
    expect(steps).toBeGreaterThan(4);
  });

  test("that cannot be upgraded is read, and says so at the first append", async () => {
    using temp = new TempDirectory();
    const file = temp.write("s.jsonl", OLD);
    const disk = new FaultyFileSystem({ at: 1, failure: "EACCES", then: "fails" });
    const session = await new JsonlSessionRepo({ sessionsDir: temp.path, fs: disk }).open(file);
    expect(await contents(session)).toEqual(CONTEXT);
    const error = await session.appendMessage(USER).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(error).toBeInstanceOf(SessionError);
    expect(error).toMatchObject({ code: "write_failed" });
    expect(await contents(session)).toEqual(CONTEXT);
    await session.close();
    expect(fs.readFileSync(file, "utf8")).toBe(OLD);
  });

  test("keeps lines that it cannot read, ids that are there and fields that it does not know", async () => {
    using temp = new TempDirectory();
    const file = temp.write(
      "s.jsonl",
      [
        '{"type":"session","id":"s","timestamp":"","cwd":"/","extra":{"a":1}}',
        '{"type":"message","timestamp":"","message":{"role":"user","content":"one"},"x":[2]}',
        "no json at all",
        '{"type":"message","id":"has-one","timestamp":"","message":{"role":"user","content":"two"}}',
        '{"type":"message","timestamp":"","message":{"role":"hookMessage","content":"three"}}',
        "",
      ].join("\n"),
    );
    const session = await new JsonlSessionRepo({ sessionsDir: temp.path }).open(file);
    expect(await contents(session)).toEqual(["one", "two", "three"]);
    expect(session.damage.map(({ line, kind }) => [line, kind])).toEqual([[3, "unreadable"]]);
    const entries = await session.getEntries();
    expect(entries[0]).toMatchObject({ x: [2] });
    expect(entries[1]).toMatchObject({ id: "has-one", parentId: entries[0]?.id ?? "" });
    expect(entries[2]).toMatchObject({ message: { role: "custom" }, parentId: "has-one" });
    const lines = fs.readFileSync(file, "utf8").split("\n");
    expect(lines[2]).toBe("no json at all");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ version: 3, extra: { a: 1 } });
    await session.close();
  });
});

describe("open() of a version 2 file", () => {
  test("renames the role and leaves the other lines byte for byte", async () => {
    using temp = new TempDirectory();
    const kept = '{"type":"message",  "id":"a","parentId":null,"timestamp":"","message":' +
      '{"role":"user","content":"one"}}';
    const file = temp.write(
      "s.jsonl",
      [
        '{"type":"session","version":2,"id":"s","timestamp":"","cwd":"/"}',
        kept,
        '{"type":"message","id":"b","parentId":"a","timestamp":"","message":' +
        '{"role":"hookMessage","customType":"c","content":"two","display":true}}',
        "",
      ].join("\n"),
    );
    const session = await new JsonlSessionRepo({ sessionsDir: temp.path }).open(file);
    expect(await contents(session)).toEqual(["one", "two"]);
    expect(await session.getEntry("b")).toMatchObject({ message: { role: "custom" } });
    expect(fs.readFileSync(file, "utf8").split("\n")[1]).toBe(kept);
    expect(fs.existsSync(`${file}.v2.bak`)).toBe(true);
    await session.close();
  });
});
