import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { caseDirectory, caseJson } from "../support/cases.ts";
import { bashCall, completion, LocalRun, readLines } from "../support/local_run.ts";
import type { Plan } from "../support/scripted_server.ts";

const DONE = completion("done");

interface Row {
  name: string;
  plan?: Plan | null;
  args?: string[];
  rc: number | "not 0";
  stdout?: string;
  stderr?: string;
}

/** What each row's run is told to be, beyond what the table says. */
const CODES: Record<string, { code: number; stderr: string }> = {
  "ok": { code: 0, stderr: "" },
  "401": { code: 3, stderr: "Incorrect API key provided" },
  "400": { code: 1, stderr: "Unknown parameter: 'foo'." },
  "500 for ever": { code: 1, stderr: "internal error" },
  "length, at the model's limit of 8000": { code: 7, stderr: "cut at the model's output limit" },
  "length, reported far under the limit": { code: 7, stderr: "cut at the model's output limit" },
  "stream breaks after text, for ever": { code: 1, stderr: "bough: Cannot" },
  "content filter": { code: 1, stderr: "bough: Cannot" },
  "unknown model": { code: 3, stderr: "The model `zz` does not exist" },
  "no server at all": { code: 1, stderr: "bough: Cannot" },
  "tool fails, answer fine": { code: 0, stderr: "" },
  "500 once, then fine": { code: 0, stderr: "asking again" },
  "bad option": { code: 2, stderr: "--no-such-option" },
};

describe("bough exits with 0 for a whole answer alone, and says errors on stderr (C068)", () => {
  const rows = caseJson("C068", "table.json") as Row[];
  for (const row of rows) {
    test(row.name, async () => {
      await using run = await LocalRun.start(row.plan ?? [], {
        directory: caseDirectory("C068"),
      });
      if (row.plan === null) await run.server.close();
      const { stdout, stderr, code } = await run.run(["-p", ...row.args ?? [], "x"]);
      expect(code).toBe(CODES[row.name]?.code ?? -1);
      expect(code !== 0).toBe(row.rc === "not 0");
      if (row.stdout !== undefined) expect(stdout).toBe(row.stdout);
      expect(stderr).toContain(CODES[row.name]?.stderr ?? "?");
      expect(stderr).not.toContain("    at ");
    });
  }
});

describe("bough --session refuses a file that is no session (C010)", () => {
  for (const name of ["notes.txt", "other.json"]) {
    test(name, async () => {
      await using run = await LocalRun.start([DONE]);
      const before = fs.readFileSync(`${caseDirectory("C010")}/${name}`);
      const file = run.temp.write(`work/${name}`, before);
      const { stdout, stderr, code } = await run.run(["-p", "--session", `./${name}`, "hi"]);
      expect({ stdout, code }).toEqual({ stdout: "", code: 4 });
      expect(stderr).toContain(name);
      expect(fs.readFileSync(file)).toEqual(before);
      expect(run.server.requests).toEqual([]);
    });
  }
});

test("bough --session makes a session of an empty file (C010)", async () => {
  await using run = await LocalRun.start([DONE]);
  const file = run.temp.write("work/empty.jsonl", "");
  const { stdout, code } = await run.run(["-p", "--session", "./empty.jsonl", "hi"]);
  expect({ stdout, code }).toEqual({ stdout: "done\n", code: 0 });
  const lines = readLines(file);
  expect(lines[0]).toMatchObject({ type: "session", version: 3, cwd: run.temp.cwd });
  expect(lines.filter(({ type }) => type === "session")).toHaveLength(1);
  const roles = lines.flatMap(({ message }) =>
    typeof message === "object" && message && "role" in message ? [message.role] : []
  );
  expect(roles).toEqual(["user", "assistant"]);
});

