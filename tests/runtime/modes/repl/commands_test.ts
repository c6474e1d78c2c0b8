import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { ReplRig } from "../../../support/repl_rig.ts";
import { type Answer, scriptedModel } from "../../../support/scripted_model.ts";
import { TempDirectory } from "../../../support/temp.ts";

const ESCAPE = "\x1b";
const CTRL_U = "\x15";

/** A REPL in which these prompts were answered. */
async function talked(
  turns: readonly [prompt: string, answer: string][],
  more: readonly Answer[] = [],
  options: Parameters<typeof ReplRig.start>[1] = {},
): Promise<ReplRig> {
  const answers = turns.map(([, text]): Answer => ({ text }));
  const rig = await ReplRig.start(scriptedModel([...answers, ...more]), options);
  for (const [index, [prompt]] of turns.entries()) {
    rig.send(prompt);
    await rig.terminal.until(
      () => (rig.text.match(/\$0\.00/g)?.length ?? 0) > index,
      `the answer to ${prompt}`,
    );
  }
  return rig;
}

/** The screen below the last line that begins like this. */
function below(rig: ReplRig, start: string): string[] {
  const lines = rig.text.split("\n");
  return lines.slice(lines.findLastIndex((line) => line.startsWith(start)));
}

test("/tree draws branches, and what was said comes back for editing", async () => {
  await using rig = await talked([["one", "first"], ["two", "second"]], [{ text: "third" }]);
  rig.send("/tree");
  await rig.shows("Go to which entry?");
  expect(below(rig, "> /tree")).toEqual([
    "> /tree",
    "",
    "1 • you: one",
    "2 • model: first",
    "3 • you: two",
    "4 * model: second",
    "Go to which entry? A number, an id or a label; Enter stays here",
    "?",
  ]);
  rig.send("3");
  await rig.shows("Summarize the branch that you leave?");
  rig.send("");
  await rig.shows(/You are at [0-9a-f]{8}\n/);
  await rig.shows(/\n> two$/);
  rig.type(CTRL_U);
  rig.send("another way");
  await rig.shows("third");
  await rig.terminal.until(() => (rig.text.match(/\$0\.00/g)?.length ?? 0) === 3);
  rig.send("/tree users");
  await rig.terminal.until(() => below(rig, "> /tree users").at(-1) === "?", "the question");
  expect(below(rig, "> /tree users").slice(2, -2)).toEqual([
    "1 • you: one",
    "2   ├─ you: two",
    "3 * └─ you: another way",
  ]);
  rig.type(ESCAPE);
  await rig.terminal.until(() => rig.text.endsWith("\n>"), "the input line");
});

test("/tree summarizes the branch that is left, if the person wants it", async () => {
  await using rig = await talked(
    [["one", "first"], ["two", "second"]],
    [{ text: "What was tried: two." }],
  );
  rig.send("/tree");
  await rig.shows("Go to which entry?");
  rig.send("2");
  await rig.shows("Summarize the branch");
  rig.send("y");
  await rig.shows("with a summary of the branch");
  const branch = await rig.runtime.session.session.getBranch();
  expect(branch.at(-1)).toMatchObject({
    type: "branch_summary",
    summary: expect.stringContaining("What was tried: two."),
  });
});

test("/tree refuses an entry that is not there, and stays", async () => {
  await using rig = await talked([["one", "first"]]);
  const { leafId } = rig.runtime.session.session;
  rig.send("/tree nowhere");
  await rig.shows('Cannot find entry "nowhere"');
  rig.send("/tree leaf");
  await rig.shows("You are there already");
  expect(rig.runtime.session.session.leafId).toBe(leafId);
});

test("/fork goes on in a new file before what was said, and /clone in a copy", async () => {
  await using rig = await talked([["one", "first"], ["two", "second"]]);
  const first = rig.runtime.session.session.file;
  const before = fs.readFileSync(first ?? "", "utf8");
  rig.send("/fork");
  await rig.shows("Fork before what you said");
  rig.type("two\r");
  await rig.shows(/\n> two$/);
  const fork = rig.runtime.session.session;
  expect(fork.header.parentSession).toBe(first);
  expect((await fork.buildContext()).messages).toHaveLength(2);
  rig.type(CTRL_U);
  rig.send("/clone");
  await rig.terminal.until(() => rig.runtime.session.session !== fork);
  expect(rig.runtime.session.session.header.parentSession).toBe(fork.file);
  expect(fs.readFileSync(first ?? "", "utf8")).toBe(before);
});

