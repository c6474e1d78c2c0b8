import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { codingTools } from "../../../lib/agent/mod.ts";
import { ROOT } from "../../support/binary.ts";
import { Extended } from "../../support/extended.ts";
import type { Answer } from "../../support/scripted_model.ts";
import { TempDirectory } from "../../support/temp.ts";

function example(name: string): string[] {
  return [path.join(ROOT, "examples/extensions", name)];
}

function calls(name: string, args: Record<string, unknown>, id = "1"): Answer {
  return { calls: [{ id, name, arguments: args }] };
}

const results = (branch: readonly string[]) =>
  branch.filter((line) => line.startsWith("toolResult")).map((line) => line.slice(12));

describe("permission_gate", () => {
  const risky: [string, Record<string, unknown>][] = [
    ["bash", { command: "rm -rf build" }],
    ["bash", { command: "cd x && sudo make install" }],
    ["bash", { command: "git push --force" }],
    ["write", { path: "../outside.txt", content: "" }],
    ["write", { path: "config/.env", content: "" }],
    ["edit", { path: ".git/config", edits: [] }],
  ];
  test.each(risky)("refuses %s %j without a person", async (name, args) => {
    // Nothing of this may ever really run.
    const ran: unknown[] = [];
    await using world = await Extended.open(example("permission_gate.ts"), {
      answers: [calls(name, args), { text: "done" }],
      tools: [{
        name,
        description: "Notes down that it was called.",
        parameters: { type: "object" },
        execute: (given) => {
          ran.push(given);
          return Promise.resolve({ content: [] });
        },
      }],
    });
    await world.live.prompt("go");
    expect(results(await world.branch())[0]).toMatch(/^Refused to (run|change).*nobody to ask/);
    expect(ran).toEqual([]);
  });

  test("lets everything else through, and asks a person where there is one", async () => {
    using temp = new TempDirectory();
    const asked: string[] = [];
    await using world = await Extended.open(example("permission_gate.ts"), {
      answers: [
        calls("write", { path: "build/a.txt", content: "a" }),
        calls("bash", { command: "rm -r build" }, "2"),
        calls("bash", { command: "rm -r build" }, "3"),
        { text: "done" },
      ],
      tools: codingTools({ cwd: temp.cwd }),
      cwd: temp.cwd,
      questions: {
        confirm: (question) => Promise.resolve(asked.push(question) > 1),
        select: () => Promise.resolve(undefined),
        input: () => Promise.resolve(undefined),
      },
    });
    await world.live.prompt("go");
    const [, refused] = results(await world.branch());
    expect(refused).toBe("The user refused to run: rm -r build. Ask what to do instead.");
    expect(asked).toEqual(Array(2).fill("May the agent run: rm -r build?"));
    expect(fs.existsSync(temp.join("work/build"))).toBe(false);
  });
});

describe("custom_tool", () => {
  test("keeps a list that follows the branch", async () => {
    await using world = await Extended.open(example("custom_tool.ts"), {
      answers: [
        calls("todo", { add: "write it" }),
        { text: "noted" },
        calls("todo", { add: "test it" }, "2"),
        calls("todo", { done: 1 }, "3"),
        calls("todo", { done: 7 }, "4"),
        { text: "done" },
      ],
    });
    await world.live.prompt("one");
    const then = world.live.session.leafId;
    await world.live.prompt("two");
    expect(results(await world.branch())).toEqual([
      "1. [ ] write it",
      "1. [ ] write it\n2. [ ] test it",
      "1. [x] write it\n2. [ ] test it",
      "Cannot tick off item 7: the list has 2.",
    ]);
    await world.live.navigateTree(then);
    await world.live.prompt("/todo");
    expect(world.notices).toEqual([["custom_tool: 1. [ ] write it", "info"]]);
  });
});

