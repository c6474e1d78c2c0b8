import { expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { binaryPath } from "../support/binary.ts";
import { caseDirectory } from "../support/cases.ts";
import { bashCall, completion, LocalRun } from "../support/local_run.ts";
import { runProcess } from "../support/process.ts";
import { noPtyReason, TerminalProcess } from "../support/pty.ts";
import { ReplTerminal } from "../support/repl_terminal.ts";

const ptyTest = test.skipIf(noPtyReason() !== undefined);

const CTRL_C = "\x03";
const CTRL_D = "\x04";

ptyTest("the REPL takes a marked paste of four lines as one prompt (C121)", async () => {
  await using run = await LocalRun.start([completion("done")]);
  using repl = await ReplTerminal.start(run, []);
  await repl.shows(/\n>/);
  expect(repl.modes.has("?2004")).toBe(true);
  const hex = fs.readFileSync(path.join(caseDirectory("C121"), "keys.hex"), "utf8").trim();
  repl.type(Buffer.from(hex, "hex").toString("utf8"));
  await repl.shows("done");
  expect(run.lastMessages()).toEqual(["line one\nline two\n/looks like a command\n\ttabbed"]);
  repl.type(CTRL_D);
  const { code } = await repl.process.finished;
  expect(code).toBe(0);
  // The cursor is shown, and that is all.
  expect([...repl.modes]).toEqual(["?25"]);
});

ptyTest("an end mark within a paste runs nothing of what follows (C121)", async () => {
  await using run = await LocalRun.start([completion("done")]);
  using repl = await ReplTerminal.start(run, []);
  await repl.shows(/\n>/);
  repl.type("\x1b[200~good\x1b[201~!touch ran\r\x1b[201~");
  await repl.shows("!touch ran");
  repl.type("\r");
  await repl.shows("done");
  expect(run.lastMessages()).toEqual(["good!touch ran"]);
  expect(fs.existsSync(path.join(run.temp.cwd, "ran"))).toBe(false);
});

ptyTest("Ctrl-D leaves with code 0 after saving, and the terminal is sane (C123)", async () => {
  await using run = await LocalRun.start([completion("the answer")]);
  const shell = `stty -a > before; "$0"; echo "rc=$?"; stty -a > after`;
  using repl = new TerminalProcess("sh", ["-c", shell, await binaryPath()], { temp: run.temp });
  await repl.waitFor("Ctrl-D leaves");
  repl.type("hello\r");
  await repl.waitFor("$0.");
  repl.type(CTRL_D);
  await repl.waitFor("rc=0");
  await repl.finished;
  const stty = (name: string) => run.temp.read(`work/${name}`);
  expect(stty("after")).toBe(stty("before"));
  expect(stty("after")).toMatch(/[^-]icanon[^]*[^-]echo /);
  expect(run.entries().map(({ type }) => type)).toContain("message");
});

ptyTest(
  "Ctrl-D with text does not leave; Ctrl-C clears it, then Ctrl-D leaves (C123)",
  async () => {
    await using run = await LocalRun.start([completion("never asked")]);
    using repl = await ReplTerminal.start(run, []);
    await repl.shows(/\n>/);
    repl.type("half typed");
    await repl.shows("> half typed");
    repl.type(CTRL_D);
    repl.type("!");
    await repl.shows("> half typed!");
    repl.type(CTRL_C);
    await repl.shows(/\n>\s*$/);
    repl.type(CTRL_D);
    expect((await repl.process.finished).code).toBe(0);
    expect(run.server.requests).toHaveLength(0);
  },
);

ptyTest("a terminal that goes away ends the REPL and its commands (C123)", async () => {
  await using run = await LocalRun.start([bashCall("echo $$ > pid; sleep 300")]);
  const program = await binaryPath();
  // The terminal is closed while the program runs: its processes get a SIGHUP, its reads EIO.
  const script = `
import os, pty, sys, time
child, terminal = pty.fork()
if child == 0: os.execv(sys.argv[1], sys.argv[1:])
seen = b""
while b"leaves" not in seen: seen += os.read(terminal, 65536)
os.write(terminal, b"go\\r")
while not os.path.exists("pid") or not open("pid").read().strip(): os.read(terminal, 65536)
os.close(terminal)
started = time.time()
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), time.time() - started < 5)
`;
  const { stdout } = await runProcess("python3", ["-c", script, program], {
    temp: run.temp,
    env: { TERM: "xterm" },
  });
  expect(stdout.trim()).toBe("129 True");
  const pid = Number(run.temp.read("work/pid"));
  expect(() => process.kill(pid, 0)).toThrow();
}, 25_000);

for (const [signal, code] of [["SIGTERM", 143], ["SIGHUP", 129], ["SIGINT", 130]] as const) {
  ptyTest(`${signal} ends the REPL with ${code}, the terminal given back`, async () => {
    await using run = await LocalRun.start([bashCall("sleep 300")]);
    // In the shell's own group, so that it may use the terminal, and with its stdin.
    const shell = 'exec 3<&0; "$0" <&3 & echo "pid=$!"; wait $!; echo "rc=$?"; stty -a > after';
    using repl = new TerminalProcess("bash", ["-c", shell, await binaryPath()], { temp: run.temp });
    await repl.waitFor("Ctrl-D leaves");
    const pid = Number(/pid=(\d+)/.exec(repl.stdout)?.[1]);
    repl.type("go\r");
    await repl.waitFor("sleep 300");
    process.kill(pid, signal);
    await repl.waitFor(`rc=${code}`);
    await repl.finished;
    expect(run.temp.read("work/after")).toMatch(/[^-]icanon[^]*[^-]echo /);
    expect(repl.stdout.lastIndexOf("\x1b[?2004l")).toBeGreaterThan(
      repl.stdout.lastIndexOf("\x1b[?2004h"),
    );
  }, 20_000);
}

ptyTest("an error that nobody caught ends the REPL with 70, the terminal given back", async () => {
  await using run = await LocalRun.start([]);
  run.temp.write(
    "home/extensions/boom.js",
    `export default (bough) => bough.registerCommand("boom", {
  description: "Throws where nobody catches",
  run() { setTimeout(() => { throw new Error("boom"); }, 0); },
});
`,
  );
  const shell = '"$0"; echo "rc=$?"; stty -a > after';
  using repl = new TerminalProcess("bash", ["-c", shell, await binaryPath()], { temp: run.temp });
  await repl.waitFor("Ctrl-D leaves");
  repl.type("/boom\r");
  await repl.waitFor("rc=70");
  await repl.finished;
  expect(repl.stdout).toContain("there is a bug in Bough");
  expect(run.temp.read("work/after")).toMatch(/[^-]icanon[^]*[^-]echo /);
  expect(repl.stdout.lastIndexOf("\x1b[?2004l")).toBeGreaterThan(
    repl.stdout.lastIndexOf("\x1b[?2004h"),
  );
}, 20_000);

ptyTest("Ctrl-Z gives the shell its terminal back, and fg comes back to the line", async () => {
  await using run = await LocalRun.start([completion("the answer")]);
  using shell = new TerminalProcess("bash", ["--norc", "--noprofile", "-i"], {
    temp: run.temp,
    env: { PROGRAM: await binaryPath() },
  });
  await shell.waitFor(/[#$] $/);
  shell.type('"$PROGRAM"\r');
  await shell.waitFor("Ctrl-D leaves");
  shell.type("half a thought");
  await shell.waitFor("half a thought");
  shell.type("\x1a");
  await shell.waitFor(/Stopped[^]*[#$] $/);
  shell.type("stty -a > suspended; fg\r");
  await shell.waitFor(/fg[^]*half a thought/);
  shell.type(", whole\r");
  await shell.waitFor("the answer");
  shell.type(CTRL_D);
  await shell.waitFor(/Session[^]*[#$] $/);
  shell.type("exit\r");
  await shell.finished;
  expect(run.temp.read("work/suspended")).toMatch(/[^-]icanon[^]*[^-]echo /);
  expect(run.lastMessages()).toEqual(["half a thought, whole"]);
}, 20_000);

ptyTest("Ctrl-Z where no shell could bring the REPL back changes nothing", async () => {
  await using run = await LocalRun.start([completion("the answer")]);
  using repl = await ReplTerminal.start(run, []);
  await repl.shows(/\n>/);
  repl.type("half a thought\x1a");
  await repl.shows(/> half a thought$/);
  // The terminal echoes what comes before it is the REPL's again.
  await repl.process.until(() => repl.process.stdout.split("\x1b[?2004h").length === 3);
  repl.type(", whole\r");
  await repl.shows("the answer");
  repl.type(CTRL_D);
  expect((await repl.process.finished).code).toBe(0);
  expect(run.lastMessages()).toEqual(["half a thought, whole"]);
}, 20_000);

ptyTest(
  "a busy session goes on in a copy if the person wants it, and is told of once",
  async () => {
    await using run = await LocalRun.start([completion("one"), { stall: true, text: "" }]);
    await run.run(["-p", "hello", "--session-id", "taken"]);
    using writer = await run.begin(["-p", "more", "--session-id", "taken"]);
    await run.server.received(2);
    using repl = await ReplTerminal.start(run, ["--session", "taken"]);
    await repl.shows("Go on with a copy of it? y or n");
    repl.send("y");
    await repl.shows(/> more/);
    repl.type(CTRL_D);
    const { code, stdout } = await repl.process.finished;
    expect([code, stdout.split(/is\s+writing\s+it/).length]).toEqual([0, 2]);
    writer.kill();
    await writer.finished;
    expect(run.sessionFiles()).toHaveLength(2);
  },
  20_000,
);

ptyTest("the REPL opens its list with -r, and leaves if nothing is chosen", async () => {
  await using run = await LocalRun.start([completion("about apples")]);
  await run.run(["-p", "apples"]);
  using repl = await ReplTerminal.start(run, ["-r"]);
  await repl.shows("Sessions of this directory (1)");
  repl.type("app\r");
  await repl.shows(/Session [0-9a-f-]{36}\s+> apples\s+about apples/);
  repl.type(CTRL_D);
  expect((await repl.process.finished).code).toBe(0);
  using other = await ReplTerminal.start(run, ["--resume"]);
  await other.shows("Sessions of this directory (1)");
  other.type("\x1b");
  expect((await other.process.finished).code).toBe(0);
  expect(run.sessionFiles()).toHaveLength(1);
});

ptyTest("the REPL says the prompts of the command line first", async () => {
  await using run = await LocalRun.start([completion("one"), completion("two")]);
  run.temp.write("work/notes.md", "remember\n");
  using repl = await ReplTerminal.start(run, ["@notes.md", "first", "second"]);
  await repl.shows(/> first[^]*one[^]*> second[^]*two/);
  expect(run.lastMessages()).toEqual([
    '<file path="notes.md">\nremember\n</file>\n\nfirst',
    "second",
  ]);
});

ptyTest("the REPL on a dumb terminal writes nothing but text", async () => {
  await using run = await LocalRun.start([completion("**bold** answer")]);
  using repl = await ReplTerminal.start(run, [], { env: { TERM: "dumb" } });
  await repl.shows("Ctrl-D leaves");
  repl.send("hello");
  await repl.shows("$0.");
  repl.type(CTRL_D);
  const { code, stdout } = await repl.process.finished;
  expect(code).toBe(0);
  expect(stdout).toContain("**bold** answer");
  expect(stdout).not.toContain("\x1b");
});

ptyTest("Ctrl-C on a plain terminal stops the run, and twice leaves", async () => {
  await using run = await LocalRun.start([{ stall: true }]);
  using repl = await ReplTerminal.start(run, ["--plain"]);
  await repl.shows("Ctrl-D leaves");
  repl.send("go");
  await run.server.received(1);
  repl.type(CTRL_C);
  await repl.shows("Stopped");
  await repl.shows(/\$0\.[^]*\n>/);
  repl.type(CTRL_C);
  const { code } = await repl.process.finished;
  expect(code).toBe(0);
});

ptyTest(
  "a session that another process has goes on as a fork, if the person wants it",
  async () => {
    await using run = await LocalRun.start([completion("one")]);
    using first = await ReplTerminal.start(run, ["hello"]);
    await first.shows("$0.");
    using second = await ReplTerminal.start(run, ["-c"]);
    await second.shows(/is\s+writing\s+it[^]*Go on with a copy of it\? y or n/);
    second.send("y");
    await second.shows(/> hello\s+one/);
    second.type(CTRL_D);
    expect((await second.process.finished).code).toBe(0);
    expect(run.sessionFiles()).toHaveLength(2);
  },
);

ptyTest(
  "a session whose directory is gone goes on here as a fork, if the person wants it (C048)",
  async () => {
    await using run = await LocalRun.start([completion("one"), completion("two")]);
    const gone = run.temp.make("gone");
    await run.run(["-p", "hello", "--session-id", "lost"], { cwd: gone });
    fs.rmSync(gone, { recursive: true });
    const [file = ""] = run.sessionFiles();
    const before = fs.readFileSync(file, "utf8");
    using inside = await ReplTerminal.start(run, []);
    await inside.shows(/\n>/);
    inside.send("/resume lost");
    await inside.shows(/is\s+gone[^]*Go on with a copy of it in/);
    inside.send("y");
    await inside.shows(/> hello\s+one/);
    inside.type(CTRL_D);
    await inside.process.finished;
    using outside = await ReplTerminal.start(run, ["--session", "lost"]);
    await outside.shows(/is\s+gone[^]*Go on with a copy of it in/);
    outside.send("y");
    await outside.shows(/> hello\s+one/);
    outside.send("and on");
    await outside.shows("two");
    outside.type(CTRL_D);
    expect((await outside.process.finished).code).toBe(0);
    expect(fs.readFileSync(file, "utf8")).toBe(before);
    expect(run.sessionFiles()).toHaveLength(3);
    using unwanted = await ReplTerminal.start(run, ["--session", file]);
    await unwanted.shows("Go on with a copy");
    unwanted.send("n");
    expect((await unwanted.process.finished).code).toBe(0);
  },
  20_000,
);

ptyTest("the REPL draws its line anew when the terminal is resized", async () => {
  await using run = await LocalRun.start([completion("never asked")]);
  using repl = await ReplTerminal.start(run, []);
  await repl.shows(/\n>/);
  repl.type("a line that is longer than thirty columns are");
  await repl.shows(/\n> a line that is longer than thirty columns are$/);
  repl.resize(30, 20);
  await repl.shows(/\n> a line that is longer than\n {2}thirty columns are$/);
  repl.resize(80, 20);
  await repl.shows(/\n> a line that is longer than thirty columns are$/);
  expect(repl.text.match(/a line that/g)).toHaveLength(1);
});

ptyTest("a run that the command line began can be left at once", async () => {
  await using run = await LocalRun.start([{ stall: true }]);
  using repl = await ReplTerminal.start(run, ["first", "second"]);
  await run.server.received(1);
  await repl.shows("Working");
  repl.type(CTRL_D);
  expect((await repl.process.finished).code).toBe(0);
  expect(run.server.requests).toHaveLength(1);
});
