import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { binaryPath, ROOT } from "../support/binary.ts";
import { caseDirectory } from "../support/cases.ts";
import { sampleText } from "../support/sample_session.ts";
import { noPtyReason, SessionVerbs } from "../support/session_verbs.ts";

const ID = "0195a000-0000-7000-8000-0000000000aa";

/** A session with two branches: e1 e2 e3 e4, and e5 e6 on e2; the leaf is e6. */
function branched(run: SessionVerbs): string {
  return run.write("branched", {
    said: [["you", "Fix the bug"], ["model", "Where is it?"], ["you", "In a.ts"], [
      "model",
      "Done",
    ]],
    entries: [
      {
        type: "message",
        parentId: "e2",
        message: { role: "user", content: "In b.ts, 日本語", timestamp: 1 },
      },
      { type: "label", targetId: "e5", label: "other way" },
      { type: "session_info", name: "The bug" },
    ],
  });
}

const REASON = noPtyReason();

describe("bough session", () => {
  test("names a session by path, id, start of an id, or name, from any directory", async () => {
    using run = new SessionVerbs();
    const file = branched(run);
    for (const name of [file, path.relative(run.temp.cwd, file), ID, ID.slice(0, 4), "The bug"]) {
      expect([name, await run.text("path", name)]).toEqual([name, `${file}\n`]);
    }
    const { stdout } = await run.run(["path", "The bug"], { cwd: run.temp.make("elsewhere") });
    expect(stdout).toBe(`${file}\n`);
    expect(await run.failure("path", "nothing")).toEqual({
      code: 4,
      stderr: 'bough: Cannot find session "nothing": no path, id, start of an id or name is like ' +
        "this; list the sessions to see what there is\n",
    });
  });

  test("says what a verb takes with --help", async () => {
    using run = new SessionVerbs();
    for (const verb of ["list", "search", "show", "tree", "move", "export", "stats", "prune"]) {
      const { stdout, code } = await run.run([verb, "--help"]);
      expect([code, stdout.split("\n")[0]?.startsWith(`Usage: bough session ${verb}`)])
        .toEqual([0, true]);
    }
  });

  test("reads without leaving a trace", async () => {
    using run = new SessionVerbs();
    const file = branched(run);
    fs.utimesSync(file, 1000, 2000);
    const before = run.state();
    for (
      const words of [
        ["list"],
        ["search", "bug"],
        ["show", "The bug"],
        ["tree", "The bug"],
        ["diff", "The bug", "e4", "e5"],
        ["stats"],
        ["path", "The bug"],
        ["export", "The bug", "--jsonl"],
        ["prune", "--older-than", "1d"],
      ]
    ) {
      expect([words, (await run.run(words)).code]).toEqual([words, 0]);
    }
    expect(run.state()).toEqual(before);
  });
});