describe("custom_compaction", () => {
  const long = "word ".repeat(600).trim();

  test("summarizes without a model, and brings its own summary up to date", async () => {
    using temp = new TempDirectory();
    await using world = await Extended.open(example("custom_compaction.ts"), {
      answers: [
        calls("write", { path: "a.txt", content: "a" }),
        { text: `First. ${long}` },
        { text: `Second. ${long}` },
        { text: `Third. ${long}` },
      ],
      tools: codingTools({ cwd: temp.cwd }),
      options: { compaction: { keepRecentTokens: 100 } },
    });
    await world.live.prompt("Make a file.\nCall it a.");
    await world.live.prompt("And now?");
    const first = await world.live.compact();
    await world.live.prompt("Go on.");
    const second = await world.live.compact();
    const heading = "# Earlier in this conversation\n\n## What the user asked for\n\n";
    expect(first?.summary).toStartWith(
      `${heading}- Make a file.\n  Call it a.\n- And now?\n\n## Files that were changed\n\n- a.txt\n\n` +
        "## The last answer\n\nFirst. word",
    );
    expect(second?.summary).toStartWith(first?.summary ?? "?");
    expect(second?.summary).toContain("- Go on.");
    expect([world.model.requests.length, world.notices.length]).toEqual([4, 2]);
  });

  test("leaves a compaction with instructions to the model", async () => {
    await using world = await Extended.open(example("custom_compaction.ts"), {
      answers: [{ text: long }, { text: long }, { text: "The model's." }],
      options: { compaction: { keepRecentTokens: 100 } },
    });
    await world.live.prompt("one");
    await world.live.prompt("two");
    expect((await world.live.compact("be brief"))?.summary).toStartWith("The model's.");
  });
});

const HAS_GIT = spawnSync("git", ["--version"]).status === 0;

describe.skipIf(!HAS_GIT)("git_checkpoint", () => {
  async function opened(temp: TempDirectory, answers: Answer[]): Promise<Extended> {
    const world = await Extended.open(example("git_checkpoint.ts"), {
      answers,
      tools: codingTools({ cwd: temp.cwd }),
      cwd: temp.cwd,
      env: temp.env(),
    });
    await world.start();
    return world;
  }

  function git(temp: TempDirectory, ...args: string[]): string {
    const options = { cwd: temp.cwd, env: temp.env(), encoding: "utf8" as const };
    return spawnSync("git", args, options).stdout;
  }

  const files = (temp: TempDirectory) =>
    Object.fromEntries(
      fs.readdirSync(temp.cwd).filter((name) => name !== ".git").sort()
        .map((name) => [name, temp.read(`work/${name}`)]),
    );

  test("brings the files of a user message back on a move, and those of the end again", async () => {
    using temp = new TempDirectory();
    git(temp, "init", "--quiet");
    temp.write("work/.gitignore", "ignored.txt\n");
    temp.write("work/ignored.txt", "stays\n");
    temp.write("work/kept.txt", "one\n");
    const start = files(temp);
    await using world = await opened(temp, [
      calls("write", { path: "kept.txt", content: "two\n" }),
      calls("write", { path: "new.txt", content: "new\n" }, "2"),
      { text: "done" },
    ]);
    await world.live.prompt("change things");
    const user = (await world.live.session.getBranch()).find((entry) =>
      entry.type === "message" && entry.message.role === "user"
    );
    const end = world.live.session.leafId;
    const changed = files(temp);
    expect(changed).toEqual({ ...start, "kept.txt": "two\n", "new.txt": "new\n" });

    const move = await world.live.navigateTree(user?.id ?? null);
    expect([move.editorText, files(temp)]).toEqual(["change things", start]);
    await world.live.navigateTree(end);
    expect(files(temp)).toEqual(changed);
    // git itself saw nothing of it.
    expect([git(temp, "status", "--short"), git(temp, "branch", "--all")]).toEqual([
      "?? .gitignore\n?? kept.txt\n?? new.txt\n",
      "",
    ]);
    expect(world.notices).toEqual(
      Array(2).fill(["git_checkpoint: the files are as they were then", "info"]),
    );
  });

  test("says so where there is no repository, and where there is no checkpoint", async () => {
    using temp = new TempDirectory();
    await using without = await opened(temp, []);
    expect(without.notices).toEqual([
      ["git_checkpoint: no git repository here: no checkpoints", "warning"],
    ]);
    git(temp, "init", "--quiet");
    await using world = await opened(temp, [calls("ls", {}), { text: "done" }]);
    await world.live.prompt("go");
    const answer = (await world.live.session.getBranch()).find((entry) =>
      entry.type === "message" && entry.message.role === "assistant"
    );
    await world.live.navigateTree(answer?.id ?? null);
    expect(world.notices).toEqual([[
      "git_checkpoint: no checkpoint of that place: the files stay as they are",
      "warning",
    ]]);
  });
});
