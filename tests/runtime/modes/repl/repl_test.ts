import { expect, test } from "bun:test";
import * as fs from "node:fs";
import type { Tool } from "../../../../lib/agent/mod.ts";
import { textOf } from "../../../../lib/session/mod.ts";
import { ReplRig } from "../../../support/repl_rig.ts";
import { scriptedModel } from "../../../support/scripted_model.ts";
import { TempDirectory } from "../../../support/temp.ts";

const CTRL_C = "\x03";
const CTRL_D = "\x04";
const ESCAPE = "\x1b";

/** What the last request says last. */
function lastText(model: ReturnType<typeof scriptedModel>): string {
  const message = model.requests.at(-1)?.messages.at(-1);
  return message && "content" in message ? textOf(message.content) : "";
}

/** A tool whose call ends when the test says so. */
function waitingTool(): { wait: Tool; held: { resolve: () => void } } {
  const held = Promise.withResolvers<void>();
  const wait: Tool = {
    name: "wait",
    description: "",
    parameters: { type: "object" },
    async execute() {
      await held.promise;
      return { content: [{ type: "text", text: "waited" }] };
    },
  };
  return { wait, held };
}

test("Repl answers a prompt, shows it and waits for the next", async () => {
  const model = scriptedModel([{ text: "Hello **you**." }]);
  await using rig = await ReplRig.start(model);
  await rig.shows("/help shows the commands");
  rig.send("hello");
  await rig.shows(/\$0\.00/);
  expect(rig.text.split("\n").slice(2)).toEqual([
    "",
    "> hello",
    "",
    "Hello you.",
    "",
    "test/scripted · 0% of 200k · 0 in 0 out · $0.00",
    ">",
  ]);
});

test("Repl takes marked paste and backslash lines as one prompt", async () => {
  const model = scriptedModel([{ text: "ok" }, { text: "ok" }]);
  await using rig = await ReplRig.start(model);
  rig.type("\x1b[200~one\r/quit\rthree\x1b[201~");
  await rig.shows("three");
  rig.type("\r");
  await model.asked(1);
  expect(lastText(model)).toBe("one\n/quit\nthree");
  await rig.shows("$0.00");
  rig.send("first \\");
  rig.send("second");
  await model.asked(2);
  expect(lastText(model)).toBe("first \nsecond");
});

test("Repl sends the whole of a long paste, and shows a sign for it", async () => {
  const model = scriptedModel([{ text: "ok" }]);
  await using rig = await ReplRig.start(model);
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");
  rig.type(`look: \x1b[200~${lines}\x1b[201~`);
  await rig.shows("look: [paste 1: 40 lines]");
  rig.type("\r");
  await model.asked(1);
  expect(lastText(model)).toBe(`look: ${lines}`);
});

test("Repl steers with what is typed during a run, shows the queue, and follows up later", async () => {
  const { wait, held } = waitingTool();
  const model = scriptedModel([
    { calls: [{ id: "c1", name: "wait" }] },
    { text: "steered" },
    { text: "followed" },
  ]);
  await using rig = await ReplRig.start(model, { session: { tools: [wait] } });
  rig.send("go");
  await rig.shows(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] wait/);
  rig.send("left, please");
  rig.send("/later and then right");
  await rig.shows("later: and then right");
  expect(rig.text).toContain("next: left, please");
  rig.send("/tree");
  await rig.shows("Cannot run /tree while the model works");
  await rig.shows("> /tree");
  rig.type("\x15");
  held.resolve();
  await rig.shows("followed");
  await rig.shows("$0.00");
  expect(rig.text.split("\n").slice(5)).toEqual([
    "> /later and then right",
    "",
    "Cannot run /tree while the model works: Ctrl-C stops it, or wait for its end",
    "",
    "● wait",
    "  waited",
    "",
    "> left, please",
    "",
    "steered",
    "",
    "> and then right",
    "",
    "followed",
    "",
    "test/scripted · 0% of 200k · 0 in 0 out · $0.00",
    ">",
  ]);
});

