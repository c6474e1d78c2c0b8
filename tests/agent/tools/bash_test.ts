import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { ProcessGroups } from "../../../lib/agent/mod.ts";
import { ToolBench } from "../../support/tools.ts";

/** Starts a call; `said` resolves when its updates contain a text. */
function started(bench: ToolBench, command: string, text: string, more: { timeout?: number } = {}) {
  const controller = new AbortController();
  const { promise: said, resolve } = Promise.withResolvers<void>();
  let output = "";
  const result = bench.call("bash", { command, ...more }, {
    signal: controller.signal,
    onUpdate: ({ content }) => {
      output += content.map((block) => block.type === "text" ? block.text : "").join("");
      if (output.includes(text)) resolve();
    },
  });
  return { result, said, abort: () => controller.abort() };
}

/** Whether a process is there and no zombie. */
function isAlive(pid: number): boolean {
  if (process.platform === "linux") {
    const stat = fs.existsSync(`/proc/${pid}/stat`)
      ? fs.readFileSync(`/proc/${pid}/stat`, "utf8")
      : "";
    return stat !== "" && !/\) [ZX] /.test(stat);
  }
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const results: [title: string, command: string, text: string][] = [
  ["gives stdout and stderr", "echo out; echo err >&2; wait", "out\nerr"],
  ["says that there was no output", "true", "(no output)"],
  ["keeps the output of a command that fails", "echo before; exit 3", "before\n\nExit code: 3"],
  ["gives a command no stdin", "cat; echo end", "end"],
  [
    "takes colours and other control sequences out",
    "printf '\\033[1;31mred\\033[0m \\033]0;title\\007\\001x\\b\\n'",
    "red x",
  ],
  ["makes a line of each carriage return", "printf '10%%\\r20%%\\r\\ndone'", "10%\n20%\ndone"],
  ["marks bytes that are no UTF-8", "printf 'a\\xff\\xfeb'", "a\ufffd\ufffdb"],
  ["takes several lines", "for i in 1 2; do\n  echo $i\ndone", "1\n2"],
  ["runs in the session's directory", 'basename "$PWD"', "work"],
];
for (const [title, command, text] of results) {
  test(`bash ${title}`, async () => {
    using bench = new ToolBench();
    expect((await bench.call("bash", { command })).text).toBe(text);
  });
}

test("bash asks for the environment at each call, and drops what is meant for our runtime", async () => {
  let model = "first";
  const { PATH } = process.env;
  using bench = new ToolBench({
    env: () => ({ PATH, BOUGH_MODEL: model, BUN_OPTIONS: "--version", BUN_BE_BUN: "1" }),
  });
  const command = 'echo "$BOUGH_MODEL ${BUN_OPTIONS-none} ${BUN_BE_BUN-none}"';
  const first = await bench.call("bash", { command });
  model = "second";
  const second = await bench.call("bash", { command });
  expect([first.text, second.text]).toEqual(["first none none", "second none none"]);
});

test("bash tells output as it comes, each piece once", async () => {
  using bench = new ToolBench();
  const command = "echo one; touch told; until [ -e go ]; do :; done; echo two";
  const call = started(bench, command, "one");
  await call.said;
  bench.write("go", "");
  const { updates, text } = await call.result;
  expect([text, updates]).toEqual(["one\ntwo", ["one\n", "two\n"]]);
});

test("bash joins a character that arrives in two pieces", async () => {
  using bench = new ToolBench();
  const command =
    "printf 'a\\xf0\\x9f'; printf x >&2; until [ -e go ]; do :; done; printf '\\xa6\\x80b'";
  const call = started(bench, command, "x");
  await call.said;
  bench.write("go", "");
  const { text } = await call.result;
  expect([...text].toSorted()).toEqual(["a", "b", "x", "🦀"]);
});

test("bash loses no byte of output that comes right before the end", async () => {
  using bench = new ToolBench();
  for (let i = 0; i < 20; i++) {
    const { result } = await bench.call("bash", { command: "seq 1 60000" });
    const file = /"fullOutputPath":"([^"]+)"/.exec(JSON.stringify(result.details))?.[1] ?? "";
    expect(fs.readFileSync(file, "utf8").split("\n").length).toBe(60_001);
  }
});

test("bash bounds what one update carries", async () => {
  using bench = new ToolBench();
  const { updates } = await bench.call("bash", { command: "seq 1 300000" });
  expect(Math.max(...updates.map((text) => text.length))).toBeLessThan(17_000);
  expect(updates.at(-1)).toEndWith("300000\n");
});

test("bash makes no file for output that fits, nor for one that is only control characters", async () => {
  using bench = new ToolBench();
  await bench.call("bash", { command: "seq 1 100" });
  const { text } = await bench.call("bash", { command: "head -c 3000000 /dev/zero; echo end" });
  expect([text, fs.readdirSync(bench.temp.join("tmp"))]).toEqual(["end", []]);
});