test("/new begins an empty session, and /resume finds the old one by its words", async () => {
  await using rig = await talked([["about apples", "first"]], [{ text: "second" }]);
  const apples = rig.runtime.session.session.id;
  rig.send("/new");
  await rig.shows("A new session");
  rig.send("about pears");
  await rig.shows("second");
  await rig.terminal.until(() => (rig.text.match(/\$0\.00/g)?.length ?? 0) === 2);
  rig.send("/resume");
  await rig.shows("Sessions of this directory (2)");
  rig.type("apples");
  await rig.shows(/Sessions of this directory \(1 of 2\)/);
  rig.type("\r");
  await rig.shows(`Session ${apples}`);
  expect(rig.runtime.session.session.id).toBe(apples);
  expect(below(rig, `Session ${apples}`)).toEqual([
    `Session ${apples}`,
    "",
    "> about apples",
    "",
    "first",
    ">",
  ]);
});

test("/resume renames and deletes, but not the session one is in", async () => {
  await using rig = await talked([["about apples", "first"]], [{ text: "second" }]);
  const apples = rig.runtime.session.session.file ?? "";
  rig.send("/new");
  await rig.shows("A new session");
  rig.send("about pears");
  await rig.terminal.until(() => (rig.text.match(/\$0\.00/g)?.length ?? 0) === 2);
  const pears = rig.runtime.session.session.file ?? "";
  rig.send("/resume");
  await rig.shows("(2)");
  rig.type("apples\x12");
  await rig.shows("Its name");
  rig.send("fruit");
  await rig.shows(/\n {2}fruit/);
  expect((await rig.repo.list()).map(({ name }) => name)).toContain("fruit");
  rig.type("pears\x18");
  await rig.shows("Cannot delete the session that you are in");
  rig.type("fruit\x18");
  await rig.shows('Delete "fruit" for good?');
  rig.send("y");
  await rig.shows("(1)");
  expect([fs.existsSync(apples), fs.existsSync(pears)]).toEqual([false, true]);
  rig.type(ESCAPE);
});

test("/resume of a busy session offers a copy of it, and stays where it is otherwise", async () => {
  await using rig = await talked([["one", "first"]]);
  const here = rig.runtime.session.session.id;
  using temp = new TempDirectory();
  const other = await rig.repo.create({ cwd: temp.cwd });
  await other.appendMessage({ role: "user", content: "elsewhere", timestamp: 1 });
  rig.send(`/resume ${other.id}`);
  await rig.shows(/is writing it/);
  await rig.shows("Go on with a copy of it? y or n");
  rig.send("n");
  await rig.terminal.until(() => rig.text.endsWith("\n>"), "the input line");
  expect(rig.runtime.session.session.id).toBe(here);
  rig.send(`/resume ${other.id}`);
  await rig.terminal.until(() => below(rig, "Go on with a copy").length > 1, "the question");
  rig.send("y");
  await rig.shows("> elsewhere");
  const { header, cwd } = rig.runtime.session.session;
  expect([header.parentSession, cwd]).toEqual([other.file, temp.cwd]);
  await other.close();
});

test("/label, /name, /drop and /session tell and change the session", async () => {
  await using rig = await talked([["one", "first"]], [{ text: "ok" }], { columns: 200 });
  rig.send("/label a good place");
  await rig.shows('is labelled "a good place"');
  rig.send("/name pie");
  await rig.shows('The session is "pie"');
  rig.send("/drop leaf");
  await rig.shows("is out of the context");
  rig.send("/session");
  await rig.shows("all branches");
  const shown = below(rig, "> /session").map((line) => line.slice(0, 12).trim());
  expect(shown.slice(2, -1)).toEqual([
    "id",
    "name",
    "file",
    "directory",
    "branch",
    "messages",
    "model",
    "context",
    "this branch",
    "all branches",
  ]);
  const { session } = rig.runtime.session;
  expect([session.name, [...session.labels.values()]]).toEqual(["pie", ["a good place"]]);
  expect((await session.buildContext()).messages.map(({ role }) => role)).toEqual(["user"]);
});

test("/label names an entry by the number of the last tree, and takes a label away", async () => {
  await using rig = await talked([["one", "first"]]);
  rig.send("/tree");
  await rig.shows("Go to which entry?");
  rig.type(ESCAPE);
  await rig.terminal.until(() => rig.text.endsWith("\n>"), "the input line");
  rig.send("/label 1 start");
  await rig.shows('is labelled "start"');
  rig.send("/label start");
  await rig.shows("has no label now");
  expect(rig.runtime.session.session.labels.size).toBe(0);
});

test("/compact summarizes, and tells what it is about", async () => {
  const long = "word ".repeat(30_000);
  await using rig = await talked([["one", long], ["two", "second"]], [{ text: "All of it." }], {
    rows: 50,
  });
  rig.send("/compact");
  await rig.shows(/Compacted [\d.k]+ tokens: All of it\./);
  const { messages } = await rig.runtime.session.session.buildContext();
  expect(messages[0]).toMatchObject({ role: "compactionSummary" });
});