test("Ctrl-C stops the run, keeps what was said, and gives the queue back", async () => {
  const model = scriptedModel([{ text: "I begin", hangs: true }]);
  await using rig = await ReplRig.start(model);
  rig.send("go");
  await rig.shows("I begin");
  rig.send("something else");
  await rig.shows("next: something else");
  rig.type(CTRL_C);
  await rig.shows("Stopped");
  await rig.shows(/\n> something else$/);
  const branch = await rig.runtime.session.session.getBranch();
  expect(branch.at(-1)).toMatchObject({ message: { role: "assistant", stopReason: "aborted" } });
});

test("Ctrl-C clears the line, and twice on an empty one leaves", async () => {
  await using rig = await ReplRig.start(scriptedModel([]));
  rig.type("half typed");
  await rig.shows("> half typed");
  rig.type(CTRL_D);
  rig.type(CTRL_C);
  await rig.terminal.until(() => !rig.text.includes("half"));
  rig.type("\x1f");
  await rig.shows("> half typed");
  rig.type("\x15");
  rig.type(CTRL_C);
  await rig.shows("Ctrl-C again leaves");
  rig.type(CTRL_C);
  expect(await rig.left).toBe("quit");
});

test("Ctrl-D leaves on an empty line, and the terminal is as it was", async () => {
  await using rig = await ReplRig.start(scriptedModel([]));
  await rig.shows("> ".trim());
  expect(rig.terminal.screen.modes.has("?2004")).toBe(true);
  rig.type(CTRL_D);
  expect(await rig.left).toBe("quit");
  expect(rig.terminal.isRaw).toBe(false);
  expect([...rig.terminal.screen.modes]).toEqual(["?25"]);
});

test("a terminal that is gone ends the Repl", async () => {
  await using rig = await ReplRig.start(scriptedModel([]));
  rig.terminal.end("gone");
  expect(await rig.left).toBe("gone");
});

test("Ctrl-Z gives the terminal back and takes it again, the line kept", async () => {
  await using rig = await ReplRig.start(scriptedModel([{ text: "ok" }]));
  rig.type("typed");
  await rig.shows("> typed");
  rig.type("\x1a");
  await rig.terminal.until(() => rig.suspended === 1 && rig.terminal.isRaw);
  rig.type(" on\r");
  await rig.shows("> typed on");
});

test("Repl names the nearest command to an unknown one and gives the line back", async () => {
  await using rig = await ReplRig.start(scriptedModel([]));
  rig.send("/resum x");
  await rig.shows("There is no command /resum; did you mean /resume?");
  await rig.shows(/\n> \/resum x$/);
});

test("Repl loses no words behind a command that takes none, and runs no empty one", async () => {
  const model = scriptedModel([]);
  await using rig = await ReplRig.start(model);
  const { id } = rig.runtime.session.session;
  rig.send("/new and fix the bug");
  await rig.shows('Cannot use "and fix the bug" with /new: it takes nothing');
  await rig.shows(/\n> \/new and fix the bug$/);
  rig.type("\x15");
  rig.send("/");
  await rig.shows("There is no command /; /help shows the commands");
  for (const line of ["!", "!! "]) {
    rig.type("\x15");
    rig.send(line);
    await rig.shows(`Cannot run a command: say which, as in !ls\n> ${line}`.trimEnd());
  }
  expect([rig.runtime.session.session.id, model.requests]).toEqual([id, []]);
});

test("Repl says it where the model said nothing", async () => {
  await using rig = await ReplRig.start(scriptedModel([{ text: "" }]));
  rig.send("hi");
  await rig.shows("The model said nothing");
  await rig.shows("$0.00");
});

test("Repl takes a path at the start as something to say", async () => {
  const model = scriptedModel([{ text: "ok" }]);
  await using rig = await ReplRig.start(model);
  rig.send("/etc/hosts is odd");
  await model.asked(1);
  expect(lastText(model)).toBe("/etc/hosts is odd");
});

test("Repl says at once that a session is gone, and gives the text back", async () => {
  const model = scriptedModel([{ text: "one" }]);
  await using rig = await ReplRig.start(model, { columns: 200 });
  rig.send("first");
  await rig.shows("$0.00");
  fs.rmSync(rig.runtime.session.session.file ?? "");
  rig.send("second");
  await rig.shows("The conversation is not saved");
  await rig.shows(/it was\s+deleted or\s+moved/);
  await rig.shows(/\n> second$/);
  expect(model.requests).toHaveLength(1);
  await rig.shows("/clone goes on with what was said in a new file");
  rig.type("\x15");
  rig.send("/clone");
  await rig.shows(/Session [0-9a-f-]{36}\s+> first\s+one/);
  expect(fs.readFileSync(rig.runtime.session.session.file ?? "", "utf8")).toContain("first");
});

