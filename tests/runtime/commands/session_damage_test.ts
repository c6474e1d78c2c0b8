import { expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { systemTimer } from "../../../lib/agent/mod.ts";
import { parseCommandLine } from "../../../lib/runtime/command_line/parse.ts";
import { runVerb } from "../../../lib/runtime/commands/run_verb.ts";
import { FileLock } from "../../../lib/session/mod.ts";
import { recordedSink } from "../../support/recorded_sink.ts";
import { SAMPLE_HEADER, sampleLines, sampleText } from "../../support/sample_session.ts";
import { TempDirectory } from "../../support/temp.ts";

const NAME = `2026-03-02T09-00-00-000Z_${SAMPLE_HEADER.id}.jsonl`;

/** Puts a session into the home's folder of its directory. */
function putSession(temp: TempDirectory, name: string, text: string): string {
  const directory = temp.make("home", "sessions", "--home-me-project--");
  fs.chmodSync(directory, 0o700);
  const file = path.join(directory, name);
  fs.writeFileSync(file, text, { mode: 0o600 });
  return file;
}

function damagedText(): string {
  return sampleLines().map((line, at) => `${at === 4 ? line.slice(0, 50) : line}\n`).join("");
}

async function run(temp: TempDirectory, args: string[], options: { isTerminal?: boolean } = {}) {
  const line = parseCommandLine(["session", ...args], { stdin: false, stdout: false });
  if (line.kind !== "verb") throw new Error(JSON.stringify(line));
  const stdout = recordedSink();
  const stderr = recordedSink(options);
  const code = await runVerb(line.call, {
    stdout: stdout.sink,
    stderr: stderr.sink,
    signal: new AbortController().signal,
    env: { BOUGH_HOME: temp.home, HOME: temp.path },
    timer: systemTimer,
    cwd: () => temp.cwd,
    stdin: () => {
      throw new Error("nothing is read");
    },
  });
  await stdout.sink.drain();
  await stderr.sink.drain();
  return { code, stdout: stdout.writer.text, stderr: stderr.writer.text };
}

test("session verify names what is wrong and where, and exits 0 only if nothing is", async () => {
  using temp = new TempDirectory();
  const file = putSession(temp, NAME, damagedText());
  const damaged = await run(temp, ["verify", SAMPLE_HEADER.id.slice(0, 8)]);
  expect(damaged.code).toBe(4);
  expect(damaged.stderr).toBe("");
  expect(damaged.stdout.split("\n")).toEqual([
    `${file}: 2 things wrong, 20 entries readable`,
    "  line 5, byte 603: not JSON; it is skipped (50 bytes)",
    "  line 6, byte 654, entry a0000005: its parent a0000004 does not exist; it is read as the child of a0000003",
    "",
  ]);
  fs.writeFileSync(file, sampleText());
  const sound = await run(temp, ["verify", file]);
  expect(sound).toEqual({ code: 0, stdout: `${file}: sound, 21 entries\n`, stderr: "" });
});

test("session verify --json is the report", async () => {
  using temp = new TempDirectory();
  const file = putSession(temp, NAME, damagedText());
  const { code, stdout } = await run(temp, ["verify", "--json", file]);
  expect(code).toBe(4);
  expect(JSON.parse(stdout)).toMatchObject({
    file,
    sessionId: SAMPLE_HEADER.id,
    version: 3,
    lines: 22,
    entries: 20,
    findings: [{ kind: "unreadable", line: 5 }, { kind: "missing_parent", line: 6 }],
  });
});

test("session verify --all looks at every file, also at one that is no session any more", async () => {
  using temp = new TempDirectory();
  putSession(temp, "a.jsonl", sampleText());
  const headless = putSession(temp, "b.jsonl", sampleLines().slice(1).join("\n"));
  const all = await run(temp, ["verify", "--all"], { isTerminal: true });
  expect(all.code).toBe(4);
  expect(all.stdout).toBe(
    `${headless}: 1 thing wrong, 21 entries readable\n` +
      "  line 1, byte 0: there is no header; it does not open as a session, though it holds entries\n",
  );
  expect(all.stderr).toContain("\r\x1b[KVerifying 2 of 2\r\x1b[K");
  expect(all.stderr).toEndWith("bough: 2 sessions, 1 damaged\n");
  const piped = await run(temp, ["verify", "--all", "--json"]);
  expect(piped.stderr).toBe("bough: 2 sessions, 1 damaged\n");
  expect(JSON.parse(piped.stdout).map((report: { findings: unknown[] }) => report.findings.length))
    .toEqual([0, 1]);
});

test("session verify without a session looks at those of this directory", async () => {
  using temp = new TempDirectory();
  putSession(temp, "a.jsonl", damagedText());
  expect((await run(temp, ["verify"])).stderr).toBe("bough: 0 sessions, 0 damaged\n");
  const there = await run(temp, ["verify", "--cwd", SAMPLE_HEADER.cwd]);
  expect([there.code, there.stderr]).toEqual([4, "bough: 1 session, 1 damaged\n"]);
  await expect(run(temp, ["verify", "--all", "a"])).rejects.toThrow(
    "Cannot verify one session and all",
  );
});

test("session repair tells what it did, and then that there is nothing to do", async () => {
  using temp = new TempDirectory();
  const file = putSession(temp, NAME, damagedText());
  const repaired = await run(temp, ["repair", SAMPLE_HEADER.id]);
  expect(repaired.code).toBe(0);
  const lines = repaired.stdout.split("\n");
  expect(lines.slice(0, 3)).toEqual([
    `${file}: repaired, 20 entries`,
    "  line 5: left out (50 bytes): not JSON",
    "  line 6, entry a0000005: hung on a0000003, the entry before the damage",
  ]);
  const backup = /^The damaged file is kept as (.*)$/.exec(lines[3] ?? "")?.[1] ?? "";
  expect(backup).toMatch(/\.damaged-\d{4}-\d\d-\d\dT.*Z\.bak$/);
  expect(fs.readFileSync(backup, "utf8")).toBe(damagedText());
  const again = await run(temp, ["repair", file]);
  expect(again).toEqual({ code: 0, stdout: `${file}: sound, nothing to repair\n`, stderr: "" });
  expect((await run(temp, ["verify", "--all"])).code).toBe(0);
});

test("session repair finds a session by the id in its file's name when its header is lost", async () => {
  using temp = new TempDirectory();
  const file = putSession(temp, NAME, sampleLines().slice(1).join("\n"));
  const { stdout } = await run(temp, ["repair", "--json", SAMPLE_HEADER.id]);
  expect(JSON.parse(stdout)).toMatchObject({ file, entries: 21, changes: [{ line: 1 }] });
  expect(JSON.parse(fs.readFileSync(file, "utf8").split("\n")[0] ?? "").id).toBe(SAMPLE_HEADER.id);
});

test("session repair heeds --busy", async () => {
  using temp = new TempDirectory();
  const file = putSession(temp, NAME, damagedText());
  const fd = fs.openSync(file, "r+");
  const held = new FileLock().acquire(file, fd);
  await expect(run(temp, ["repair", file])).rejects.toMatchObject({ code: "busy" });
  await expect(run(temp, ["repair", "--busy", "fork", file])).rejects.toThrow(
    'Cannot use --busy fork with "session repair"',
  );
  const waiting = run(temp, ["repair", "--busy", "wait:20s", file]);
  held.release();
  fs.closeSync(fd);
  expect((await waiting).code).toBe(0);
});

test("session verify and repair take a path from the process's directory, whatever --cwd says", async () => {
  using temp = new TempDirectory();
  temp.write("work/here.jsonl", damagedText());
  const verified = await run(temp, ["verify", "./here.jsonl", "--cwd", temp.home]);
  expect(verified.stdout).toContain(`${temp.join("work/here.jsonl")}: `);
  const repaired = await run(temp, ["repair", "./here.jsonl", "--cwd", temp.home]);
  expect(repaired.stdout).toContain(`${temp.join("work/here.jsonl")}: repaired`);
});
