/** Public bug cases about session files, as their reports tell them: the binary and a copy of the file. */
import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { inCase, messagesOf } from "../support/case_run.ts";
import { caseDirectory } from "../support/cases.ts";
import { anthropicAnswer } from "../support/anthropic_answer.ts";
import { completion, LocalRun, readLines } from "../support/local_run.ts";

const DONE = completion("done");
const NEXT = ["-p", "--session", "./session.jsonl", "next"];

/** `role: text` of what a request carried after the system prompt. */
function carried(run: LocalRun, at = -1): string[] {
  return messagesOf(run, at).slice(1).map(({ role, content }) => `${role}: ${content}`);
}

/** What stands on stderr, without the line that names the session. */
function warnings(stderr: string): string[] {
  return stderr.split("\n").filter((line) => line !== "" && !line.startsWith("bough: Session "));
}

/** The lines that a run has added to the case's session, which has kept all that it had. */
function added(run: LocalRun, before: string): Record<string, unknown>[] {
  const now = run.temp.read("work/session.jsonl");
  expect(now.startsWith(before)).toBe(true);
  return now.slice(before.length).split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** The entries of a session file, by type, id and parent; one chain from a root, if it is one. */
function expectOneChain(entries: readonly Record<string, unknown>[]): void {
  const parents = entries.slice(1).map(({ parentId }) => parentId);
  expect(parents).toEqual([null, ...entries.slice(1, -1).map(({ id }) => id)]);
}

test("bough says which line it skips, and loads all after it (C001)", async () => {
  await using run = await inCase("C001", [DONE]);
  const before = run.temp.read("work/session.jsonl");
  const { stdout, stderr, code } = await run.run(NEXT);
  expect({ stdout, code }).toEqual({ stdout: "done\n", code: 0 });
  const file = run.temp.join("work/session.jsonl");
  expect(warnings(stderr)).toEqual([
    `bough: Line 4 of ${file} cannot be read and is skipped: not JSON`,
  ]);
  expect(carried(run)).toEqual([
    "user: alpha question",
    "assistant: alpha answer",
    "user: beta question",
    "assistant: beta answer",
    "user: next",
  ]);
  expect(added(run, before)[0]).toMatchObject({ type: "message", parentId: "a1000005" });
});

test("bough closes off a torn line, and says so once a run (C002)", async () => {
  await using run = await inCase("C002", [DONE]);
  const before = run.temp.read("work/session.jsonl");
  const first = await run.run(NEXT);
  expect(first.code).toBe(0);
  expect(warnings(first.stderr)).toHaveLength(1);
  expect(first.stderr).toContain("Line 5 of ");
  const heard = ["user: first", "assistant: reply one", "user: second", "user: next"];
  expect(carried(run)).toEqual(heard);
  const [user, answer] = added(run, before);
  expect(user).toMatchObject({ parentId: "a2000003" });
  expect(answer).toMatchObject({ parentId: user?.["id"] });
  const second = await run.run(NEXT);
  expect([second.code, warnings(second.stderr).length]).toEqual([0, 1]);
  expect(carried(run)).toEqual([...heard, "assistant: done", "user: next"]);
  expect(added(run, before)).toHaveLength(4);
});

describe("bough parts lines at LF alone (C005)", () => {
  for (const [name, end] of [["as they are", "\n"], ["with CR LF", "\r\n"]] as const) {
    test(name, async () => {
      await using run = await inCase("C005", [DONE]);
      const lines = run.temp.read("work/session.jsonl");
      const before = lines.replaceAll("\n", end);
      run.temp.write("work/session.jsonl", before);
      const prompt = "next\u2028\u0001\ttab\nline";
      const { code, stderr } = await run.run([...NEXT.slice(0, -1), prompt]);
      expect([code, warnings(stderr)]).toEqual([0, []]);
      expect(carried(run)).toEqual([
        "user: line\u2028sep and para\u2029sep and nel\u0085end",
        "assistant: kept\u2028whole",
        "user: tail",
        `user: ${prompt}`,
      ]);
      expect(added(run, before)).toHaveLength(2);
    });
  }
});

test("bough makes files and directories for their owner alone, and leaves modes alone (C008)", async () => {
  await using run = await inCase("C008", [DONE]);
  const script = fs.readFileSync(path.join(caseDirectory("C008"), "run.sh"), "utf8")
    .replaceAll("APP ", "bough ").replaceAll("$(mktemp -d)", "$PWD");
  const { stdout, code } = await run.shell(script);
  const modes = stdout.split("\n").filter((line) => /^\d/.test(line)).map((line) =>
    line.slice(0, 5)
  );
  expect([code, modes]).toEqual([0, ["700 S", "600 S", "600 S", "600 S", "640"]]);
});

test("bough has written the first prompt before it asks, and loses it to no kill (C011)", async () => {
  await using run = await LocalRun.start([{ stall: true }]);
  using process = await run.begin(["-p", "a very long first prompt"]);
  await run.server.received(1);
  process.kill("SIGKILL");
  await process.finished;
  const written = run.entries();
  expect(written.filter(({ type }) => type === "session")).toHaveLength(1);
  expect(written.at(-1)).toMatchObject({ message: { content: "a very long first prompt" } });
  using next = await run.begin(["-p", "--continue", "next"]);
  await run.server.received(2);
  next.kill("SIGKILL");
  expect(carried(run)).toEqual(["user: a very long first prompt", "user: next"]);
});

describe("a fork has all of its path, and nothing that points out of it (C015)", () => {
  const rows: [name: string, args: string[], said: number][] = [
    ["--fork", ["-p", "--fork", "./session.jsonl", "next"], 8],
    ["session clone", ["session", "clone", "./session.jsonl"], 6],
    ["session fork", ["session", "fork", "./session.jsonl", "--at", "t1000009"], 5],
  ];
  for (const [name, args, said] of rows) {
    test(name, async () => {
      await using run = await inCase("C015", [DONE]);
      const source = run.temp.join("work/session.jsonl");
      const before = fs.readFileSync(source);
      expect((await run.run(args)).code).toBe(0);
      expect(fs.readFileSync(source)).toEqual(before);
      const [header, ...entries] = run.entries();
      expect(header).toMatchObject({ type: "session", parentSession: source });
      expect(header?.["id"]).not.toBe("0195a000-0000-7000-8000-000000000001");
      expectOneChain([header ?? {}, ...entries]);
      expect(entries.filter(({ type }) => type === "message")).toHaveLength(said);
      expect(entries.filter(({ type }) => type === "label")).toMatchObject([
        { targetId: "t1000002", label: "good point" },
        { targetId: "t1000006", label: "second" },
      ]);
    });
  }
});

test("bough --fork writes to the fork alone, and --continue goes on with it (C017)", async () => {
  await using run = await inCase("C017", [DONE]);
  const source = run.temp.join("work/session.jsonl");
  const before = fs.readFileSync(source);
  const place = ["-p", "--session-dir", "./d"];
  expect((await run.run([...place, "--fork", "./session.jsonl", "next"])).code).toBe(0);
  const [fork, ...more] = fs.readdirSync(run.temp.join("work/d"));
  expect(more).toEqual([]);
  const file = run.temp.join("work/d", fork ?? "");
  expect(readLines(file)[0]).toMatchObject({ cwd: run.temp.cwd, parentSession: source });
  expect((await run.run([...place, "--continue", "again"])).code).toBe(0);
  expect(carried(run).slice(-3)).toEqual(["user: next", "assistant: done", "user: again"]);
  expect(readLines(file).filter(({ type }) => type === "message")).toHaveLength(8);
  expect(fs.readFileSync(source)).toEqual(before);
});

test("bough follows links from the leaf, and brings back no branch that was left (C019)", async () => {
  await using run = await inCase("C019", [DONE]);
  const before = run.temp.read("work/session.jsonl");
  expect((await run.run(["session", "clone", "./session.jsonl"])).code).toBe(0);
  expect((await run.run(["-p", "--fork", "./session.jsonl", "next"])).code).toBe(0);
  expect((await run.run(NEXT)).code).toBe(0);
  const wanted = [
    "user: root",
    "assistant: root answer",
    "user: right question",
    "assistant: right answer",
    "user: next",
  ];
  expect([carried(run, 0), carried(run, 1)]).toEqual([wanted, wanted]);
  for (const file of run.sessionFiles()) {
    expect(fs.readFileSync(file, "utf8")).not.toContain("LEFT");
  }
  expect(added(run, before)).toHaveLength(2);
  expect((await run.run(["session", "tree", "./session.jsonl"])).stdout).toContain("LEFT answer");
});

test("bough answers a call that its path has not answered, from no other branch (C021)", async () => {
  await using run = await inCase("C021", [DONE]);
  const before = run.temp.read("work/session.jsonl");
  expect((await run.run(NEXT)).code).toBe(0);
  const [, ...openai] = messagesOf(run);
  expect(openai.map(({ role, tool_call_id: id }) => id ?? role))
    .toEqual(["user", "assistant", "call_a", "call_b", "user"]);
  expect([openai[2]?.content, openai[4]?.content]).toEqual(["ok a", "next"]);
  expect(openai[3]?.content).toContain("No result was recorded");
  expect(added(run, before)).toHaveLength(2);

  await using anthropic = await inCase("C021", [anthropicAnswer({ text: "done" })]);
  expect((await anthropic.run(["--model", "localA/m", ...NEXT])).code).toBe(0);
  expect(messagesOf(anthropic)[2]).toMatchObject({
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "call_a" },
      { type: "tool_result", tool_use_id: "call_b", is_error: true },
      { type: "text", text: "next" },
    ],
  });
});

