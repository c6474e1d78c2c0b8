import { describe, expect, test } from "bun:test";
import { completion, LocalRun } from "../support/local_run.ts";

const DONE = completion("done");

describe("bough sends what is piped and what is asked (C067)", () => {
  const rows: [script: string, messages: string[]][] = [
    ["printf 'PIPED line 1\\nPIPED line 2\\n' | bough -p ARGUMENT", [
      "<stdin>\nPIPED line 1\nPIPED line 2\n</stdin>\n\nARGUMENT",
    ]],
    ["printf 'ONLY-PIPED\\n' | bough -p", ["ONLY-PIPED"]],
    ["printf 'ONLY-PIPED\\n' | bough", ["ONLY-PIPED"]],
    ["bough -p -- '-starts with a dash' < /dev/null", ["-starts with a dash"]],
    ["bough -p first second < /dev/null", ["first", "second"]],
    ["printf '\\xef\\xbb\\xbfBOM-TEXT\\r\\n' | bough -p x", [
      "<stdin>\nBOM-TEXT\r\n</stdin>\n\nx",
    ]],
    ["printf 'bad \\xff\\xfe bytes' | bough -p x", [
      "<stdin>\nbad \ufffd\ufffd bytes\n</stdin>\n\nx",
    ]],
    ["(echo LATE; sleep 0.5; echo LATER) | bough -p x", [
      "<stdin>\nLATE\nLATER\n</stdin>\n\nx",
    ]],
    ["bough -p x < notes.txt", ["<stdin>\nnoted\n</stdin>\n\nx"]],
    ["bough -p @notes.txt x < notes.txt", [
      '<file path="notes.txt">\nnoted\n</file>\n\n<stdin>\nnoted\n</stdin>\n\nx',
    ]],
    ["bough -p - x < notes.txt", ["<stdin>\nnoted\n</stdin>\n\nx"]],
    ["bough -p --no-stdin x < notes.txt", ["x"]],
    ["bough -p x <&-", ["x"]],
    ["bough -p x < /dev/zero", ["x"]],
    ["bough -p x < /dev/null & wait $!", ["x"]],
  ];
  for (const [script, messages] of rows) {
    test(script, async () => {
      await using run = await LocalRun.start([DONE]);
      run.temp.write("work/notes.txt", "noted\n");
      const { stdout, code } = await run.shell(script);
      expect({ stdout, code }).toEqual({ stdout: "done\n", code: 0 });
      expect(run.lastMessages()).toEqual(messages);
    });
  }
});

describe("bough does not wait for ever for a stdin that says nothing (C065)", () => {
  test("it gives a socket 3 s, says so, and notes it in the result", async () => {
    await using run = await LocalRun.start([DONE]);
    // Pipes that Node and Bun make for their children are sockets.
    using child = await run.begin(["--output", "json", "x"], { stdin: "open" });
    await child.waitFor("Waiting for data on stdin (a socket), 3 s at most", { stream: "stderr" });
    const { stdout, stderr, code } = await child.finished;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, stdin: "timed out" });
    expect(stderr).toContain("Nothing came on stdin within 3 s: going on without it");
  });

  test("it says what it waits for, and takes what comes late", async () => {
    await using run = await LocalRun.start([DONE]);
    const script = "(sleep 1.5; echo LATE) | bough -p x";
    const { stderr, code } = await run.shell(script);
    expect(code).toBe(0);
    expect(stderr).toContain("Waiting for data on stdin (a pipe), 30 s at most; --no-stdin");
    expect(run.lastMessages()).toEqual(["<stdin>\nLATE\n</stdin>\n\nx"]);
  });

  test("with --no-stdin it does not wait at all", async () => {
    await using run = await LocalRun.start([DONE]);
    using child = await run.begin(["-p", "--no-stdin", "x"], { stdin: "open" });
    const { stdout, stderr, code } = await child.finished;
    expect({ stdout, code }).toEqual({ stdout: "done\n", code: 0 });
    expect(stderr).not.toContain("stdin");
  });

  test("without a prompt it waits, and a signal ends that", async () => {
    await using run = await LocalRun.start([DONE]);
    using child = await run.begin(["-p"], { stdin: "open" });
    await child.waitFor("until it ends; --no-stdin does not read it", { stream: "stderr" });
    child.kill("SIGTERM");
    const { stdout, code } = await child.finished;
    expect({ stdout, code }).toEqual({ stdout: "", code: 143 });
    expect(run.server.requests).toEqual([]);
  });
});

test("bough refuses more on stdin than the limit, and sends nothing", async () => {
  await using run = await LocalRun.start([DONE]);
  const script = "head -c 2000 /dev/zero | tr '\\0' x | bough -p --stdin-max 1k x";
  const { stdout, stderr, code } = await run.shell(script);
  expect({ stdout, code }).toEqual({ stdout: "", code: 2 });
  expect(stderr).toStartWith("bough: Cannot read stdin: there are more than 1000 bytes");
  expect(run.server.requests).toEqual([]);
});

test("bough takes 9 MB on stdin", async () => {
  await using run = await LocalRun.start([DONE]);
  const data = `${"x".repeat(99)}\n`.repeat(90_000);
  const { code } = await run.run(["-p", "x"], { stdin: data });
  expect(code).toBe(0);
  expect(run.lastMessages()[0]?.length).toBe(data.length + "<stdin>\n</stdin>\n\nx".length);
});
