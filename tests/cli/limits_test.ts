import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { bashCall, completion, LocalRun } from "../support/local_run.ts";
import type { PlannedAnswer } from "../support/scripted_server.ts";

const DONE = completion("done");
const begun = completion(["half an ", "answer"]).text;

describe("bough --timeout ends a run that is", () => {
  const rows: [what: string, first: PlannedAnswer][] = [
    ["in a tool", bashCall("echo begun; sleep 4714")],
    [
      "in an answer",
      { text: begun.slice(0, begun.indexOf("data:", begun.indexOf("half an "))), end: "hold" },
    ],
    ["waiting for an answer", { stall: true }],
    ["waiting to ask again", {
      status: 429,
      headers: { "retry-after": "50" },
      json: { error: { message: "slow down" } },
    }],
  ];
  for (const [what, first] of rows) {
    test(what, async () => {
      await using run = await LocalRun.start([first, DONE]);
      const ended = await run.run(["-p", "--timeout", "400ms", "x"]);
      expect({ stdout: ended.stdout, code: ended.code }).toEqual({ stdout: "", code: 6 });
      expect(ended.durationMs).toBeLessThan(2_500);
      expect(ended.stderr).toContain("--timeout 0.4 s is over; what was done is saved, go on with");
      const session = /--session (\S+)\n$/.exec(ended.stderr)?.[1] ?? "none";
      // Nothing is left open: the next prompt works.
      const next = await run.run(["-p", "--session", session, "next"]);
      expect({ stdout: next.stdout, code: next.code }).toEqual({ stdout: "done\n", code: 0 });
      expect(run.sessionFiles()).toHaveLength(1);
      if (what === "in an answer") expect(JSON.stringify(run.entries())).toContain("half an ");
      if (what === "in a tool") {
        expect(JSON.stringify(run.server.bodies()[1]?.["messages"])).toContain('"role":"tool"');
      }
    });
  }

  test("waiting for stdin", async () => {
    await using run = await LocalRun.start([DONE]);
    using child = await run.begin(["-p", "--timeout", "300ms", "--stdin", "x"], { stdin: "open" });
    const { stdout, code } = await child.finished;
    expect({ stdout, code }).toEqual({ stdout: "", code: 6 });
    expect(run.server.requests).toEqual([]);
  });
});

test("bough --max-cost does not run the tools of an answer that was too dear", async () => {
  await using run = await LocalRun.start([bashCall("touch ran"), DONE]);
  const { code } = await run.run(["-p", "--max-cost", "0.02", "x"]);
  expect(code).toBe(6);
  expect(fs.existsSync(run.temp.join("work/ran"))).toBe(false);
  const next = await run.run(["-p", "--continue", "next"]);
  expect(next.code).toBe(0);
});

test("bough --max-turns runs the tools of the last turn, and asks no more", async () => {
  await using run = await LocalRun.start([bashCall("touch ran"), DONE]);
  const { code } = await run.run(["-p", "--max-turns", "1", "x"]);
  expect(code).toBe(6);
  expect(fs.existsSync(run.temp.join("work/ran"))).toBe(true);
  expect(run.server.requests).toHaveLength(1);
});
