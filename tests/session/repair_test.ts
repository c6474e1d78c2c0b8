import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { SessionError } from "../../lib/session/errors.ts";
import { FileLock } from "../../lib/session/lock.ts";
import { repairSession } from "../../lib/session/repair.ts";
import { verifySession } from "../../lib/session/verify.ts";
import { type Failure, FaultyFileSystem } from "../support/faulty_file_system.ts";
import { MemoryFileSystem } from "../support/memory_file_system.ts";
import { sampleLines, sampleText } from "../support/sample_session.ts";
import { TempDirectory } from "../support/temp.ts";

const DIRECTORY = "/home/me/.bough/sessions/--home-me-project--";
const FILE = `${DIRECTORY}/2026-03-02T09-00-00-000Z_0195a000-0000-7000-8000-000000000001.jsonl`;
const NOW = Date.parse("2026-04-01T10:20:30.456Z");
const BACKUP = `${FILE}.damaged-2026-04-01T10-20-30-456Z.bak`;

class Ids {
  #next = 0;
  sessionId(): string {
    return "0195ffff-0000-7000-8000-000000000001";
  }
  entryId(): string {
    return `f${(this.#next++).toString(16).padStart(7, "0")}`;
  }
}

function options(disk: MemoryFileSystem) {
  const lock = new FileLock({ fs: disk, flock: null, networkFileSystem: () => undefined });
  return { fs: disk, lock, clock: { now: () => NOW }, ids: new Ids() };
}

/** Repairs a text; what is right for every repair is checked here. */
function repair(text: string | Uint8Array, file = FILE) {
  const disk = new MemoryFileSystem();
  disk.put(file, text);
  const damaged = disk.get(file);
  const report = repairSession(file, options(disk));
  expect(verifySession(file, { fs: disk }).findings).toEqual([]);
  const lines = disk.text(file).split("\n").slice(0, -1);
  expect(report.entries).toBe(lines.length - 1);
  if (report.backup) expect(disk.get(report.backup)).toEqual(damaged);
  expect(repairSession(file, options(disk))).toEqual({
    file,
    entries: report.entries,
    changes: [],
  });
  return { report, disk, lines, did: report.changes.map(({ line, did }) => [line, did]) };
}

function withLine(number: number, change: (line: string) => string | string[]): string {
  return sampleLines().flatMap((line, at) => at === number - 1 ? change(line) : line)
    .map((line) => `${line}\n`).join("");
}

test("repairSession() leaves a sound session alone", () => {
  const { disk, report } = repair(sampleText());
  expect(report).toEqual({ file: FILE, entries: 21, changes: [] });
  expect(disk.files).toEqual([FILE]);
  expect(disk.text(FILE)).toBe(sampleText());
});

test("repairSession() keeps every whole line byte for byte and hangs on what was cut off", () => {
  const { lines, report, disk, did } = repair(withLine(5, (line) => line.slice(0, 50)));
  const expected = sampleLines();
  expected.splice(4, 1);
  expected[4] = (expected[4] ?? "").replace('"parentId":"a0000004"', '"parentId":"a0000003"')
    .replace(/}$/, ',"repaired":{"parentId":"a0000004"}}');
  expect(lines).toEqual(expected);
  expect(did).toEqual([
    [5, "left out (50 bytes): not JSON"],
    [6, "hung on a0000003, the entry before the damage"],
  ]);
  expect(report.backup).toBe(BACKUP);
  expect(disk.files).toEqual([FILE, BACKUP]);
  expect([disk.stat(FILE)?.mode, disk.stat(BACKUP)?.mode]).toEqual([0o600, 0o600]);
});

test("repairSession() keeps what is whole on a line with something broken", () => {
  const whole = sampleLines();
  const glued = withLine(22, (line) => `${line.slice(0, 40)}${line}`);
  const zeros = withLine(22, (line) => `\0\0${line}`);
  const joined = sampleText().replace(`${whole[20]}\n`, whole[20] ?? "");
  for (const text of [glued, zeros, joined]) expect(repair(text).lines).toEqual(whole);
});

