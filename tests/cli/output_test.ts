import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { binaryPath } from "../support/binary.ts";
import { bashCall, completion, LocalRun } from "../support/local_run.ts";
import { noPtyReason, TerminalProcess } from "../support/pty.ts";

/** 30,000 lines of 101 characters (C074). */
const LONG = Array.from(
  { length: 30_000 },
  (_, index) => `${String(index).padStart(6, "0")} ${"x".repeat(93)}\n`,
);
const LONG_LENGTH = 30_000 * 101;

function jsonLines(text: string): Record<string, unknown>[] {
  expect(text.endsWith("\n")).toBe(true);
  return text.slice(0, -1).split("\n").map((line) => JSON.parse(line));
}

describe("bough writes all it has to say before it ends (C074)", () => {
  const rows: [script: string, wanted: string][] = [
    ["bough -p x | (sleep 1; wc -c)", `${LONG_LENGTH}\n`],
    ["bough -p --stream x | (sleep 1; wc -c)", `${LONG_LENGTH}\n`],
    ["bough -p x | (sleep 1; tail -n 1 | cut -c1-6)", "029999\n"],
    ["bough -p x > out; tail -n 1 out | cut -c1-6", "029999\n"],
    ["bough --mode json x | (sleep 1; tail -n 1 | cut -c1-16)", '{"type":"result"\n'],
    ["bough --mode json x > out; tail -n 1 out | cut -c1-16", '{"type":"result"\n'],
  ];
  for (const [script, wanted] of rows) {
    test(script, async () => {
      await using run = await LocalRun.start([completion(LONG)]);
      const { stdout, code } = await run.shell(script);
      expect({ stdout: stdout.trimStart(), code }).toEqual({ stdout: wanted, code: 0 });
    });
  }
});

describe("bough stops quietly when its reader leaves (C070)", () => {
  const rows: [script: string, codes: number[], isWhole: boolean][] = [
    ["bough -p x | head -n 1", [0, 141], true],
    ["bough -p --stream x | head -n 1", [141], false],
    ["bough --mode json x | head -n 1 | cut -c1-16", [141], false],
    ["bough --output json x | true", [141], true],
  ];
  for (const [script, codes, isWhole] of rows) {
    test(script, async () => {
      await using run = await LocalRun.start([completion(LONG)]);
      const { stdout, stderr } = await run.shell(`${script}; echo "rc=\${PIPESTATUS[0]}"`);
      expect(codes).toContain(Number(/rc=(\d+)\n$/.exec(stdout)?.[1]));
      expect(stderr).not.toMatch(/EPIPE|\n\s+at /);
      const text = JSON.stringify(run.entries());
      if (isWhole) expect(text).toContain("029999");
    });
  }

  test("a full disk is an error, and the session is whole", async () => {
    await using run = await LocalRun.start([completion(LONG)]);
    const { stderr, stdout } = await run.shell('bough -p x > /dev/full; echo "rc=$?" >&2');
    expect(stdout).toBe("");
    expect(stderr).toContain("bough: Cannot write to stdout: ");
    expect(stderr).toContain("rc=1\n");
    expect(JSON.stringify(run.entries())).toContain("029999");
  });
});