test("Repl tells a failure of the model, with what to do", async () => {
  const model = scriptedModel([{ fails: "bad_key" }]);
  await using rig = await ReplRig.start(model);
  rig.send("hi");
  await rig.shows("The model failed: bad_key.");
  await rig.shows("$0.00");
});

test("Repl runs a shell command, with and without the model seeing it", async () => {
  const model = scriptedModel([{ text: "ok" }]);
  await using rig = await ReplRig.start(model);
  rig.send("!echo seen; exit 3");
  await rig.shows("Exit code 3");
  rig.send("!!echo unseen");
  await rig.shows(/^unseen$/m);
  rig.send("hi");
  await model.asked(1);
  const sent = JSON.stringify(model.requests[0]?.messages);
  expect(sent).toContain("seen");
  expect(sent).not.toContain("unseen");
});

test("Ctrl-C stops a shell command", async () => {
  await using rig = await ReplRig.start(scriptedModel([]));
  rig.send("!echo started; sleep 60");
  await rig.shows(/^. !echo started; sleep 60$/m);
  await rig.shows(/^ {2}started$/m);
  rig.type(CTRL_C);
  await rig.shows("Stopped");
});

test("Repl puts @files in front of what is said", async () => {
  const model = scriptedModel([{ text: "ok" }]);
  await using rig = await ReplRig.start(model);
  rig.temp.write("work/notes.md", "remember\n");
  rig.send("see @notes.md, and @nobody");
  await model.asked(1);
  expect(lastText(model)).toBe(
    '<file path="notes.md">\nremember\n</file>\n\nsee @notes.md, and @nobody',
  );
});

test("Repl shows no control sequence of a model, a tool or a file", async () => {
  const evil = "\x1b[2J\x1b]0;title\x07evil";
  const tool: Tool = {
    name: "evil",
    description: "",
    parameters: { type: "object" },
    execute: () => Promise.resolve({ content: [{ type: "text", text: evil }] }),
  };
  const model = scriptedModel([
    { thinking: evil, text: evil, calls: [{ id: "c", name: "evil", arguments: { path: evil } }] },
    { text: `\`\`\`${evil}\n${evil}\n\`\`\`` },
  ]);
  // The screen throws on any sequence that is not ours.
  await using rig = await ReplRig.start(model, { session: { tools: [tool] } });
  rig.send("go");
  await rig.shows("$0.00");
  expect(rig.text.match(/␛\[2J␛\]0;title␇evil/g)).toHaveLength(6);
});

test("Repl shows thinking dimmed, or not at all if the settings say so", async () => {
  const answers = [{ thinking: "hm, let me see", text: "done" }];
  await using rig = await ReplRig.start(scriptedModel(answers));
  rig.send("go");
  await rig.shows("$0.00");
  expect(rig.text).toContain("hm, let me see");
  expect(rig.terminal.written).toContain("\x1b[2;3mhm, let me see\x1b[0m");
  await using hiding = await ReplRig.start(scriptedModel(answers), {
    settings: { hideThinking: true },
  });
  hiding.send("go");
  await hiding.shows("$0.00");
  expect(hiding.text).not.toContain("hm");
});

test("Repl keeps the line being typed while an answer comes in", async () => {
  const model = scriptedModel([{ text: "one", hangs: true }]);
  await using rig = await ReplRig.start(model);
  rig.send("go");
  await rig.shows("one");
  rig.type("my next thought");
  await rig.shows(/\n> my next thought$/);
  rig.type(CTRL_C);
  await rig.shows("Stopped");
  await rig.shows(/\n> my next thought$/);
});