describe("bough and a session whose directory is gone (C048)", () => {
  test("does not go on with it, and leaves its file alone", async () => {
    await using run = await LocalRun.start([DONE]);
    const before = fs.readFileSync(`${caseDirectory("C048")}/session.jsonl`);
    const file = run.temp.write("work/session.jsonl", before);
    const { stdout, stderr, code } = await run.run(["-p", "--session", "./session.jsonl", "next"]);
    expect({ stdout, code }).toEqual({ stdout: "", code: 4 });
    expect(stderr).toContain("/tmp/no/such/folder/any-more");
    expect(fs.readFileSync(file)).toEqual(before);
    expect(run.server.requests).toEqual([]);
  });

  test("forks it into the current one", async () => {
    await using run = await LocalRun.start([DONE]);
    const file = run.temp.write(
      "work/session.jsonl",
      fs.readFileSync(`${caseDirectory("C048")}/session.jsonl`),
    );
    const { stdout, code } = await run.run(["-p", "--fork", file, "next"]);
    expect({ stdout, code }).toEqual({ stdout: "done\n", code: 0 });
    expect(run.entries()[0]).toMatchObject({ type: "session", cwd: run.temp.cwd });
  });
});

describe("bough --session-id refuses what could be a path (C049)", () => {
  const ids = ["../../escape", "/tmp/abs", "a/b", "a\\b", "..", "-rf", "nul\\0byte"];
  for (const id of [...ids, "", "x".repeat(300)]) {
    test(id.slice(0, 20) || "nothing", async () => {
      await using run = await LocalRun.start([DONE]);
      const { stdout, stderr, code } = await run.run(["-p", "--session-id", id, "hi"]);
      expect({ stdout, code }).toEqual({ stdout: "", code: 2 });
      expect(stderr).toMatch(/^bough: Cannot .*\bid\b/);
      expect(run.sessionFiles()).toEqual([]);
      expect(fs.existsSync("/tmp/abs.jsonl")).toBe(false);
      expect(run.server.requests).toEqual([]);
    });
  }

  test("and goes on with a sound one the second time", async () => {
    await using run = await LocalRun.start([DONE]);
    for (const prompt of ["first", "second"]) {
      const { code } = await run.run(["-p", "--session-id", "ok.id_1-2", prompt]);
      expect(code).toBe(0);
    }
    expect(run.sessionFiles()).toHaveLength(1);
    expect(run.entries()[0]).toMatchObject({ type: "session", id: "ok.id_1-2" });
    const [, second] = run.server.bodies();
    expect(JSON.stringify(second)).toContain("first");
  });
});

describe("bough ends when the answer does (C072)", () => {
  const rows: [string, string, string][] = [
    ["OpenAI style", "ok.sse", "local/m"],
    ["Anthropic style", "aok.sse", "localA/m"],
  ];
  for (const [name, body, model] of rows) {
    test(`${name}, though the server keeps the connection open`, async () => {
      await using run = await LocalRun.start([{ body, end: "hold" }], {
        directory: caseDirectory("C072"),
      });
      const { stdout, code, durationMs } = await run.run(["-p", "--model", model, "x"]);
      expect({ stdout, code }).toEqual({ stdout: "done\n", code: 0 });
      expect(durationMs).toBeLessThan(2_000);
    });
  }

  test("though a command of a tool goes on in the background", async () => {
    await using run = await LocalRun.start([bashCall("sleep 300 & echo started"), DONE]);
    const { stdout, code, durationMs } = await run.run(["-p", "x"]);
    expect({ stdout, code }).toEqual({ stdout: "done\n", code: 0 });
    expect(durationMs).toBeLessThan(3_000);
  });
});