describe("bough session list", () => {
  test("tells all of a session as JSON", async () => {
    using run = new SessionVerbs();
    const file = run.write("a", {
      start: "2026-03-02T09:00:00.000Z",
      said: [["you", "hello"], ["model", "hi"]],
      cost: 0.25,
      parentSession: "/from/here.jsonl",
    });
    expect(await run.json("list")).toEqual([{
      path: file,
      id: ID,
      cwd: run.temp.cwd,
      name: null,
      parentSession: "/from/here.jsonl",
      created: "2026-03-02T09:00:00.000Z",
      modified: "2026-03-02T09:00:02.000Z",
      messageCount: 2,
      firstMessage: "hello",
      model: { provider: "local", modelId: "m" },
      cost: 0.25,
      busy: false,
    }]);
  });

  test("lists this directory's sessions, or all, newest first, as lines with tabs", async () => {
    using run = new SessionVerbs();
    run.write("a", { id: "a", said: [["you", "old\none"]] });
    run.write("b", { id: "b", start: "2026-03-04T09:00:00Z", said: [["you", "new one"]], cost: 1 });
    run.write("c", { id: "c", cwd: "/elsewhere", said: [["you", "other"]] });
    const env = { TZ: "UTC" };
    expect((await run.run(["list"], { env })).stdout).toMatch(
      /^\S.*\t1\t-\tb\tnew one\n\S.*\t1\t-\ta\told one\n$/,
    );
    expect((await run.run(["list", "--all"], { env })).stdout.split("\n").length).toBe(4);
    expect((await run.run(["list", "--limit", "1"], { env })).stdout).toContain("\tb\t");
    expect(await run.json("list", "--since", "1s")).toEqual([]);
    expect(await run.failure("list", "--limit", "0")).toEqual({
      code: 2,
      stderr: "bough: Cannot use --limit 0: it must be a whole number, 1 at least\n",
    });
  });

  test("has a session whose first message is huge, with its text as the title (C034)", async () => {
    using run = new SessionVerbs();
    const image = {
      type: "image",
      data: `iVBORw0KGgo${"A".repeat(220_000)}`,
      mimeType: "image/png",
    };
    const text = { type: "text", text: "what is on this picture" };
    run.write("x", {
      entries: [
        { type: "message", message: { role: "user", content: [image, text], timestamp: 1 } },
        {
          type: "message",
          message: { role: "assistant", content: [{ type: "text", text: "a cat" }], timestamp: 2 },
        },
      ],
    });
    const listed = await run.json("list");
    expect(listed).toMatchObject([{
      id: ID,
      firstMessage: "what is on this picture",
      messageCount: 2,
      modified: "2026-03-02T09:00:02.000Z",
    }]);
  });

  test("tells ages as differences of instants, in every time zone (C041)", async () => {
    using run = new SessionVerbs();
    const start = new Date(Date.now() - 3 * 3_600_000 - 5000).toISOString();
    run.write("x", { start, said: [["you", "three hours ago"]] });
    for (const TZ of ["UTC", "Asia/Shanghai", "America/Los_Angeles", "Pacific/Kiritimati"]) {
      const { stdout } = await run.run(["list"], { env: { TZ } });
      expect([TZ, stdout.split("\t")[0]]).toEqual([TZ, "3 hours ago"]);
    }
  });

  test("passes over stray files (C039)", async () => {
    using run = new SessionVerbs();
    fs.cpSync(caseDirectory("C039"), run.sessions, { recursive: true });
    run.temp.make("home/sessions/folder.jsonl");
    fs.symlinkSync("/nowhere", path.join(run.sessions, "dead.jsonl"));
    fs.writeFileSync(path.join(run.sessions, "rand.jsonl"), new Uint8Array(3000).fill(0xfe));
    expect(await run.json("list", "--all")).toMatchObject([
      { firstMessage: "the good one" },
      { firstMessage: "" },
    ]);
  });

  test("says busy of a session that another process is writing", async () => {
    using run = new SessionVerbs();
    const file = run.write("a", { said: [["you", "hello"]] });
    const { RunningProcess } = await import("../support/process.ts");
    const holder = path.join(ROOT, "tests/support/lock_holder.ts");
    using held = new RunningProcess(process.execPath, [holder, file], {
      env: process.env,
      stdin: "open",
    });
    await held.waitFor("held");
    expect(await run.json("list")).toMatchObject([{ id: ID, busy: true }]);
    expect((await run.failure("name", ID, "x")).code).toBe(5);
    expect((await run.failure("rm", ID)).code).toBe(5);
    expect((await run.run(["show", ID])).code).toBe(0);
    using waiting = new RunningProcess(
      await binaryPath(),
      ["session", "name", ID, "x", "--busy", "wait"],
      { temp: run.temp },
    );
    await waiting.waitFor("Waiting for the session", { stream: "stderr" });
    waiting.kill("SIGTERM");
    const { code, stderr } = await waiting.finished;
    expect({ code, lines: stderr.trim().split("\n").length }).toEqual({ code: 143, lines: 1 });
    held.end();
    await held.finished;
    expect(await run.json("list")).toMatchObject([{ id: ID, busy: false }]);
  });

  test.skipIf(REASON !== undefined)(
    "fits a terminal of any width, wide characters, too",
    async () => {
      using run = new SessionVerbs();
      run.write("a", { said: [["you", "これは長い題名です。".repeat(20)]] });
      const { widthOf } = await import("../../lib/runtime/modes/repl/text_width.ts");
      for (const columns of [40, 80, 200]) {
        const lines = (await run.screen(["list", "--all"], columns)).split("\n");
        expect(lines.length).toBe(3);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
      }
    },
  );
});