describe("bough --output", () => {
  test("text: the final answer alone, ending in one LF", async () => {
    await using run = await LocalRun.start([
      bashCall("echo from the tool"),
      completion("the answer\n\n"),
    ]);
    const { stdout, stderr, code } = await run.run(["-p", "x"]);
    expect({ stdout, code }).toEqual({ stdout: "the answer\n", code: 0 });
    expect(stderr).toContain("bough: bash echo from the tool\n");
    expect(stderr).toMatch(/bough: Session \S+\n$/);
  });

  test("json: one object", async () => {
    await using run = await LocalRun.start([bashCall("true"), completion("done")]);
    const { stdout, code } = await run.run(["--output", "json", "x"]);
    expect(code).toBe(0);
    const [file] = run.sessionFiles();
    const [header, ...entries] = run.entries();
    const [result, ...more] = jsonLines(stdout);
    const usage = {
      input: 40,
      output: 10,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 50,
      cost: { input: 0.04, output: 0.01, cacheRead: 0, cacheWrite: 0, total: 0.05 },
    };
    expect(more).toEqual([]);
    expect(result).toEqual({
      type: "result",
      version: 1,
      ok: true,
      exitCode: 0,
      text: "done",
      structured: null,
      sessionId: header?.["id"],
      sessionFile: file,
      leafId: entries.at(-1)?.["id"],
      saved: true,
      model: { provider: "local", id: "m" },
      stopReason: "stop",
      turns: 2,
      durationMs: expect.any(Number),
      usage,
      totals: { branch: usage, session: usage },
      denied: [],
      retries: 0,
      compactions: 0,
      error: null,
    });
  });

  test("events: the session first, the result last, and nothing said twice", async () => {
    await using run = await LocalRun.start([completion(["one ", "two ", "three"])]);
    const { stdout, code } = await run.run(["--output", "events", "x"]);
    expect(code).toBe(0);
    const records = jsonLines(stdout);
    expect(records[0]).toEqual(run.entries()[0] ?? {});
    expect(records.at(-1)).toMatchObject({ type: "result", ok: true, text: "one two three" });
    expect(records.at(-2)).toEqual({ type: "agent_settled", aborted: false });
    const deltas = records.flatMap(({ assistantMessageEvent: event }) =>
      typeof event === "object" && event && "delta" in event ? [event.delta] : []
    );
    expect(deltas.join("")).toBe("one two three");
  });

  test("events: their size grows with the answer, not with its square", async () => {
    const sizes: number[] = [];
    for (const count of [200, 2_000]) {
      await using run = await LocalRun.start([completion(LONG.slice(0, count))]);
      sizes.push((await run.run(["--output", "events", "x"])).stdout.length);
    }
    const [small = 0, large = 0] = sizes;
    expect(large / small).toBeLessThan(11);
  });

  for (const output of ["text", "json", "events"]) {
    test(`${output}: an error exits the same, and says nothing but itself on stderr`, async () => {
      await using run = await LocalRun.start([
        { status: 400, json: { error: { message: "no\u001b[31m such\nthing" } } },
      ]);
      const { stdout, stderr, code } = await run.run(["--output", output, "x"]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^bough: Cannot [^\n\x1b]*no␛\[31m such thing[^\n\x1b]*\n$/);
      if (output === "text") expect(stdout).toBe("");
      else expect(jsonLines(stdout).at(-1)).toMatchObject({ ok: false, exitCode: 1 });
    });
  }
});

test("bough --quiet says nothing on stderr but errors", async () => {
  await using run = await LocalRun.start([bashCall("true"), completion("done")]);
  expect(await run.run(["-p", "--quiet", "x"])).toMatchObject({ stderr: "", stdout: "done\n" });
  const { stderr, code } = await run.run(["-p", "--quiet", "--session", "none", "x"]);
  expect(code).toBe(4);
  expect(stderr).toStartWith("bough: Cannot");
});

describe("bough --result-file", () => {
  test("has the object that --output json prints, whatever the output", async () => {
    await using run = await LocalRun.start([completion("done")]);
    const { stdout, code } = await run.run(["-p", "--result-file", "r.json", "x"]);
    expect({ stdout, code }).toEqual({ stdout: "done\n", code: 0 });
    expect(JSON.parse(run.temp.read("work/r.json"))).toMatchObject({
      type: "result",
      ok: true,
      text: "done",
      sessionFile: run.sessionFiles()[0],
    });
  });

  test("is written when the run failed, too", async () => {
    await using run = await LocalRun.start([{ status: 400, json: { error: { message: "no" } } }]);
    const { code } = await run.run(["-p", "--result-file", "r.json", "x"]);
    expect(code).toBe(1);
    expect(JSON.parse(run.temp.read("work/r.json"))).toMatchObject({ ok: false, exitCode: 1 });
  });
});

describe.skipIf(noPtyReason() !== undefined)("bough on a terminal", () => {
  test("shows the answer as it comes, with its control sequences made harmless", async () => {
    await using run = await LocalRun.start([
      bashCall("printf '\\033]0;title\\007'"),
      completion(["red: \u001b[31m", "title: \u001b]0;x\u0007", " end"]),
    ]);
    using terminal = new TerminalProcess(await binaryPath(), ["-p", "x"], { temp: run.temp });
    const { stdout, code } = await terminal.finished;
    expect(code).toBe(0);
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toContain("red: ␛[31mtitle: ␛]0;x␇ end\r\n");
  });

  test("shows the lines of both streams in order", async () => {
    const call = bashCall("true").text.replace('"role":"assistant"', '"content":"I look."');
    await using run = await LocalRun.start([{ text: call }, completion("done")]);
    using terminal = new TerminalProcess(await binaryPath(), ["-p", "x"], { temp: run.temp });
    const { stdout } = await terminal.finished;
    expect(stdout).toStartWith("I look.\r\nbough: bash true\r\ndone\r\nbough: Session ");
  });

  test("reads no data from it, and does not ask", async () => {
    await using run = await LocalRun.start([completion("done")]);
    using terminal = new TerminalProcess(await binaryPath(), ["-p"], { temp: run.temp });
    const { stdout, code } = await terminal.finished;
    expect(code).toBe(2);
    expect(stdout).toContain("bough: Cannot run: there is no prompt");
  });

  test("ends and saves when the terminal goes", async () => {
    await using run = await LocalRun.start([bashCall("sleep 4713")]);
    using terminal = new TerminalProcess(await binaryPath(), ["-p", "x"], { temp: run.temp });
    await terminal.waitFor("bash sleep 4713");
    terminal.kill("SIGKILL");
    while (roles(run).length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(roles(run)).toEqual(["user", "assistant", "toolResult"]);
    expect(fs.readdirSync("/proc").some((pid) => isSleep(pid, "4713"))).toBe(false);
  });
});

/** The roles of the session's messages. */
function roles(run: LocalRun): unknown[] {
  return run.entries().flatMap(({ message }) =>
    typeof message === "object" && message && "role" in message ? [message.role] : []
  );
}

function isSleep(pid: string, seconds: string): boolean {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8") === `sleep\0${seconds}\0`;
  } catch {
    return false;
  }
}