describe("bough goes on with a session", () => {
  test("--continue: the newest of this directory, with all that was said", async () => {
    await using run = await LocalRun.start([DONE]);
    await run.run(["-p", "first"]);
    const { code } = await run.run(["-p", "--continue", "second"]);
    expect(code).toBe(0);
    expect(run.sessionFiles()).toHaveLength(1);
    expect(run.server.bodies()[1]).toMatchObject({
      messages: [
        { content: expect.anything() },
        { role: "user", content: "first" },
        { role: "assistant", content: "done" },
        { role: "user", content: "second" },
      ],
    });
  });

  test("--strict: fails where there is none", async () => {
    await using run = await LocalRun.start([DONE]);
    for (const args of [["--continue"], ["--session-id", "nightly"]]) {
      const { stderr, code } = await run.run(["-p", "--strict", ...args, "x"]);
      expect(code).toBe(4);
      expect(stderr).toStartWith("bough: Cannot continue");
    }
    expect(run.sessionFiles()).toEqual([]);
  });

  test("--no-session: leaves nothing on disk", async () => {
    await using run = await LocalRun.start([DONE]);
    const { stdout, code } = await run.run(["-p", "--no-session", "x"]);
    expect({ stdout, code, files: run.sessionFiles() }).toEqual({
      stdout: "done\n",
      code: 0,
      files: [],
    });
  });

  test("--fork --at: takes what the verbs take for an entry", async () => {
    await using run = await LocalRun.start([DONE]);
    await run.run(["-p", "--session-id", "s", "first", "second"]);
    const user = run.entries().find(({ message }) => JSON.stringify(message)?.includes("second"));
    const id = String(user?.["id"]);
    await run.run(["session", "label", "s", id, "here"]);
    for (const at of [id, id.slice(0, 7), "here", `${id}~0`, "leaf~1"]) {
      const { code } = await run.run(["-p", "--fork", "s", "--at", at, "third"]);
      expect([at, code]).toEqual([at, 0]);
      const { messages } = run.server.bodies().at(-1) ?? {};
      const said = Array.isArray(messages) ? messages.map(({ content }) => content) : [];
      expect([at, ...said.slice(1)]).toEqual([at, "first", "done", "second", "third"]);
    }
    const { stderr, code } = await run.run(["-p", "--fork", "s", "--at", "nowhere", "x"]);
    expect(code).toBe(4);
    expect(stderr).toStartWith('bough: Cannot find entry "nowhere" in session s');
  });

  test("--cwd: says where it works, not where the paths on the command line begin", async () => {
    await using run = await LocalRun.start([DONE]);
    await run.run(["-p", "--session-dir", ".", "--session-id", "s", "first"]);
    const [file] = fs.readdirSync(run.temp.cwd);
    const other = run.temp.make("work/other");
    for (const choice of ["--session", "--fork"]) {
      const args = ["-p", "--output", "json", choice, `./${file}`, "--cwd", "other", "next"];
      const { stdout, code } = await run.run(args);
      expect([choice, code]).toEqual([choice, 0]);
      expect(JSON.parse(stdout).totals.branch.input).toBeGreaterThan(20);
    }
    expect(run.entries()[0]).toMatchObject({ cwd: other });
    const forked = await run.run(["session", "fork", `./${file}`, "--cwd", "other", "--json"]);
    expect(JSON.parse(forked.stdout)).toMatchObject({ cwd: other });
  });

  test("--cwd: a link leads to the sessions of the directory that it names", async () => {
    await using run = await LocalRun.start([DONE]);
    const project = run.temp.make("project");
    fs.symlinkSync(project, run.temp.join("link"));
    await run.run(["-p", "first"], { cwd: project });
    const { stderr, code } = await run.run(["-p", "--cwd", "../link", "-c", "--strict", "next"]);
    expect([code, stderr]).toEqual([0, expect.stringContaining("bough: Session ")]);
    expect(run.entries()[0]).toMatchObject({ cwd: project });
  });

  test("says how many prompts were not asked after one that failed", async () => {
    await using run = await LocalRun.start([{ status: 400, json: { error: { message: "no" } } }]);
    for (
      const [prompts, wanted] of [
        [["one", "two"], "bough: The next prompt was not asked"],
        [["one", "two", "three"], "bough: 2 prompts were not asked"],
      ] as const
    ) {
      const { stderr, code } = await run.run(["-p", ...prompts]);
      expect(code).toBe(1);
      expect(stderr.trimEnd().split("\n").at(-1)).toBe(wanted);
    }
    expect(run.server.requests).toHaveLength(2);
  });
});