describe("bough session search", () => {
  test("tells entries with snippets, as JSON and as lines", async () => {
    using run = new SessionVerbs();
    const file = branched(run);
    expect(await run.json("search", "B.TS")).toEqual([{
      path: file,
      id: ID,
      cwd: run.temp.cwd,
      name: "The bug",
      entryId: "e5",
      role: "user",
      timestamp: "2026-03-02T09:00:05.000Z",
      match: "words",
      snippet: "In b.ts, 日本語",
    }]);
    expect(await run.text("search", "本")).toMatch(/\te5\tyou\tIn b.ts, 日本語\n$/);
    expect(await run.json("search", "done", "--role", "user")).toEqual([]);
    expect(fs.statSync(run.temp.join("home/index.sqlite")).mode & 0o777).toBe(0o600);
  });

  test("makes one index in several processes at once, and all find the same", async () => {
    using run = new SessionVerbs();
    for (let at = 0; at < 40; at++) {
      run.write(`s${at}`, { id: `s${at}`, prefix: `p${at}x`, said: [["you", `word ${at}`]] });
    }
    const all = await Promise.all(
      Array.from({ length: 6 }, () => run.json("search", "word", "--limit", "100")),
    );
    expect(all.map((hits) => Array.isArray(hits) && hits.length)).toEqual(Array(6).fill(40));
    expect(new Set(all.map((hits) => JSON.stringify(hits))).size).toBe(1);
  });

  test("says on stderr that there is nothing, and ends with 0", async () => {
    using run = new SessionVerbs();
    branched(run);
    const { stdout, stderr, code } = await run.run(["search", "no such thing"]);
    expect({ stdout, code }).toEqual({ stdout: "", code: 0 });
    expect(stderr).toStartWith("bough: Nothing was found for no such thing: no session of ");
  });

  test("refuses what cannot be looked for", async () => {
    using run = new SessionVerbs();
    expect(await run.failure("search", '""')).toEqual({
      code: 2,
      stderr: "bough: Cannot search: there are no words to look for\n",
    });
    expect((await run.failure("search", "x", "--role", "nobody")).stderr).toBe(
      "bough: Cannot use --role nobody: it must be one of user, assistant, tool\n",
    );
  });
});

describe("bough session show", () => {
  test("tells the session as JSON", async () => {
    using run = new SessionVerbs();
    const file = branched(run);
    const shown = await run.json("show", ID);
    expect(shown).toMatchObject({
      id: ID,
      file,
      cwd: run.temp.cwd,
      name: "The bug",
      leafId: "e7",
      labels: { e5: "other way" },
      model: { provider: "local", modelId: "m" },
      thinkingLevel: "off",
      branch: ["e1", "e2", "e5", "e6", "e7"],
      entries: [{ id: "e1" }, { id: "e2" }, { id: "e3" }, { id: "e4" }, { id: "e5" }, {}, {}],
      context: [{ role: "user" }, { role: "assistant" }, { role: "user" }],
      damage: [],
    });
    expect(await run.json("show", ID, "--entry", "e4")).toMatchObject({
      leafId: "e4",
      branch: ["e1", "e2", "e3", "e4"],
    });
  });

  test("shows the branch as text, cuts tool output, and shows the context", async () => {
    using run = new SessionVerbs();
    const output = Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\n");
    run.write("a", { said: [["you", "Look"], ["model", "I do"], ["tool", output]] });
    const env = { TZ: "UTC" };
    const { stdout } = await run.run(["show", ID], { env });
    expect(stdout).toBe(
      "e1  you  2026-03-02 09:00\n  Look\n\n" +
        "e2  model (local/m)  2026-03-02 09:00\n  I do\n\n" +
        "e3  bash  2026-03-02 09:00\n" +
        Array.from({ length: 10 }, (_, at) => `  line ${at}\n`).join("") +
        "  … 20 more lines (--full shows them)\n",
    );
    expect(await run.text("show", ID, "--full")).toContain("  line 29\n");
    expect(await run.text("show", ID, "--context", "--entry", "leaf~1")).toBe(
      "you\n  Look\n\nmodel (local/m)\n  I do\n",
    );
  });
});

