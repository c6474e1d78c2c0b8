import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import type { Finding } from "../../lib/session/findings.ts";
import { FileLock } from "../../lib/session/lock.ts";
import { MachineProcesses } from "../../lib/session/processes.ts";
import { verifySession } from "../../lib/session/verify.ts";
import { ROOT } from "../support/binary.ts";
import { MemoryFileSystem } from "../support/memory_file_system.ts";
import { sampleLines, sampleText } from "../support/sample_session.ts";
import { TempDirectory } from "../support/temp.ts";

const DIRECTORY = "/home/me/.bough/sessions/--home-me-project--";
const FILE = `${DIRECTORY}/s.jsonl`;

function verify(text: string | Uint8Array, prepare: (disk: MemoryFileSystem) => void = () => {}) {
  const disk = new MemoryFileSystem();
  disk.put(FILE, text);
  prepare(disk);
  return verifySession(FILE, { fs: disk });
}

/** The sample with a line changed; line 1 is the header. */
function withLine(number: number, change: (line: string) => string | string[]): string {
  return sampleLines().flatMap((line, at) => at === number - 1 ? change(line) : line)
    .map((line) => `${line}\n`).join("");
}

function brief({ kind, line, entryId }: Finding) {
  return [kind, line, entryId];
}

test("verifySession() finds nothing in a sound session, and says what it read", () => {
  expect(verify(sampleText())).toEqual({
    file: FILE,
    sessionId: "0195a000-0000-7000-8000-000000000001",
    version: 3,
    bytes: new TextEncoder().encode(sampleText()).length,
    lines: 22,
    entries: 21,
    findings: [],
  });
});

const FIXTURES = path.join(ROOT, "tests/fixtures");
const PI_FILES = fs.readdirSync(FIXTURES).filter((name) => name.startsWith("pi-"))
  .flatMap((directory) =>
    fs.readdirSync(path.join(FIXTURES, directory)).filter((name) => name.endsWith(".jsonl"))
      .map((name) => path.join(directory, name))
  );

test("verifySession() finds nothing in the files that Pi wrote", () => {
  expect(PI_FILES.length).toBeGreaterThan(20);
  for (const name of PI_FILES) {
    const text = fs.readFileSync(path.join(FIXTURES, name));
    expect([name, verify(text).findings]).toEqual([name, []]);
  }
});

test("verifySession() tells line, byte and meaning of what cannot be read", () => {
  const lines = sampleLines();
  const offset = new TextEncoder().encode(lines.slice(0, 4).map((line) => `${line}\n`).join(""))
    .length;
  expect(verify(withLine(5, (line) => line.slice(0, 50))).findings).toEqual([
    {
      kind: "unreadable",
      line: 5,
      offset,
      problem: "not JSON",
      effect: "it is skipped (50 bytes)",
    },
    {
      kind: "missing_parent",
      line: 6,
      offset: offset + 51,
      entryId: "a0000005",
      problem: "its parent a0000004 does not exist",
      effect: "it is read as the child of a0000003",
    },
  ]);
});

const ROWS: [string, string, [string, number | undefined, string | undefined][]][] = [
  ["a torn last line", sampleText() + '{"type":"cus', [["torn", 23, undefined]]],
  ["a last line that lacks only its end", sampleText().trimEnd(), []],
  [
    "blank lines, CRLF and a byte-order mark",
    `\ufeff${sampleText().replaceAll("\n", "\r\n\r\n")}`,
    [],
  ],
  ["a line of zeros", withLine(22, (line) => ["\0".repeat(100), line]), [
    ["unreadable", 22, undefined],
  ]],
  ["zeros before a record", withLine(22, (line) => `\0\0\0${line}`), [["salvaged", 22, undefined]]],
  ["half a record with a whole one behind it", withLine(22, (line) => line.slice(0, 40) + line), [
    ["salvaged", 22, undefined],
  ]],
  ["an entry without an id", withLine(22, (line) => [line, '{"type":"custom"}']), [
    ["unreadable", 23, undefined],
  ]],
  ["a second header", withLine(10, (line) => [sampleLines()[0] ?? "", line]), [
    ["header", 10, undefined],
  ]],
  ["a header that is not first", [...sampleLines().slice(1), sampleLines()[0]].join("\n"), [
    ["header", 22, undefined],
  ]],
  ["a header that is broken", withLine(1, (line) => line.slice(0, -30)), [
    ["unreadable", 1, undefined],
    ["header", 1, undefined],
  ]],
  ["a header without a directory", withLine(1, (line) => line.replace('"cwd"', '"cvd"')), [
    ["header", 1, undefined],
  ]],
  ["an empty file", "", [["header", 1, undefined]]],
  ["a file of something else", "Dear diary,\ntoday\n", [
    ["unreadable", 1, undefined],
    ["header", 1, undefined],
    ["unreadable", 2, undefined],
  ]],
  ["an orphan", withLine(18, (line) => line.replace('"parentId":"a0000010"', '"parentId":"b"')), [
    ["missing_parent", 18, "a0000011"],
  ]],
  ["an entry that names itself", withLine(4, (line) => line.replaceAll("a0000002", "a0000003")), [
    ["cycle", 4, "a0000003"],
  ]],
  [
    "a ring",
    withLine(3, (line) => line.replace('"parentId":"a0000001"', '"parentId":"a0000004"')),
    [["cycle", 3, "a0000002"]],
  ],
  ["an id that stands twice", withLine(20, (line) => line.replace('"a0000013"', '"a0000010"')), [
    ["duplicate_id", 20, "a0000010"],
    ["missing_parent", 21, "a0000014"],
  ]],
  ["a label of nothing", withLine(9, (line) => line.replace('"targetId":"a', '"targetId":"b')), [
    ["missing_target", 9, "a0000008"],
  ]],
  ["an edit of nothing", withLine(14, (line) => line.replace('"targetId":"a', '"targetId":"b')), [
    ["missing_target", 14, "a000000d"],
  ]],
  [
    "a leaf that is nowhere",
    withLine(22, (line) => line.replaceAll('Id":"a00000', 'Id":"b00000')),
    [
      ["missing_target", 22, "a0000015"],
    ],
  ],
  [
    "a compaction that keeps what is not there",
    withLine(15, (line) => line.replace('EntryId":"a', 'EntryId":"b')),
    [["missing_target", 15, "a000000e"]],
  ],
  ["a call without a result", withLine(7, (line) => line.replace("call_2", "call_9")), [
    ["unanswered_call", 5, "a0000004"],
  ]],
  [
    "calls of an answer that was stopped",
    withLine(5, (line) => line.replace('"toolUse"', '"aborted"').replace("call_2", "call_9")),
    [],
  ],
];

