import { expect, test } from "bun:test";
import { TempDirectory } from "../../support/temp.ts";
import { verbRun } from "../../support/verb_run.ts";
import { WRITTEN_ID, writtenSession } from "../../support/written_session.ts";

test("session compact asks no model once a signal has come", async () => {
  using temp = new TempDirectory();
  const said = [["you", "One"], ["model", "Two"], ["you", "Three"], ["model", "Four"]] as const;
  const file = temp.write(
    "home/sessions/a.jsonl",
    writtenSession({ id: WRITTEN_ID, cwd: temp.cwd, said }),
  );
  const before = temp.read("home/sessions/a.jsonl");
  const reason = new Error("stopped");
  const run = verbRun(temp, ["session", "compact", WRITTEN_ID, "--model", `replay:${file}`], {
    signal: AbortSignal.abort(reason),
  });
  await expect(run).rejects.toBe(reason);
  expect(temp.read("home/sessions/a.jsonl")).toBe(before);
});

test("session export takes an output with any number of backticks", async () => {
  using temp = new TempDirectory();
  const output = `${"` ".repeat(3_000_000)}\n\`\`\`\``;
  temp.write(
    "home/sessions/a.jsonl",
    writtenSession({ id: WRITTEN_ID, cwd: temp.cwd, said: [["you", "Go"], ["tool", output]] }),
  );
  const { code, stdout } = await verbRun(temp, ["session", "export", WRITTEN_ID]);
  expect([code, stdout.endsWith("\n`````\n")]).toEqual([0, true]);
});
