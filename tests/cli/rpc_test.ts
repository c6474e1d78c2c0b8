import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { completion, LocalRun, readLines } from "../support/local_run.ts";
import type { RunningProcess } from "../support/process.ts";
import type { RpcRecord } from "../support/rpc_talk.ts";

const HELLO = completion("Hello.");

/** The records so far; each must be a line of JSON. */
function records({ stdout }: { stdout: string }): RpcRecord[] {
  return stdout.slice(0, stdout.lastIndexOf("\n") + 1).split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

function send(run: RunningProcess, ...commands: RpcRecord[]): void {
  run.write(commands.map((command) => `${JSON.stringify(command)}\n`).join(""));
}

/** Waits for the answer to the command with this id. */
async function answer(run: RunningProcess, id: string): Promise<RpcRecord> {
  await run.waitFor(new RegExp(`^\\{"type":"response","id":"${id}".*\\n`, "m"));
  const found = records(run).find((record) => record["type"] === "response" && record["id"] === id);
  if (!found) throw new Error(`There is no answer ${id}.`);
  return found;
}

describe("--mode rpc", () => {
  test("answers, tells what happens and keeps the session", async () => {
    await using local = await LocalRun.start([HELLO]);
    using run = await local.begin(["--mode", "rpc", "--quiet", "--name", "talk"], {
      stdin: "open",
    });
    send(run, { id: "p", type: "prompt", message: "Hi" });
    await run.waitFor('"type":"result"');
    send(run, { id: "s", type: "get_state" });
    const state = await answer(run, "s");
    run.end();
    const { code, stderr } = await run.finished;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const told = records(run);
    expect(told[0]).toMatchObject({ type: "session", version: 3 });
    expect(told.find(({ type }) => type === "result")).toMatchObject({
      id: "p",
      ok: true,
      saved: true,
      text: "Hello.",
    });
    expect(state["data"]).toMatchObject({
      sessionName: "talk",
      sessionFile: `${local.sessionFiles()[0]}`,
      model: { provider: "local", id: "m" },
      tools: ["read", "bash", "edit", "write", "grep", "find", "ls"],
    });
    expect(local.entries().at(-1)).toMatchObject({ message: { role: "assistant" } });
  });

  test("goes on with a session, in its own directory, and switches to another", async () => {
    await using local = await LocalRun.start([HELLO]);
    const there = local.temp.make("there");
    await local.run(["-p", "--session-id", "first", "one"], { cwd: there });
    await local.run(["-p", "--session-id", "second", "two"]);
    using run = await local.begin(["--mode", "rpc", "--session", "second"], { stdin: "open" });
    send(run, { id: "w", type: "switch_session", session: "first" });
    await answer(run, "w");
    send(run, { id: "b", type: "bash", command: "pwd" }, { id: "m", type: "get_messages" });
    expect(await answer(run, "b")).toMatchObject({ data: { output: there } });
    expect(JSON.stringify(await answer(run, "m"))).toContain('"one"');
    // The one that was left can be written by others.
    expect((await local.run(["-p", "--session", "second", "more"])).code).toBe(0);
    expect((await local.run(["-p", "--session", "first", "more"])).code).toBe(5);
    send(run, { type: "shutdown" });
    expect((await run.finished).code).toBe(0);
    const headers = records(run).filter(({ type }) => type === "session").map(({ id }) => id);
    expect(headers).toEqual(["second", "first"]);
  });

  test.each(
    [
      ["SIGTERM", 143],
      ["SIGINT", 130],
      ["SIGHUP", 129],
    ] as const,
  )(
    "%s aborts what goes on, saves it, and ends with %d",
    async (signal: NodeJS.Signals, code: number) => {
      await using local = await LocalRun.start([{ stall: true }]);
      using run = await local.begin(["--mode", "rpc"], { stdin: "open" });
      send(run, { id: "p", type: "prompt", message: "Hi" });
      send(run, { id: "b", type: "bash", command: "echo begun; trap '' TERM; sleep 100" });
      await run.waitFor('"delta":"begun');
      await local.server.received(1);
      const sent = performance.now();
      run.kill(signal);
      const finished = await run.finished;
      expect(finished.code).toBe(code);
      expect(performance.now() - sent).toBeLessThan(2_500);
      expect(local.entries().some((entry) => JSON.stringify(entry).includes('"Hi"'))).toBe(true);
    },
  );

  test("a prompt that stdin ends behind is aborted, and answered all the same", async () => {
    await using local = await LocalRun.start([{ stall: true }]);
    using run = await local.begin(["--mode", "rpc"], { stdin: "open" });
    send(run, { id: "p", type: "prompt", message: "Hi" });
    await local.server.received(1);
    run.end();
    expect((await run.finished).code).toBe(0);
    expect(records(run).find(({ type }) => type === "result")).toMatchObject({
      id: "p",
      ok: false,
      exitCode: 130,
    });
  });

  test("without a stdin it says which session it is, and ends", async () => {
    await using local = await LocalRun.start([HELLO]);
    const { code, stdout } = await local.run(["--mode", "rpc"]);
    expect({ code, records: records({ stdout }) }).toEqual({
      code: 0,
      records: [expect.objectContaining({ type: "session" })],
    });
    // Nothing was said, so nothing is kept.
    expect(local.sessionFiles()).toEqual([]);
  });

  test("what keeps it from starting is told on both outputs", async () => {
    await using local = await LocalRun.start([HELLO]);
    const run = await local.run(["--mode", "rpc", "--model", "nobody/nothing"], { stdin: "" });
    expect(run.code).toBe(3);
    expect(records(run)).toEqual([
      expect.objectContaining({ type: "result", ok: false, exitCode: 3 }),
    ]);
    expect(run.stderr).toStartWith('bough: Cannot use the model "nobody/nothing"');
  });

  test("a prompt on the command line is a usage error", async () => {
    await using local = await LocalRun.start([HELLO]);
    const { code, stderr } = await local.run(["--mode", "rpc", "Hi"], { stdin: "" });
    expect(code).toBe(2);
    expect(stderr).toContain("prompts come as commands on stdin");
  });

  test("a reader that leaves ends it with 141, and nothing is lost", async () => {
    await using local = await LocalRun.start([HELLO]);
    const script = `printf '%s\\n' '{"type":"set_session_name","name":"x"}' ` +
      `'{"type":"prompt","message":"Hi"}' | { cat; sleep 1; } | bough --mode rpc | head -n 1`;
    const { stdout, stderr } = await local.shell(`${script}; echo "\${PIPESTATUS[2]}"`);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe("141");
    expect(stderr).not.toContain("    at ");
  });
});

describe("over many commands", () => {
  let local: LocalRun;
  beforeAll(async () => {
    local = await LocalRun.start([completion("x".repeat(100_000))]);
  });
  afterAll(async () => await local[Symbol.asyncDispose]());

  test("each of a thousand is answered once, in order, to a slow reader as well", async () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `c${index}`);
    const commands = ids.map((id, index) =>
      index % 100 === 50
        ? `{"id":"${id}","broken`
        : JSON.stringify({ id, type: index % 2 ? "get_state" : "get_tree" })
    );
    const input = local.temp.write("commands", `${commands.join("\n")}\n`);
    const out = local.temp.join("out");
    const { code } = await local.shell(
      `bough --mode rpc --no-session < ${input} | (sleep 1; cat) > ${out}`,
    );
    expect(code).toBe(0);
    const answers = readLines(out).filter(({ type }) => type === "response");
    expect(answers.map(({ id }) => id ?? null)).toEqual(
      ids.map((id, index) => index % 100 === 50 ? null : id),
    );
    fs.rmSync(out);
  });
});