describe("verifySession() finds", () => {
  for (const [name, text, expected] of ROWS) {
    test(name, () => {
      expect(verify(text).findings.map(brief)).toEqual(expected);
    });
  }

  test("text that is no UTF-8", () => {
    const bytes = new TextEncoder().encode(sampleText());
    const at = sampleText().indexOf("Was ist");
    bytes[at] = 0xff;
    expect(verify(bytes).findings.map(brief)).toEqual([["bad_text", 4, "a0000003"]]);
  });

  test("modes that let others in", () => {
    const { findings } = verify(sampleText(), (disk) => {
      disk.changeMode(FILE, 0o644);
      disk.changeMode(DIRECTORY, 0o755);
    });
    expect(findings.map(({ kind, problem }) => [kind, problem])).toEqual([
      ["permissions", "the file has mode 0644, not 0600"],
      ["permissions", "its directory has mode 0755, not 0700"],
    ]);
  });
});

/** A lock file that another process left; `more` says how it differs from our own. */
function lockFile(disk: MemoryFileSystem, more: Record<string, unknown>): void {
  const stat = disk.stat(FILE);
  const self = new MachineProcesses().self();
  const record = { ...self, how: "flock", dev: stat?.dev, ino: stat?.ino, nonce: "n", ...more };
  disk.put(`${FILE}.lock`, JSON.stringify(record));
}

const LOCKS: [string, (disk: MemoryFileSystem) => void, RegExp][] = [
  [
    "a stale lock",
    (disk) => lockFile(disk, { startTicks: 1, pid: 2 ** 22 + 1 }),
    /^.*\.lock was left by process 4194305 \(.*\) on host .*, which no longer writes it$/,
  ],
  [
    "a lock of another host",
    (disk) => lockFile(disk, { host: "far", boot: "other" }),
    /^.*\.lock belongs to process \d+ \(.*\) on host far, started .*$/,
  ],
  [
    "a lock file that is none",
    (disk) => disk.put(`${FILE}.lock`, "hello"),
    /^.*\.lock is not a lock of ours$/,
  ],
];

for (const [name, prepare, problem] of LOCKS) {
  test(`verifySession() finds ${name}`, () => {
    const { findings } = verify(sampleText(), prepare);
    expect(findings.map(({ kind }) => kind)).toEqual(["lock"]);
    expect(findings[0]?.problem).toMatch(problem);
  });
}

test("verifySession() takes what a running writer has not finished for no damage", () => {
  const calls = sampleLines().slice(0, 5).map((line) => `${line}\n`).join("");
  const unfinished = `${calls}{"type":"mess`;
  expect(verify(unfinished).findings.map(({ kind }) => kind)).toEqual([
    "unanswered_call",
    "unanswered_call",
    "torn",
  ]);
  const report = verify(unfinished, (disk) => lockFile(disk, {}));
  expect(report.findings).toEqual([]);
  expect(report.writer?.pid).toBe(process.pid);
});

test("verifySession() reads an older version as what it means today", () => {
  const header = { type: "session", id: "old", timestamp: "2025-01-01T00:00:00.000Z", cwd: "/tmp" };
  const entry = (type: string, more: object) =>
    JSON.stringify({ type, timestamp: "2025-01-01T00:00:01.000Z", ...more });
  const user = { message: { role: "user", content: "hi", timestamp: 0 } };
  const lines = [
    JSON.stringify(header),
    entry("message", user),
    '{"type":"mes',
    "",
    entry(
      "compaction",
      { summary: "s", firstKeptEntryIndex: 1, tokensBefore: 1 },
    ),
  ];
  const { findings, version } = verify(lines.join("\n"));
  const offset = `${lines[0]}\n${lines[1]}\n`.length;
  expect(findings.map(({ kind, line, offset: at }) => [kind, line, at])).toEqual([
    ["unreadable", 3, offset],
  ]);
  expect(version).toBe(1);
});

test("verifySession() takes no lock, changes nothing, and refuses what is no file", () => {
  using temp = new TempDirectory();
  const file = temp.write("s.jsonl", sampleText());
  fs.chmodSync(file, 0o600);
  const fd = fs.openSync(file, "r+");
  const held = new FileLock().acquire(file, fd);
  expect(verifySession(file).writer?.pid).toBe(process.pid);
  held.release();
  fs.closeSync(fd);
  expect(temp.read("s.jsonl")).toBe(sampleText());
  expect(() => verifySession(temp.join("gone.jsonl"))).toThrow("there is no such file");
  expect(() => verifySession(temp.path)).toThrow("it is not a file");
});