describe("bough gets out of a ring of links, and says so (C023)", () => {
  const rows: [file: string, wanted: string[]][] = [
    ["session.jsonl", ["assistant: two", "user: three", "assistant: four", "user: next"]],
    ["selfloop.jsonl", ["assistant: me", "user: next"]],
  ];
  for (const [file, wanted] of rows) {
    test(file, async () => {
      await using run = await inCase("C023", [DONE]);
      for (const choice of ["--fork", "--session"]) {
        const { stderr, code } = await run.run(["-p", choice, `./${file}`, "next"]);
        expect([choice, code, carried(run)]).toEqual([choice, 0, wanted]);
        expect(warnings(stderr)).toEqual([expect.stringContaining(`Line 3 of `)]);
      }
      for (const verb of ["show", "tree", "export", "fork"]) {
        const { code } = await run.run(["session", verb, `./${file}`]);
        expect([verb, code]).toEqual([verb, 0]);
      }
      const { stdout } = await run.run(["session", "list", "--session-dir", ".", "--all"]);
      expect(stdout.trimEnd().split("\n")).toHaveLength(2);
    });
  }
});

test("bough takes the thinking level from the active path (C027)", async () => {
  await using run = await inCase("C027", [DONE]);
  const level = async (): Promise<unknown> => {
    const { stdout } = await run.run(["session", "show", "./session.jsonl", "--json"]);
    return JSON.parse(stdout).thinkingLevel;
  };
  expect(await level()).toBe("off");
  expect((await run.run(["session", "move", "./session.jsonl", "td000005"])).code).toBe(0);
  expect(await level()).toBe("high");
});

