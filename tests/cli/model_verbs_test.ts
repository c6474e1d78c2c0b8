import { describe, expect, test } from "bun:test";
import * as path from "node:path";
import { completion, LocalRun, readLines } from "../support/local_run.ts";
import { writtenSession } from "../support/written_session.ts";

const ID = "0195a000-0000-7000-8000-0000000000aa";

/** A session of the run's directory: e1 to e4, and e5, e6 on e2. Its last answer took 100 tokens. */
function write(run: LocalRun, long = "text"): string {
  return run.temp.write(
    "home/sessions/a.jsonl",
    writtenSession({
      cwd: run.temp.cwd,
      said: [["you", "One"], ["model", `Two ${long}`], ["you", "Three"], ["model", "Four"]],
    }),
  );
}

describe("bough session compact", () => {
  test("asks the model for a summary, writes it and prints its entry", async () => {
    await using run = await LocalRun.start([completion("## Goal\nThe summary.")]);
    run.settings({ compaction: { keepRecentTokens: 1 } });
    const file = write(run, "word ".repeat(2000));
    const { stdout, code } = await run.run(["session", "compact", ID, "--json", "keep", "names"]);
    expect(code).toBe(0);
    const told = JSON.parse(stdout);
    const last = readLines(file).findLast(({ type }) => type === "compaction");
    expect(told).toMatchObject({ entryId: last?.["id"], summary: last?.["summary"] });
    expect(told.summary).toContain("The summary.");
    expect(JSON.stringify(run.server.bodies()[0])).toContain("keep names");
  });

  test("says why it cannot, and writes nothing", async () => {
    await using run = await LocalRun.start([{ status: 500, json: { error: { message: "down" } } }]);
    run.settings({ compaction: { keepRecentTokens: 1 } });
    const file = write(run, "word ".repeat(2000));
    const before = run.temp.read(path.relative(run.temp.path, file));
    const { stdout, stderr, code } = await run.run(["session", "compact", ID]);
    expect({ stdout, code }).toEqual({ stdout: "", code: 1 });
    expect(stderr).toContain("down");
    expect(run.temp.read(path.relative(run.temp.path, file))).toBe(before);
  });

  test("does not ask where there is nothing to compact", async () => {
    await using run = await LocalRun.start([completion("no")]);
    const session = { cwd: run.temp.cwd, entries: [{ type: "session_info", name: "x" }] };
    run.temp.write("home/sessions/a.jsonl", writtenSession(session));
    const { stdout, stderr, code } = await run.run(["session", "compact", ID]);
    expect({ stdout, code, asked: run.server.bodies().length }).toEqual({
      stdout: "",
      code: 2,
      asked: 0,
    });
    expect(stderr).toBe(
      "bough: Compacting the context\n" +
        "bough: Cannot compact: the conversation is short enough to be kept as it is.\n",
    );
  });

  test("refuses --busy fork, which would compact another session", async () => {
    await using run = await LocalRun.start([]);
    write(run);
    const { code, stderr } = await run.run(["session", "compact", ID, "--busy", "fork"]);
    expect([code, stderr]).toEqual([
      2,
      'bough: Cannot use --busy fork with "session compact": it is about this session alone; ' +
      "use fail or wait\n",
    ]);
  });
});

describe("bough session move --summarize", () => {
  test("puts a summary of the branch that is left where the leaf goes", async () => {
    await using run = await LocalRun.start([completion("They went astray.")]);
    const file = write(run);
    const { stdout, code } = await run.run(["session", "move", ID, "e2", "--summarize", "--json"]);
    expect(code).toBe(0);
    const last = readLines(file).at(-1);
    expect(last).toMatchObject({ type: "branch_summary", parentId: "e2", fromId: "e4" });
    expect(JSON.parse(stdout)).toEqual({
      cancelled: false,
      leafId: last?.["id"],
      summaryEntryId: last?.["id"],
    });
  });

  test("goes to the very entry, also where that is a person's", async () => {
    await using run = await LocalRun.start([completion("They went on.")]);
    const file = write(run);
    expect((await run.run(["session", "move", ID, "e3", "--summarize"])).code).toBe(0);
    expect(readLines(file).at(-1)).toMatchObject({ type: "branch_summary", parentId: "e3" });
  });
});
