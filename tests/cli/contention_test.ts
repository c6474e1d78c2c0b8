import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { verifySession } from "../../lib/session/mod.ts";
import { caseDirectory } from "../support/cases.ts";
import { completion, LocalRun, readLines } from "../support/local_run.ts";
import type { FinishedProcess } from "../support/process.ts";
import { type PlannedAnswer, ScriptedServer } from "../support/scripted_server.ts";

const DONE = completion("done");
const TIMEOUT_MS = 60_000;

/** A run with a session of one turn, all of whose later answers are the plan's. */
async function withSession(plan: PlannedAnswer[]): Promise<{ run: LocalRun; file: string }> {
  const run = await LocalRun.start([DONE, ...plan]);
  const first = await run.run(["-p", "--session-id", "s", "first"]);
  expect(first.code).toBe(0);
  const [file = ""] = run.sessionFiles();
  return { run, file };
}

/** The same command so many times at once, each with a prompt of its own. */
async function atOnce(run: LocalRun, count: number, args: string[]): Promise<FinishedProcess[]> {
  return await Promise.all(
    Array.from({ length: count }, (_, at) => run.run(["-p", ...args, `prompt ${at}`])),
  );
}

/** The prompts of a session, which is one whole chain. */
function promptsOf(file: string): string[] {
  expect(verifySession(file).findings).toEqual([]);
  const prompts: string[] = [];
  let last: unknown = null;
  for (const { id, parentId, message } of readLines(file).slice(1)) {
    expect(parentId).toBe(last);
    last = id;
    if (typeof message !== "object" || message === null || !("role" in message)) continue;
    if (message.role === "user" && "content" in message) {
      prompts.push(JSON.stringify(message.content));
    }
  }
  return prompts;
}

for (const count of [2, 8]) {
  describe(`${count} runs with one session at once`, () => {
    test("--busy wait: all turns are there, in one chain", async () => {
      const { run, file } = await withSession([DONE]);
      await using _run = run;
      const ends = await atOnce(run, count, ["--session", file, "--busy", "wait:50s"]);
      expect(ends.map(({ code, stdout }) => [code, stdout])).toEqual(ends.map(() => [0, "done\n"]));
      const prompts = promptsOf(file).slice(1);
      expect(prompts.toSorted()).toEqual(
        ends.map((_, at) => expect.stringContaining(`prompt ${at}`)),
      );
    }, TIMEOUT_MS);

    test("by default: all but one exit 5 at once and name the holder", async () => {
      const { run, file } = await withSession([{ stall: true }]);
      await using _run = run;
      using holder = await run.begin(["-p", "--session", file, "the holder"]);
      await run.server.received(2);
      const ends = await atOnce(run, count - 1, ["--session", file]);
      for (const { code, stdout, stderr } of ends) {
        expect([code, stdout]).toEqual([5, ""]);
        expect(stderr).toContain(`process ${holder.pid} (bough) on host `);
      }
      expect(run.server.requests.length).toBe(2);
      holder.kill("SIGKILL");
      await holder.finished;
      const listed = await run.run(["session", "verify", file]);
      expect(listed.stdout).toContain("was left by process");
      expect(promptsOf(await unlocked(run, file)).length).toBe(2);
    }, TIMEOUT_MS);

    test("--busy fork: each goes on in a session of its own", async () => {
      const { run, file } = await withSession([{ stall: true }, DONE]);
      await using _run = run;
      using holder = await run.begin(["-p", "--session", file, "the holder"]);
      await run.server.received(2);
      const ends = await atOnce(run, count - 1, ["--session", file, "--busy", "fork"]);
      expect(ends.map(({ code, stdout }) => [code, stdout])).toEqual(ends.map(() => [0, "done\n"]));
      holder.kill("SIGKILL");
      await holder.finished;
      const forks = run.sessionFiles().filter((each) => each !== file);
      const last = forks.map((each) => promptsOf(each).at(-1) ?? "");
      expect(last.toSorted()).toEqual(ends.map((_, at) => expect.stringContaining(`prompt ${at}`)));
    }, TIMEOUT_MS);

    test("--session-id that is new: one session, and no prompt is lost", async () => {
      await using run = await LocalRun.start([DONE]);
      const ends = await atOnce(run, count, ["--session-id", "fresh", "--busy", "wait:50s"]);
      expect(ends.map(({ code, stdout }) => [code, stdout])).toEqual(ends.map(() => [0, "done\n"]));
      const [file = "", ...others] = run.sessionFiles();
      expect(others).toEqual([]);
      expect(promptsOf(file).length).toBe(count);
    }, TIMEOUT_MS);
  });
}

/** A run on a session takes away what a killed one left. */
async function unlocked(run: LocalRun, file: string): Promise<string> {
  const repaired = await run.run(["session", "repair", file]);
  expect(repaired.code).toBe(0);
  return file;
}

test("four runs of the case's slow answer: each is in the file or was refused (C013)", async () => {
  const directory = caseDirectory("C013");
  await using server = await ScriptedServer.serve(directory);
  await using run = await LocalRun.start([DONE]);
  const models = JSON.parse(run.temp.read("home/models.json"));
  models.providers.local.baseUrl = `${server.url}/v1`;
  run.temp.write("home/models.json", JSON.stringify(models));
  const file = run.temp.write("work/session.jsonl", fs.readFileSync(`${directory}/session.jsonl`));
  fs.chmodSync(file, 0o600);
  const ends = await atOnce(run, 4, ["--session", "./session.jsonl"]);
  const kept = promptsOf(file).slice(1);
  for (const [at, { code, stderr }] of ends.entries()) {
    const isKept = kept.some((prompt) => prompt.includes(`prompt ${at}`));
    expect([at, code, isKept]).toEqual([at, isKept ? 0 : 5, isKept]);
    if (!isKept) expect(stderr).toContain("is writing it");
  }
  expect(kept.length).toBeGreaterThan(0);
}, TIMEOUT_MS);
