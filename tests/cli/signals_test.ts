import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { bashCall, completion, LocalRun } from "../support/local_run.ts";

const SIGNALS = [["SIGTERM", 143], ["SIGHUP", 129], ["SIGINT", 130]] as const;

/** How many processes of this command are running. */
function running(pattern: string): number {
  return Number(spawnSync("pgrep", ["-fc", pattern], { encoding: "utf8" }).stdout);
}

const hasPgrep = spawnSync("pgrep", ["--version"]).status === 0;

describe.skipIf(!hasPgrep)("bough stopped in a tool ends its children and saves (C075)", () => {
  for (const [signal, code] of SIGNALS) {
    test(signal, async () => {
      await using run = await LocalRun.start([
        // The second one ignores TERM; both are grandchildren.
        bashCall(
          `sleep 47${code}1 & bash -c 'trap "" TERM; sleep 47${code}2' & sleep 47${code}3`,
        ),
        completion("done"),
      ]);
      using child = await run.begin(["-p", "--output", "json", "x"]);
      await child.waitFor(`bash sleep 47${code}1`, { stream: "stderr" });
      while (running(`^sleep 47${code}[123]$`) < 3) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      const started = performance.now();
      child.kill(signal);
      const ended = await child.finished;
      expect(ended.code).toBe(code);
      expect(performance.now() - started).toBeLessThan(2_000);
      expect(running(`^sleep 47${code}[123]$`)).toBe(0);
      expect(JSON.parse(ended.stdout)).toMatchObject({
        ok: false,
        exitCode: code,
        saved: true,
        error: { code: signal },
      });
      // The call has its result, so the session goes on.
      const next = await run.run(["-p", "--continue", "next"]);
      expect({ code: next.code, stdout: next.stdout }).toEqual({ code: 0, stdout: "done\n" });
      const messages = run.server.bodies()[1]?.["messages"];
      const roles = Array.isArray(messages) ? messages.map(({ role }) => role) : [];
      expect(roles).toEqual(["system", "user", "assistant", "tool", "user"]);
    });
  }
});

describe("bough stopped", () => {
  test("while it waits for a retry ends at once and asks no more (C077)", async () => {
    await using run = await LocalRun.start([{
      status: 529,
      headers: { "retry-after": "50" },
      json: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    }]);
    using child = await run.begin(["-p", "--model", "localA/m", "x"]);
    await child.waitFor("asking again in", { stream: "stderr" });
    const started = performance.now();
    child.kill("SIGINT");
    const { code } = await child.finished;
    expect(code).toBe(130);
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(run.server.requests).toHaveLength(1);
    expect(JSON.stringify(run.entries())).toContain('"role":"user"');
  });

  test("while the model answers keeps what it said", async () => {
    const { text } = completion(["half an ", "answer"]);
    const begun = text.slice(0, text.indexOf("data:", text.indexOf("half an ")));
    await using run = await LocalRun.start([{ text: begun, end: "hold" }]);
    using child = await run.begin(["-p", "--stream", "x"]);
    await child.waitFor("half an ");
    child.kill("SIGTERM");
    const { code } = await child.finished;
    expect(code).toBe(143);
    expect(run.entries().at(-1)).toMatchObject({
      message: { role: "assistant", stopReason: "aborted", content: [{ text: "half an " }] },
    });
  });

  test("while the server says nothing ends in time", async () => {
    await using run = await LocalRun.start([{ stall: true, text: "" }]);
    using child = await run.begin(["-p", "x"]);
    await run.server.received(1);
    const started = performance.now();
    child.kill("SIGTERM");
    expect((await child.finished).code).toBe(143);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test("while it compacts says only what is true of the session", async () => {
    await using run = await LocalRun.start({
      rules: [{ ifNoTools: true, stall: true }, completion("done")],
    }, { contextWindow: 30_000 });
    run.settings({ compaction: { reserveTokens: 1_000, keepRecentTokens: 1_000 } });
    const stdin = "a line of text\n".repeat(4_000);
    const begin = () => run.begin(["-p", "--session-id", "s", "--output", "json"], { stdin });
    using first = await begin();
    expect((await first.finished).code).toBe(0);
    const results: unknown[] = [];
    const told: boolean[] = [];
    // After the second answer; then before the third prompt, which is not in the session.
    for (let index = 0; index < 2; index++) {
      using child = await begin();
      await run.server.received(index + 3);
      child.kill("SIGTERM");
      const { stdout, stderr } = await child.finished;
      const { exitCode, text, saved } = JSON.parse(stdout);
      results.push({ exitCode, text, saved });
      told.push(stderr.includes("what was done is saved"));
    }
    expect(results).toEqual([
      { exitCode: 143, text: "done", saved: true },
      { exitCode: 143, text: "", saved: false },
    ]);
    expect(told).toEqual([true, false]);
    expect(run.entries().filter(({ type }) => type === "message")).toHaveLength(4);
  });

  test("while its reader stands still ends in time", async () => {
    await using run = await LocalRun.start([completion("x".repeat(5_000_000))]);
    // The shell holds the pipe open, and reads nothing.
    const script = `mkfifo out; exec 9<>out; bough -p x > out 2> err & pid=$!
      until grep -qsr '"role":"assistant"' $BOUGH_HOME/sessions; do sleep 0.05; done
      start=$(date +%s%N); kill $pid; wait $pid
      echo "$? $(( ($(date +%s%N) - start) / 1000000 ))"`;
    const { stdout } = await run.shell(script);
    const [code, durationMs] = stdout.trim().split(" ").map(Number);
    expect(code).toBe(143);
    expect(durationMs).toBeLessThan(2_000);
  });

  test("twice ends at once", async () => {
    await using run = await LocalRun.start([{ stall: true, text: "" }]);
    using child = await run.begin(["-p", "x"]);
    await run.server.received(1);
    child.kill("SIGTERM");
    child.kill("SIGINT");
    expect([130, 143]).toContain((await child.finished).code ?? 0);
  });
});