test("Ctrl-C stops a compaction, and what was typed meanwhile is said afterwards", async () => {
  const long = "word ".repeat(30_000);
  await using rig = await talked(
    [["one", long], ["two", "second"]],
    [{ text: "", hangs: true }, { text: "and on" }],
    { rows: 50 },
  );
  rig.send("/compact");
  await rig.shows("Compacting the context");
  rig.send("go on then");
  await rig.shows("later: go on then");
  rig.type("\x03");
  await rig.shows("Compaction stopped; nothing was changed");
  await rig.shows(/\n> go on then$/);
});

test("/thinking and /tools take names, and name the nearest", async () => {
  const tool = {
    name: "wait",
    description: "",
    parameters: { type: "object" },
    execute: () => Promise.resolve({ content: [] }),
  };
  await using rig = await ReplRig.start(scriptedModel([]), { session: { tools: [tool] } });
  rig.send("/thinking high");
  await rig.shows("Thinking: high");
  rig.send("/thinking hard");
  await rig.shows('Cannot set "hard"');
  rig.send("/tools -wait");
  await rig.shows("off  wait");
  rig.send("/tools wiat");
  await rig.shows('did you mean "wait"?');
  rig.send("/tools all");
  await rig.shows("on   wait");
  expect(rig.runtime.session.agent.tools).toHaveLength(1);
});

test("/copy puts the last answer into the terminal's clipboard", async () => {
  await using rig = await talked([["one", "first **answer**"]]);
  rig.send("/copy");
  await rig.shows("Copied 1 line");
  expect(rig.terminal.screen.clipboard).toEqual(["first **answer**"]);
});

test("/import goes on with a copy of a file", async () => {
  await using rig = await talked([["one", "first"]]);
  const copy = rig.temp.join("work/old.jsonl");
  fs.copyFileSync(rig.runtime.session.session.file ?? "", copy);
  const before = fs.readFileSync(copy, "utf8");
  const { file } = rig.runtime.session.session;
  rig.send("/new");
  await rig.shows("A new session");
  rig.send("/import old.jsonl");
  await rig.terminal.until(() => (rig.text.match(/^> one$/gm)?.length ?? 0) === 2, "the exchange");
  expect(rig.runtime.session.session.file).not.toBe(file);
  expect(fs.readFileSync(copy, "utf8")).toBe(before);
  rig.send("/import nothing.jsonl");
  await rig.shows("nothing.jsonl");
});

test("/trust keeps the decision and reads the project anew", async () => {
  using temp = new TempDirectory();
  temp.write("work/.bough/prompts/review.md", "Review $1 well.");
  const model = scriptedModel([{ text: "ok" }]);
  const rig = await ReplRig.start(model, { temp });
  rig.send("/review x");
  await rig.shows("There is no command /review");
  rig.type(CTRL_U);
  rig.send("/trust");
  await rig.shows("Trust it?");
  rig.send("y");
  await rig.shows("is trusted now");
  rig.send("/help review");
  await rig.shows("Review $1 well.");
  rig.send("/review it");
  await model.asked(1);
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("Review it well.");
  await rig.shows("> /review it");
  rig.repl.leave();
  await rig.left;
  await rig.runtime.dispose();
});

test("/help explains every command of the page, each by its name", async () => {
  await using rig = await ReplRig.start(scriptedModel([]), { columns: 120, rows: 60 });
  const { COMMANDS } = await import("../../../../lib/runtime/modes/repl/commands/table.ts");
  const page = "help new resume fork clone tree label name session compact drop later model " +
    "thinking tools export import copy reload trust quit";
  expect(COMMANDS.map(({ name }) => name).sort()).toEqual(page.split(" ").sort());
  for (const { name, does } of COMMANDS) {
    rig.send(`/help ${name}`);
    await rig.terminal.until(
      () => rig.text.includes(`\n/${name}`) && rig.text.includes(does),
      name,
    );
  }
  rig.send("/help tre");
  await rig.shows("did you mean /tree?");
});

test("/quit leaves", async () => {
  await using rig = await ReplRig.start(scriptedModel([]));
  rig.send("/quit");
  expect(await rig.left).toBe("quit");
});

test("/export writes a copy or a text, and never over another file", async () => {
  await using rig = await talked([["one", "first"]]);
  rig.send("/export copy.jsonl");
  await rig.shows(/Exported to .*copy\.jsonl/);
  const lines = rig.temp.read("work/copy.jsonl").trim().split("\n").map((line) => JSON.parse(line));
  expect(lines.filter(({ type }) => type === "message").map(({ message }) => message.role))
    .toEqual(["user", "assistant"]);
  rig.send("/export talk.md");
  await rig.shows(/Exported to .*talk\.md/);
  expect(rig.temp.read("work/talk.md")).toContain("first");
  rig.send("/export talk.md");
  await rig.shows(/nothing is written\s+over/);
  rig.send("/export talk.pdf");
  await rig.shows(/\.pdf is none of\s+the\s+formats, which are\s+\.md,\s+\.json,\s+\.jsonl/);
  rig.send("/export gone/talk.md");
  await rig.shows(/there\s+is\s+no\s+directory/);
});