test("repairSession() writes down where the reader hangs an orphan and a ring", () => {
  const orphan = repair(withLine(18, (line) => line.replace('Id":"a0000010"', 'Id":"b"')));
  expect(orphan.did).toEqual([[18, "made a root: its parent b does not exist"]]);
  expect(JSON.parse(orphan.lines[17] ?? "")).toMatchObject({
    id: "a0000011",
    parentId: null,
    fromPi: { x: 1 },
    repaired: { parentId: "b" },
  });
  const ring = repair(withLine(3, (line) => line.replace('Id":"a0000001"', 'Id":"a0000004"')));
  expect(JSON.parse(ring.lines[2] ?? "")).toMatchObject({
    id: "a0000002",
    parentId: null,
    repaired: { parentId: "a0000004" },
  });
});

test("repairSession() gives the second of two entries with one id an id of its own", () => {
  const text = withLine(20, (line) => line.replace('"a0000013"', '"a0000010"'))
    .replace('"parentId":"a0000013"', '"parentId":"a0000010"');
  const { lines, did } = repair(text);
  expect(did).toEqual([
    [20, "given the id f0000000, since an earlier entry has its own"],
  ]);
  expect(JSON.parse(lines[19] ?? "")).toMatchObject({
    id: "f0000000",
    parentId: "a0000012",
    repaired: { id: "a0000010" },
  });
  // The nearest entry before it with the id was meant.
  expect(JSON.parse(lines[20] ?? "")).toMatchObject({ id: "a0000014", parentId: "f0000000" });
  expect(lines[16]).toBe(sampleLines()[16]);
});

test("repairSession() makes one entry of a line that was written twice", () => {
  const { lines, did } = repair(withLine(18, (line) => [line, line]));
  expect(lines).toEqual(sampleLines());
  expect(did).toEqual([[18, "left out: the next line is the same entry once more"]]);
});

describe("repairSession() keeps an entry whose target is lost", () => {
  for (const [what, number] of [["label", 9], ["context_edit", 14]] as const) {
    test(`as a custom entry: ${what}`, () => {
      const lost = (line: string) => line.replace('"targetId":"a', '"targetId":"b');
      const { lines } = repair(withLine(number, lost));
      const entry = JSON.parse(lost(sampleLines()[number - 1] ?? ""));
      const { id, parentId, timestamp } = entry;
      expect(JSON.parse(lines[number - 1] ?? "")).toEqual({
        type: "custom",
        id,
        parentId,
        timestamp,
        customType: "bough.repair",
        data: { entry },
      });
    });
  }

  test("as one that keeps nothing: compaction", () => {
    const { lines } = repair(withLine(15, (line) => line.replace('EntryId":"a', 'EntryId":"b')));
    expect(JSON.parse(lines[14] ?? "")).toMatchObject({
      type: "compaction",
      summary: "They looked at three files.",
      firstKeptEntryId: "a000000e",
      repaired: { firstKeptEntryId: "b0000007" },
    });
  });

  test("as one that leaves the leaf where it was: leaf", () => {
    const { lines } = repair(withLine(22, (line) => line.replaceAll('Id":"a00', 'Id":"b00')));
    expect(JSON.parse(lines[21] ?? "")).toMatchObject({
      type: "leaf",
      targetId: "a0000014",
      parentId: "a0000014",
      repaired: { targetId: "b0000011", parentId: "b0000011" },
    });
  });
});

test("repairSession() answers calls that have no result, before what followed", () => {
  const { lines, did } = repair(withLine(6, () => []).replaceAll('"a0000005"', '"a0000004"'));
  expect(did).toEqual([[5, "its call call_1 was given a result: that none was recorded"]]);
  expect(JSON.parse(lines[5] ?? "")).toEqual({
    type: "message",
    id: "f0000000",
    parentId: "a0000004",
    timestamp: "2026-04-01T10:20:30.456Z",
    message: {
      role: "toolResult",
      toolCallId: "call_1",
      toolName: "bash",
      content: [{ type: "text", text: "No result was recorded for this call." }],
      isError: true,
      timestamp: NOW,
    },
  });
  expect(JSON.parse(lines[6] ?? "")).toMatchObject({ id: "a0000006", parentId: "f0000000" });
});

