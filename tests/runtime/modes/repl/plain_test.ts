import { expect, test } from "bun:test";
import { textOf } from "../../../../lib/session/mod.ts";
import { ReplRig } from "../../../support/repl_rig.ts";
import { scriptedModel } from "../../../support/scripted_model.ts";

/** With `--plain`, or on a terminal that can do nothing else: lines in, lines out. */
function plainRig(model = scriptedModel([])): Promise<ReplRig> {
  return ReplRig.start(model, { plain: true });
}

test("a plain Repl writes no control sequence, and Markdown as it is", async () => {
  const model = scriptedModel([{ thinking: "hm", text: "# Hello\n\n**you** \x1b[2J." }]);
  await using rig = await plainRig(model);
  rig.terminal.type("hi\n");
  await rig.shows(/\$0\.00\n> *$/);
  // deno-lint-ignore no-control-regex
  expect(rig.terminal.written).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
  expect(rig.text.split("\n").slice(2)).toEqual([
    "> hm",
    "",
    "# Hello",
    "",
    "**you** ␛[2J.",
    "",
    "test/scripted · 0% of 200k · 0 in 0 out · $0.00",
    ">",
  ]);
});

test("a plain Repl takes lines that come in one piece as one input", async () => {
  const model = scriptedModel([{ text: "ok" }]);
  await using rig = await plainRig(model);
  rig.terminal.type("one\ntwo\n");
  await model.asked(1);
  const message = model.requests[0]?.messages.at(-1);
  expect(message && "content" in message ? textOf(message.content) : "").toBe("one\ntwo");
});

test("a plain Repl goes on after a backslash", async () => {
  const model = scriptedModel([{ text: "ok" }]);
  await using rig = await plainRig(model);
  rig.terminal.type("one \\\n");
  rig.terminal.type("two\n");
  await model.asked(1);
  const message = model.requests[0]?.messages.at(-1);
  expect(message && "content" in message ? textOf(message.content) : "").toBe("one \ntwo");
});

test("a plain Repl asks for numbers", async () => {
  const model = scriptedModel([{ text: "first" }]);
  await using rig = await plainRig(model);
  rig.terminal.type("about apples\n");
  await rig.shows("$0.00");
  rig.terminal.type("/new\n");
  await rig.shows("A new session");
  rig.terminal.type("/resume\n");
  await rig.shows("Number, or Enter for none");
  expect(rig.text).toContain("  1  about apples  (2 messages · just now)");
  rig.terminal.type("1\n");
  await rig.shows("Session ");
  expect((await rig.runtime.session.session.buildContext()).messages).toHaveLength(2);
});

test("the end of a plain Repl's input leaves, a last line without an end being said", async () => {
  const model = scriptedModel([{ text: "answer" }]);
  await using rig = await plainRig(model);
  rig.terminal.type("last words");
  rig.terminal.end("end");
  expect(await rig.left).toBe("quit");
  expect(rig.text).toContain("answer");
});

test("a plain Repl's run can be steered", async () => {
  const model = scriptedModel([{ text: "I begin", hangs: true }]);
  await using rig = await plainRig(model);
  rig.terminal.type("go\n");
  await rig.shows("I begin");
  rig.terminal.type("something else\n");
  await rig.terminal.until(() => true);
  await rig.runtime.session.abort();
  await rig.shows("Stopped");
});

test("a plain Repl tells of a wait, and begins a line after the terminal's sign for Ctrl-C", async () => {
  const model = scriptedModel([{ fails: "overloaded", retryAfterMs: 30_000 }]);
  await using rig = await plainRig(model);
  rig.terminal.type("hi\n");
  await rig.shows(/Asking again in 3\d s \(1 of 3\); Ctrl-C stops/);
  rig.interrupt();
  await rig.shows(/\^C\nStopped\n[^]*\$0\.00\n> *$/);
});

test("a plain Repl leaves with Ctrl-C twice, the cursor on a line of its own", async () => {
  await using rig = await plainRig();
  rig.interrupt();
  await rig.shows(/> \^C\n\n?Ctrl-C again leaves, and so does Ctrl-D\n> *$/);
  rig.interrupt();
  expect(await rig.left).toBe("quit");
  expect(rig.terminal.written).toEndWith("> ^C\n");
});
