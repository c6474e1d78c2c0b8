import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { bashCall, completion, LocalRun } from "../support/local_run.ts";

const DONE = completion("done");

describe("bough works", () => {
  const rows: [what: string, script: string][] = [
    ["without HOME, USER and PATH", 'b=$(command -v bough); env -u HOME -u USER PATH= "$b" -p x'],
    ["with an empty environment", 'b=$(command -v bough); env -i BOUGH_HOME=$BOUGH_HOME "$b" -p x'],
    ["in the C locale", "LANG=C LC_ALL=C bough -p x"],
    ["with 64 descriptors", "ulimit -n 64; bough -p x"],
    ["with TERM=dumb and NO_COLOR", "TERM=dumb NO_COLOR=1 bough -p x"],
    ["where its settings are ignored", "bough -p --bare --model local/m x"],
    ["where nothing but sessions can be kept", "bough -p --session-dir ../elsewhere x"],
  ];
  for (const [what, script] of rows) {
    test(what, async () => {
      await using run = await LocalRun.start([DONE]);
      const { stdout, stderr, code } = await run.shell(`${script} < /dev/null`);
      expect({ stdout, code, stderr: code === 0 ? "" : stderr }).toEqual({
        stdout: "done\n",
        code: 0,
        stderr: "",
      });
    });
  }

  test("in a directory that is deleted while it runs", async () => {
    await using run = await LocalRun.start([bashCall("rmdir $PWD"), DONE]);
    const cwd = run.temp.make("gone");
    const { stdout, code } = await run.run(["-p", "x"], { cwd });
    expect({ stdout, code }).toEqual({ stdout: "done\n", code: 0 });
  });
});

describe("bough fails with the right code", () => {
  test("where its home is a file", async () => {
    await using run = await LocalRun.start([DONE]);
    const file = run.temp.write("home-file", "");
    const { stdout, stderr, code } = await run.run(["-p", "x"], { env: { BOUGH_HOME: file } });
    expect(stdout).toBe("");
    expect([3, 4]).toContain(code ?? 0);
    expect(stderr).toStartWith("bough: Cannot");
  });

  test("where sessions cannot be kept, before the model is asked", async () => {
    await using run = await LocalRun.start([DONE]);
    fs.writeFileSync(run.sessions, "");
    const { stdout, stderr, code } = await run.run(["-p", "x"]);
    expect({ stdout, code }).toEqual({ stdout: "", code: 4 });
    expect(stderr).toStartWith("bough: Cannot");
    expect(run.server.requests).toEqual([]);
  });

  test("for a directory that is not there", async () => {
    await using run = await LocalRun.start([DONE]);
    const { stderr, code } = await run.run(["-p", "--cwd", "gone", "x"]);
    expect(code).toBe(4);
    expect(stderr).toContain("gone");
  });
});

describe("bough --busy", () => {
  /** Runs `script` while another run has the session `s`, whose answer takes a second. */
  async function whileBusy(script: string) {
    const run = await LocalRun.start([{ ...DONE, delayMs: 1_000 }, completion("second")]);
    const asked = run.temp.join("work/asked");
    void run.server.received(1).then(() => fs.writeFileSync(asked, "yes"));
    const ended = await run.shell(
      "bough -p --session-id s first > /dev/null 2>&1 & " +
        `until [ -s asked ]; do sleep 0.02; done; ${script}`,
    );
    return { run, ended };
  }

  test("wait: goes on once the other has ended", async () => {
    const { run, ended } = await whileBusy("bough -p --session-id s --busy wait:20s next");
    await using _run = run;
    expect({ stdout: ended.stdout, code: ended.code }).toEqual({ stdout: "second\n", code: 0 });
    expect(ended.stderr).toContain("bough: Waiting for the session");
    expect(run.sessionFiles()).toHaveLength(1);
  });

  test("wait: gives up after its time", async () => {
    const { run, ended } = await whileBusy("bough -p --session-id s --busy wait:100ms next");
    await using _run = run;
    expect({ stdout: ended.stdout, code: ended.code }).toEqual({ stdout: "", code: 5 });
  });

  test("wait: a signal ends it", async () => {
    const { run, ended } = await whileBusy(
      "bough -p --session-id s --busy wait next 2> err & pid=$!; " +
        "until grep -q Waiting err; do sleep 0.02; done; kill $pid; wait $pid",
    );
    await using _run = run;
    expect(ended.code).toBe(143);
  });

  test("fork: goes on in a session of its own", async () => {
    const { run, ended } = await whileBusy("bough -p --session-id s --busy fork next; wait");
    await using _run = run;
    expect({ stdout: ended.stdout, code: ended.code }).toEqual({ stdout: "second\n", code: 0 });
    expect(run.sessionFiles()).toHaveLength(2);
  });
});