describe("repairSession() makes a lost header again", () => {
  const [header = ""] = sampleLines();
  const parsed = JSON.parse(header);

  test("from what is left of its line", () => {
    const { lines } = repair(withLine(1, (line) => line.replace(',"timestamp', ",timestamp")));
    expect(JSON.parse(lines[0] ?? "")).toEqual(parsed);
    expect(lines.slice(1)).toEqual(sampleLines().slice(1));
  });

  test("from the file's name and the first entry", () => {
    const { lines, did } = repair(withLine(1, () => []));
    expect(JSON.parse(lines[0] ?? "")).toEqual({ ...parsed, cwd: DIRECTORY });
    expect(did).toEqual([[1, `header made again: session ${parsed.id} of ${DIRECTORY}`]]);
    expect(JSON.parse(repair(withLine(1, () => []), `${DIRECTORY}/mine.jsonl`).lines[0] ?? ""))
      .toMatchObject({
        id: "0195ffff-0000-7000-8000-000000000001",
        timestamp: "2026-03-02T09:00:00.000Z",
      });
  });

  test("with the directory of another session beside it", () => {
    const disk = new MemoryFileSystem();
    disk.put(FILE, withLine(1, () => []));
    disk.put(`${DIRECTORY}/other.jsonl`, sampleText());
    repairSession(FILE, options(disk));
    expect(JSON.parse(disk.text(FILE).split("\n")[0] ?? "")).toEqual(parsed);
  });

  test("and puts one first that is not", () => {
    const text = [...sampleLines().slice(1), header, ""].join("\n");
    expect(repair(text).lines).toEqual(sampleLines());
  });

  test("and keeps fields of others", () => {
    const { lines } = repair(withLine(1, (line) => line.replace('"cwd":"/', '"by":"pi","cwd":"')));
    expect(JSON.parse(lines[0] ?? "")).toEqual({ ...parsed, by: "pi", cwd: DIRECTORY });
  });
});

test("repairSession() brings an older session to today's version as it goes", () => {
  const header = { type: "session", id: "old", timestamp: "2025-01-01T00:00:00.000Z", cwd: "/tmp" };
  const message = { role: "hookMessage", customType: "c", content: "x", display: true };
  const lines = [
    JSON.stringify(header),
    '{"type":"mes',
    JSON.stringify({ type: "message", timestamp: "2025-01-01T00:00:01.000Z", message }),
  ];
  const repaired = repair(lines.join("\n")).lines.map((line) => JSON.parse(line));
  expect(repaired[0]).toEqual({ ...header, version: 3 });
  expect(repaired[1]).toMatchObject({ parentId: null, message: { role: "custom" } });
});

test("repairSession() closes a session to others without rewriting it", () => {
  const disk = new MemoryFileSystem();
  disk.put(FILE, sampleText(), 0o644);
  disk.changeMode(DIRECTORY, 0o755);
  const { changes, backup } = repairSession(FILE, options(disk));
  expect(changes.map(({ did }) => did)).toEqual([
    "closed to other users: the file has mode 0644, not 0600",
    "closed to other users: its directory has mode 0755, not 0700",
  ]);
  expect(backup).toBeUndefined();
  expect(verifySession(FILE, { fs: disk }).findings).toEqual([]);
});

const REFUSED: [string, string, string][] = [
  ["a text that is no session", "Dear diary,\n", "not_a_session"],
  ["an empty file", "", "not_a_session"],
  ["a newer version", withLine(1, (line) => line.replace("3", "4")), "newer_version"],
];
for (const [what, text, code] of REFUSED) {
  test(`repairSession() refuses ${what} and leaves it as it is`, () => {
    const disk = new MemoryFileSystem();
    disk.put(FILE, text);
    expect(() => repairSession(FILE, options(disk))).toThrow(
      expect.objectContaining({ code }),
    );
    expect([disk.files, disk.text(FILE)]).toEqual([[FILE], text]);
  });
}