test("an abort ends a command with all that it started, also what ignores TERM", async () => {
  using bench = new ToolBench();
  const command =
    "trap '' TERM; (trap '' TERM; echo $BASHPID; while :; do sleep 0.05; done) & echo $$; echo ready; while :; do sleep 0.05; done";
  const call = started(bench, command, "ready");
  await call.said;
  call.abort();
  const { text, isError, result } = await call.result;
  const pids = text.match(/^\d+$/gm)?.map(Number) ?? [];
  expect({ isError, details: result.details, pids: pids.length, alive: pids.filter(isAlive) })
    .toEqual({
      isError: true,
      details: { truncated: false },
      pids: 2,
      alive: [],
    });
  expect(text).toEndWith("\n\nThe command was aborted; it and what it started were ended.");
});

test("an abort before the start runs nothing", async () => {
  using bench = new ToolBench();
  const called = await bench.call("bash", { command: "touch ran" }, {
    signal: AbortSignal.abort(),
  });
  expect([called.isError, fs.readdirSync(bench.cwd)]).toEqual([true, []]);
});

test("a timeout ends a command with all that it started, and keeps its output", async () => {
  using bench = new ToolBench();
  const command = "echo $$; sleep 60 & echo $!; wait";
  const { text, isError } = await bench.call("bash", { command, timeout: 0.3 });
  const pids = text.match(/^\d+$/gm)?.map(Number) ?? [];
  expect([isError, pids.length, pids.filter(isAlive)]).toEqual([true, 2, []]);
  expect(text).toEndWith(
    "\n\nThe command did not end within 0.3 s; it and what it started were ended.",
  );
});

test("a timeout does not count for what a command leaves running", async () => {
  using bench = new ToolBench();
  const command = "(for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.1; echo; done) & echo done";
  const { isError, text } = await bench.call("bash", { command, timeout: 0.7 });
  expect([isError, text.trim()]).toEqual([false, "done"]);
});

test("killAll() ends running commands with what they started (case C075)", async () => {
  const processes = new ProcessGroups();
  using bench = new ToolBench({ processes });
  const calls = ["4711", "4712"].map((seconds) =>
    started(bench, `sleep ${seconds} & echo $!; echo $$; echo ready; sleep ${seconds}`, "ready")
  );
  await Promise.all(calls.map((call) => call.said));
  expect(processes.size).toBe(2);
  processes.killAll();
  const ended = await Promise.all(calls.map((call) => call.result));
  const pids = ended.flatMap(({ text }) => text.match(/^\d+$/gm)?.map(Number) ?? []);
  expect(ended.map(({ text }) => text.endsWith("Exit code: 137"))).toEqual([true, true]);
  expect([pids.length, pids.filter(isAlive), processes.size]).toEqual([4, [], 0]);
});

test("stopAll() asks first, then ends what does not listen (case C075)", async () => {
  const processes = new ProcessGroups();
  using bench = new ToolBench({ processes });
  const polite = started(
    bench,
    "exec 2>&-; trap 'echo bye; exit 4' TERM; echo ready; while :; do sleep 0.05; done",
    "ready",
  );
  const deaf = started(bench, "trap '' TERM; echo ready; while :; do sleep 0.05; done", "ready");
  await Promise.all([polite.said, deaf.said]);
  await processes.stopAll();
  expect([(await polite.result).text, (await deaf.result).text]).toEqual([
    "ready\nbye\n\nExit code: 4",
    "ready\n\nExit code: 137",
  ]);
});

const problems: [title: string, options: object, command: string, text: string][] = [
  [
    "a shell that is not there",
    { shell: "/no-such-directory/zsh" },
    "true",
    "Cannot run the command: there is no shell /no-such-directory/zsh. Install it, or set shellPath in the settings.",
  ],
  [
    "a directory that is gone",
    { cwd: "/no-such-directory/project" },
    "true",
    "Cannot run the command: the directory /no-such-directory/project is gone. Make it again first.",
  ],
  ["a NUL in the command", {}, "echo a\0b", "Cannot run the command: it contains a NUL character."],
  [
    "a command that is too long",
    {},
    `: ${"x".repeat(3_000_000)}`,
    "Cannot run the command: it is too long. Write it to a file first, and run that.",
  ],
];
for (const [title, options, command, text] of problems) {
  test(`bash says what is wrong with ${title}`, async () => {
    using bench = new ToolBench(options);
    const called = await bench.call("bash", { command });
    expect([called.isError, called.text]).toEqual([true, text]);
  });
}

test("bash runs on where the whole output cannot be kept, and says so", async () => {
  using bench = new ToolBench({ temporaryDirectory: "/dev/null/none" });
  const { text, isError } = await bench.call("bash", { command: "seq 1 5000" });
  expect(isError).toBe(false);
  expect(text).toContain("5000\n\n[Lines 3001-5000 of 5000 are shown");
  expect(text).toContain("The file for the whole output is not complete: ENOTDIR");
});

test("bash takes no time limit that is none", async () => {
  using bench = new ToolBench();
  for (const timeout of [0, -1, "soon"]) {
    expect((await bench.call("bash", { command: "true", timeout })).isError).toBe(true);
  }
  expect((await bench.call("bash", { command: "echo a", timeout: "5" })).text).toBe("a");
});