test("bough goes by the last compaction on the path (C028)", async () => {
  await using run = await inCase("C028", [DONE]);
  expect((await run.run(NEXT)).code).toBe(0);
  const [summary, ...rest] = carried(run);
  expect(summary).toContain("SUMMARY-TWO");
  expect(summary).not.toContain("SUMMARY-ONE");
  expect(rest).toEqual([
    "user: late",
    "assistant: late answer",
    "user: now",
    "assistant: now answer",
    "user: next",
  ]);
});

test("bough brings an old session up to date once, and keeps the old file (C031)", async () => {
  await using run = await inCase("C031", [DONE]);
  const old = run.temp.read("work/session.jsonl");
  expect((await run.run(NEXT)).code).toBe(0);
  const [summary, ...rest] = carried(run);
  expect(summary).toContain("LEGACY SUMMARY");
  expect(rest).toEqual([
    "user: legacy two",
    "assistant: legacy answer two",
    "user: legacy three",
    "user: next",
  ]);
  const lines = readLines(run.temp.join("work/session.jsonl"));
  expect(lines[0]).toMatchObject({ version: 3 });
  expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
  expectOneChain(lines);
  expect(JSON.stringify(lines)).not.toContain("firstKeptEntryIndex");
  const before = run.temp.read("work/session.jsonl");
  expect((await run.run(NEXT)).code).toBe(0);
  expect(added(run, before)).toHaveLength(2);
  expect(run.temp.read("work/session.jsonl.v1.bak")).toBe(old);
});

