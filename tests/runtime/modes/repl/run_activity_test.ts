import { expect, test } from "bun:test";
import type { Timer } from "../../../../lib/agent/mod.ts";
import { RunActivity } from "../../../../lib/runtime/modes/repl/run_activity.ts";
import { textOfRow } from "../../../../lib/runtime/modes/repl/styled.ts";

/** What is shown so many milliseconds after the beginning, without the spinner. */
function activity(columns = 60): { of: RunActivity; at: (ms: number) => string[] } {
  let now = 0;
  const timer: Timer = { now: () => now, sleep: () => new Promise(() => {}) };
  const of = new RunActivity(timer, () => {});
  return {
    of,
    at(ms) {
      now = ms;
      return of.rows(columns, false).map((row) => textOfRow(row).replace(/^[⠀-⣿] /, ""));
    },
  };
}

test("RunActivity counts down the wait before a retry", () => {
  const { of, at } = activity();
  of.observe({
    type: "auto_retry_start",
    attempt: 2,
    maxAttempts: 3,
    delayMs: 4_200,
    errorMessage: "overloaded",
  });
  expect([0, 3_000, 4_500].map((ms) => at(ms))).toEqual([
    ["Asking again in 5 s (2 of 3) · Ctrl-C stops"],
    ["Asking again in 2 s (2 of 3) · Ctrl-C stops"],
    ["Asking again in 1 s (2 of 3) · Ctrl-C stops"],
  ]);
});

test("RunActivity shows a command of the person from its beginning to its end, beside a run", () => {
  const { of, at } = activity();
  of.begin("Working");
  const end = of.beginShell("make");
  expect(at(10)).toEqual(["!make"]);
  of.observe({ type: "bash_execution_update", delta: "cc a.c\ncc b.c\n" });
  expect(at(2_000)).toEqual(["!make  2 s", "  cc b.c"]);
  of.observe({ type: "agent_settled", aborted: false });
  expect(at(3_000)).toEqual(["!make  3 s", "  cc b.c"]);
  end();
  expect(at(4_000)).toEqual([]);
});

test("RunActivity cuts what a call does, and never how long it takes", () => {
  const { of, at } = activity(24);
  of.observe({
    type: "tool_execution_start",
    toolCallId: "c",
    toolName: "bash",
    args: { command: "for i in 1 2 3; do sleep 1; done" },
  });
  expect(at(61_000)).toEqual(["bash for i in 1…  61 s"]);
});