test("repairSession() waits for nobody: a session that is being written is busy", () => {
  using temp = new TempDirectory();
  const text = withLine(5, (line) => line.slice(0, 50));
  const file = temp.write("d/s.jsonl", text);
  const fd = fs.openSync(file, "r+");
  const held = new FileLock().acquire(file, fd);
  expect(() => repairSession(file)).toThrow(expect.objectContaining({ code: "busy" }));
  held.release();
  fs.closeSync(fd);
  expect(fs.readdirSync(temp.join("d"))).toEqual(["s.jsonl"]);
});

test("repairSession() repairs the file that a link leads to, and removes a stale lock", () => {
  using temp = new TempDirectory();
  const file = temp.write("d/s.jsonl", withLine(5, (line) => line.slice(0, 50)));
  fs.symlinkSync(file, temp.join("link.jsonl"));
  const { dev, ino } = fs.statSync(file);
  const record = { pid: 2 ** 22 + 1, host: "h", boot: "b", how: "flock", dev, ino, nonce: "n" };
  temp.write("d/s.jsonl.lock", JSON.stringify(record));
  const { changes } = repairSession(temp.join("link.jsonl"));
  expect(changes.at(-1)?.did).toStartWith(`removed ${file}.lock, left by process`);
  expect(fs.lstatSync(temp.join("link.jsonl")).isSymbolicLink()).toBe(true);
  expect(verifySession(file).findings).toEqual([]);
  expect(fs.readdirSync(temp.join("d")).filter((name) => name.includes("lock"))).toEqual([]);
});

const FAILURES: Failure[] = ["EIO", "ENOSPC", "short", "torn", "lost"];
const DAMAGED = withLine(5, (line) => line.slice(0, 50));

function failing(at: number, failure: Failure, then: "works" | "killed") {
  const disk = new MemoryFileSystem();
  disk.put(FILE, DAMAGED);
  const faulty = new FaultyFileSystem({ at, failure, then }, disk);
  const lock = new FileLock({ fs: faulty, flock: null, networkFileSystem: () => undefined });
  let error: unknown;
  try {
    repairSession(FILE, { ...options(disk), fs: faulty, lock });
  } catch (thrown) {
    error = thrown;
  }
  return { disk, faulty, error };
}

for (const failure of FAILURES) {
  test(`repairSession() loses nothing when any one operation fails: ${failure}`, () => {
    for (let at = 1;; at++) {
      const { disk, faulty, error } = failing(at, failure, "works");
      if (!faulty.hasFailed) break;
      if (error) expect(error).toBeInstanceOf(SessionError);
      const { findings } = verifySession(FILE, { fs: disk });
      const isRepaired = findings.every(({ kind }) => kind === "lock");
      if (!isRepaired) expect(disk.text(FILE)).toBe(DAMAGED);
      if (!error) expect(isRepaired).toBe(true);
      disk.remove(`${FILE}.lock`);
      repairSession(FILE, options(disk));
      expect([at, verifySession(FILE, { fs: disk }).findings]).toEqual([at, []]);
    }
  });
}

test("repairSession() killed at any step, or without power, leaves one whole file", () => {
  let steps = 0;
  for (let at = 1;; at++, steps++) {
    const { disk, faulty, error } = failing(at, at % 2 ? "EIO" : "torn", "killed");
    if (!error) break;
    expect(faulty.hasFailed).toBe(true);
    if (at % 3 === 0) disk.failPower();
    disk.remove(`${FILE}.lock`);
    const damaged = disk.text(FILE) === DAMAGED;
    const { findings } = verifySession(FILE, { fs: disk });
    expect([at, damaged, findings.length > 0]).toEqual([at, damaged, damaged]);
    if (!damaged) expect(disk.text(BACKUP)).toBe(DAMAGED);
    repairSession(FILE, options(disk));
    expect(verifySession(FILE, { fs: disk }).findings).toEqual([]);
  }
  expect(steps).toBeGreaterThan(8);
});