describe("bough session tree", () => {
  test("draws the branches with leaf and labels", async () => {
    using run = new SessionVerbs();
    branched(run);
    expect(await run.text("tree", ID)).toBe(
      [
        "e1       * you: Fix the bug",
        "e2       * model: Where is it?",
        "e3         ├─ you: In a.ts",
        "e4         │  model: Done",
        "e5       * └─ you: In b.ts, 日本語  [other way]  <- leaf",
        "",
      ].join("\n"),
    );
    expect((await run.text("tree", ID, "--full")).split("\n").slice(5)).toEqual([
      "e6       *    label: other way",
      "e7       *    name: The bug  <- leaf",
      "",
    ]);
  });

  test("tells every node as JSON", async () => {
    using run = new SessionVerbs();
    branched(run);
    const nodes = await run.json("tree", ID);
    expect(nodes).toHaveLength(7);
    expect(nodes).toMatchObject([
      {
        id: "e1",
        parentId: null,
        type: "message",
        role: "user",
        label: null,
        leaf: false,
        text: "Fix the bug",
      },
      { id: "e2", parentId: "e1" },
      { id: "e3", parentId: "e2" },
      { id: "e4", parentId: "e3" },
      { id: "e5", parentId: "e2", label: "other way" },
      { id: "e6", parentId: "e5", type: "label", role: null, text: "other way" },
      { id: "e7", parentId: "e6", type: "session_info", leaf: true },
    ]);
  });

  test.skipIf(REASON !== undefined)("fits a terminal of any width", async () => {
    using run = new SessionVerbs();
    run.temp.write("home/sessions/sample.jsonl", sampleText());
    branched(run);
    const { widthOf } = await import("../../lib/runtime/modes/repl/text_width.ts");
    for (const columns of [24, 40, 80]) {
      for (const name of [ID, "0195a000-0000-7000-8000-000000000001"]) {
        for (const line of (await run.screen(["tree", name, "--full"], columns)).split("\n")) {
          expect(widthOf(line)).toBeLessThanOrEqual(columns);
        }
      }
    }
  });
});

describe("bough session diff", () => {
  test("shows two branches from where they part", async () => {
    using run = new SessionVerbs();
    branched(run);
    expect(await run.text("diff", ID, "e4", "other way")).toBe(
      "  e2 model: Where is it?\n- e3 you: In a.ts\n- e4 model: Done\n+ e5 you: In b.ts, 日本語\n",
    );
    expect(await run.json("diff", ID, "e4", "e5")).toMatchObject({
      ancestorId: "e2",
      left: [{ id: "e3" }, { id: "e4" }],
      right: [{ id: "e5" }],
    });
  });
});

describe("bough session stats", () => {
  test("adds up tokens and cost, what a fork took over once", async () => {
    using run = new SessionVerbs();
    const said = [["you", "a"], ["model", "b"]] as const;
    run.write("a", { id: "a", said, cost: 0.5 });
    run.write("b", {
      id: "b",
      start: "2026-03-02T09:00:00.500Z",
      parentSession: "a",
      cost: 0.5,
      entries: [],
      said,
    });
    const fork = run.temp.read("home/sessions/a.jsonl").replace('"id":"a"', '"id":"c"')
      .replace("09:00:00.000Z", "09:30:00.000Z");
    run.temp.write("home/sessions/c.jsonl", fork);
    const usage = { input: 200, totalTokens: 200, cost: { total: 1 } };
    const total = { key: "total", sessions: 2, calls: 2, usage };
    const env = { TZ: "UTC" };
    for (
      const [by, key] of [["day", "2026-03-02"], ["model", "local/m"], [
        "cwd",
        run.temp.cwd,
      ]] as const
    ) {
      const { stdout } = await run.run(["stats", "--by", by, "--json"], { env });
      expect(JSON.parse(stdout)).toMatchObject({ by, rows: [{ ...total, key }], total });
    }
    expect(await run.json("stats", "c")).toMatchObject({ rows: [], total: { calls: 1 } });
    expect(await run.json("stats", "--since", "1d")).toMatchObject({ total: { calls: 0 } });
    expect(await run.text("stats")).toBe("total\t2\t2\t200\t0\t0\t0\t$1.00\n");
  });
});