describe("bough --continue", () => {
  /** Puts the case's files into `dir`, in this order, a later one with a younger file time. */
  function place(run: LocalRun, files: readonly (readonly [file: string, name: string])[]): void {
    for (const [index, [file, name]] of files.entries()) {
      const target = run.temp.join("dir", name);
      fs.mkdirSync(path.dirname(target), { recursive: true });
      // The sessions work where the test does.
      const text = run.temp.read(`work/${file}`).replaceAll(
        '"cwd":"/tmp"',
        `"cwd":"${run.temp.cwd}"`,
      );
      fs.writeFileSync(target, text);
      fs.utimesSync(target, 1_700_000_000 + index, 1_700_000_000 + index);
    }
  }
  const CONTINUE = ["-p", "--session-dir", "../dir", "--continue", "next"];

  test("goes by the newest message, not by the file's time (C035)", async () => {
    await using run = await inCase("C035", [DONE]);
    place(run, [["new.jsonl", "b.jsonl"], ["old.jsonl", "a.jsonl"]]);
    expect((await run.run(CONTINUE)).code).toBe(0);
    expect(carried(run)[0]).toBe("user: new work");
    expect(run.temp.read("dir/a.jsonl")).not.toContain("next");
  });

  test("passes over what is no session, and touches none of it (C039)", async () => {
    await using run = await inCase("C039", [DONE]);
    const strays = ["junk.jsonl", "data.jsonl", "empty.jsonl", "headeronly.jsonl"];
    place(run, ["good.jsonl", ...strays].map((name) => [name, name] as const));
    fs.mkdirSync(run.temp.join("dir/folder.jsonl"));
    fs.symlinkSync(run.temp.join("nowhere"), run.temp.join("dir/dead.jsonl"));
    const before = strays.map((name) => run.temp.read(`dir/${name}`));
    const { stderr, code } = await run.run(CONTINUE);
    expect([code, warnings(stderr)]).toEqual([0, []]);
    expect(carried(run)[0]).toBe("user: the good one");
    expect(strays.map((name) => run.temp.read(`dir/${name}`))).toEqual(before);
  });

  test("goes by the directory in the header, whatever the folder is called (C044)", async () => {
    await using run = await inCase("C044", [DONE]);
    const project = run.temp.make("data-api/proxy");
    const folder = `--${project.slice(1).replaceAll("/", "-")}--`;
    for (const [index, file] of ["a.jsonl", "b.jsonl"].entries()) {
      const text = run.temp.read(`work/${file}`).replaceAll("/tmp/cs", run.temp.path);
      fs.utimesSync(run.temp.write(`home/sessions/${folder}/${file}`, text), index + 1, index + 1);
    }
    expect((await run.run(["-p", "--continue", "next"], { cwd: project })).code).toBe(0);
    expect(carried(run)[0]).toBe("user: nested project");
  });
});

describe("each directory has its own sessions", () => {
  /** The case's script, with a home in the place of the one that the script makes. */
  function script(name: string, directory: string): string {
    return fs.readFileSync(path.join(caseDirectory(name), "run.sh"), "utf8")
      .replaceAll("APP ", "bough ")
      .replace("HOME=$(mktemp -d)", 'BOUGH_HOME="$BOUGH_HOME" HOME="$BOUGH_HOME/sessions"')
      .replaceAll("/tmp/cs2", `${directory}/cs2`)
      .replaceAll("/tmp/deep$$", `${directory}/deep`);
  }

  test("also where the plain scheme gives two the same name (C044)", async () => {
    await using run = await LocalRun.start([DONE]);
    const { stdout, code } = await run.shell(script("C044", run.temp.cwd));
    expect([code, stdout.replaceAll(/ +/g, " ")]).toEqual([
      0,
      "10\n 10 again in\n 10 made in\n",
    ]);
    const texts = run.sessionFiles().map((file) => fs.readFileSync(file, "utf8"));
    const places = texts.map((text) => [...text.matchAll(/(?:made|again) in \[(.*?)\]/g)]);
    expect(places.map((found) => new Set(found.map(([, place]) => place)).size))
      .toEqual(places.map(() => 1));
  });

  test("also where their paths are longer than a name may be (C046)", async () => {
    await using run = await LocalRun.start([DONE]);
    const { stdout, code } = await run.shell(script("C046", run.temp.cwd));
    expect([code, stdout]).toEqual([0, "done\nrc=0\ndone\nrc=0\ndone\n2\nnames ok\n"]);
  });
});

test("bough deletes no session, however old, and none that it was left again (C043)", async () => {
  await using run = await inCase("C001", [DONE]);
  const text = run.temp.read("work/session.jsonl").replaceAll("2026-", "2001-")
    .replaceAll('"cwd":"/tmp"', `"cwd":"${run.temp.cwd}"`);
  const old = run.temp.write("home/sessions/old/old.jsonl", text);
  fs.utimesSync(old, 1, 1);
  const headerOnly = run.temp.write(
    "home/sessions/old/header.jsonl",
    `${text.slice(0, text.indexOf("\n"))}\n`.replace("000000000001", "000000000002"),
  );
  const before = [old, headerOnly].map((file) => fs.readFileSync(file, "utf8"));
  for (
    const args of [
      ["-p", "new"],
      ["-p", "--continue", "next"],
      ["session", "list"],
      ["session", "search", "alpha"],
      ["session", "verify", "--all"],
      ["doctor"],
    ]
  ) await run.run(args);
  expect([old, headerOnly].map((file) => fs.readFileSync(file, "utf8"))).toEqual(before);
});