test("Repl edits the line elsewhere with Ctrl-G", async () => {
  const model = scriptedModel([{ text: "ok" }]);
  await using rig = await ReplRig.start(model, {
    edit: (text) => Promise.resolve(`${text}\nand more`),
  });
  rig.type("begin");
  rig.type("\x07");
  await rig.shows("and more");
  rig.type("\r");
  await model.asked(1);
  expect(lastText(model)).toBe("begin\nand more");
});

test("Repl completes commands, paths and labels", async () => {
  await using rig = await ReplRig.start(scriptedModel([{ text: "ok" }]));
  rig.temp.write("work/src/one.ts", "");
  rig.temp.write("work/src/other.ts", "");
  rig.type("/thi\t");
  await rig.shows(/\n> \/thinking$/);
  rig.type("\x15@s\t");
  await rig.shows(/\n> @src\/$/);
  rig.type("o\t");
  await rig.shows(/\n {2}src\/one\.ts\n {2}src\/other\.ts$/);
  rig.type("\t\t");
  await rig.shows(/\n> @src\/other\.ts\n/);
  rig.type("\x15x");
  await rig.terminal.until(() => /\n> x$/.test(rig.text));
  rig.type("\x15hello\r");
  await rig.shows("$0.00");
  rig.send("/label the start");
  await rig.shows('is labelled "the start"');
  rig.type("/fork the\t");
  await rig.shows(/\n> \/fork the start$/);
});

test("Repl searches its history with Ctrl-R, over sessions", async () => {
  using temp = new TempDirectory();
  temp.write("home/history", '"fix the build"\n"write docs"\n');
  const rig = await ReplRig.start(scriptedModel([]), { temp });
  rig.type("draft");
  rig.type("\x12");
  await rig.shows("search:");
  rig.type("fix");
  await rig.shows(/\n> fix the build\nsearch: fix$/);
  rig.type(ESCAPE);
  await rig.terminal.until(() => /\n> draft$/.test(rig.text), "the draft");
  rig.type("\x12fix");
  rig.type("\x05 now");
  await rig.shows(/\n> fix the build now$/);
  rig.type("\x15\x1b[A");
  await rig.shows(/\n> write docs$/);
  rig.repl.leave();
  await rig.left;
  await rig.runtime.dispose();
});

test("Repl draws itself anew at another width", async () => {
  await using rig = await ReplRig.start(scriptedModel([{ text: "answer" }]), { columns: 60 });
  rig.send("hello");
  await rig.shows("$0.00");
  rig.type("a line that is longer than twenty columns");
  await rig.shows("than twenty columns");
  rig.terminal.resize(24, 20);
  await rig.terminal.until(() =>
    rig.text.endsWith(
      "> a line that is longer\n   than twenty columns",
    ), "the line at its new width");
  expect(rig.text.match(/a line that/g)).toHaveLength(1);
});

test("Repl tells of a failure that is tried again, and stops the wait with Ctrl-C", async () => {
  const model = scriptedModel([
    { fails: "overloaded" },
    { text: "got it" },
    { fails: "overloaded", retryAfterMs: 30_000 },
  ]);
  await using rig = await ReplRig.start(model, { session: { retry: { baseDelayMs: 1 } } });
  rig.send("one");
  await rig.shows(/The model failed: overloaded\.\s+got it/);
  await rig.shows("$0.00");
  rig.send("two");
  await rig.shows(/Asking again in 3\d s \(1 of 3\) · Ctrl-C stops/);
  rig.type(CTRL_C);
  await rig.shows("Stopped");
  await rig.terminal.until(() => (rig.text.match(/\$0\.00/g)?.length ?? 0) === 2);
  expect(model.requests).toHaveLength(3);
});

test("a shell command during a run is kept after the results, and shown at once", async () => {
  const { wait, held } = waitingTool();
  const model = scriptedModel([{ calls: [{ id: "c", name: "wait" }] }, { text: "done" }]);
  await using rig = await ReplRig.start(model, { session: { tools: [wait] } });
  rig.send("go");
  await rig.shows(/\bwait$/m);
  rig.send("!echo meanwhile");
  await rig.shows(/^meanwhile$/m);
  held.resolve();
  await rig.shows("$0.00");
  const { messages } = await rig.runtime.session.session.buildContext();
  expect(messages.map(({ role }) => role))
    .toEqual(["user", "assistant", "toolResult", "bashExecution", "assistant"]);
});
