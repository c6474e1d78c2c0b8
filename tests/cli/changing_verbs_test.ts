import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readLines } from "../support/local_run.ts";
import { sampleText } from "../support/sample_session.ts";
import { SessionVerbs } from "../support/session_verbs.ts";

const ID = "0195a000-0000-7000-8000-0000000000aa";
const SAMPLE = "0195a000-0000-7000-8000-000000000001";

/** e1 to e4 in a row. */
function chain(run: SessionVerbs): string {
  return run.write("chain", {
    said: [["you", "One"], ["model", "Two"], ["you", "Three"], ["model", "Four"]],
  });
}

/** The entries of a file without what is different at each run. */
function bodies(file: string): Record<string, unknown>[] {
  return readLines(file).slice(1).map(({ id: _id, timestamp: _time, ...rest }) => rest);
}

describe("bough session move", () => {
  test("moves the leaf and keeps it moved, to an id, its start, a label, or up from there", async () => {
    using run = new SessionVerbs();
    const file = chain(run);
    expect(await run.text("move", ID, "e2")).toBe("e2\n");
    expect(bodies(file).at(-1)).toEqual({
      type: "leaf",
      parentId: "e2",
      targetId: "e2",
      fromId: "e4",
    });
    expect(await run.json("show", ID)).toMatchObject({ leafId: "e2", branch: ["e1", "e2"] });
    expect(await run.json("move", ID, "e3")).toEqual({
      cancelled: false,
      leafId: "e3",
      summaryEntryId: null,
    });
    await run.text("label", ID, "e4", "the", "end");
    expect(await run.text("move", ID, "the end")).toBe("e4\n");
    expect(await run.text("move", ID, "leaf~2")).toBe("e2\n");
    expect(await run.text("move", ID, "the end~")).toBe("e3\n");
  });

  test("writes nothing where the leaf is there already", async () => {
    using run = new SessionVerbs();
    const file = chain(run);
    const before = fs.readFileSync(file, "utf8");
    expect(await run.text("move", ID, "leaf")).toBe("e4\n");
    expect(fs.readFileSync(file, "utf8")).toBe(before);
  });

  test("says which entry it cannot find, and changes nothing", async () => {
    using run = new SessionVerbs();
    chain(run);
    const before = run.state();
    const rows: [entry: string, stderr: string][] = [
      ["x", `bough: Cannot find entry "x" in session ${ID}: no id, start of an id or label`],
      ["e", `bough: Cannot tell which entry of session ${ID} "e" is: e1, e2, e3, e4`],
      ["leaf~9", "bough: Cannot go 9 messages up from e4: there are 3 above it"],
    ];
    for (const [entry, wanted] of rows) {
      const { code, stderr } = await run.failure("move", ID, entry);
      expect([entry, code, stderr.startsWith(wanted)]).toEqual([entry, 4, true]);
    }
    expect(run.state()).toEqual(before);
  });
});

describe("bough session fork", () => {
  test("makes a session of the branch up to an entry, and prints its id", async () => {
    using run = new SessionVerbs();
    const file = chain(run);
    const before = fs.readFileSync(file, "utf8");
    const elsewhere = run.temp.make("elsewhere");
    const id = (await run.text("fork", ID, "--at", "leaf~1", "--cwd", elsewhere)).trim();
    expect(await run.json("show", id)).toMatchObject({
      id,
      cwd: elsewhere,
      branch: ["e1", "e2", "e3"],
    });
    expect(await run.json("list", "--cwd", elsewhere)).toMatchObject([{ id, parentSession: file }]);
    expect(await run.json("clone", ID)).toMatchObject({ cwd: run.temp.cwd, leafId: "e4" });
    expect(fs.readFileSync(file, "utf8")).toBe(before);
  });

  test("refuses a directory that is not there, and a session in which nothing was said", async () => {
    using run = new SessionVerbs();
    chain(run);
    run.write("empty", { id: "empty" });
    expect((await run.failure("fork", ID, "--cwd", "/not/there")).code).toBe(2);
    expect((await run.failure("clone", "empty")).stderr).toStartWith(
      "bough: Cannot fork session empty",
    );
  });
});

describe("bough session label, name, drop", () => {
  test("set and clear, one entry each", async () => {
    using run = new SessionVerbs();
    const file = chain(run);
    expect(await run.text("label", ID, "e2", "good", "place")).toBe("e2\n");
    expect(await run.json("label", ID, "e2")).toEqual({ entryId: "e2", label: null });
    expect(await run.json("name", ID, " My", "session ")).toEqual({ id: ID, name: "My session" });
    expect(await run.text("name", "My session")).toBe(`${ID}\n`);
    expect(bodies(file).slice(4).map(({ parentId: _parent, ...body }) => body)).toEqual([
      { type: "label", targetId: "e2", label: "good place" },
      { type: "label", targetId: "e2" },
      { type: "session_info", name: "My session" },
      { type: "session_info", name: "" },
    ]);
  });

  test("write nothing where nothing changes, and no label that means an entry already", async () => {
    using run = new SessionVerbs();
    const file = chain(run);
    const before = fs.readFileSync(file, "utf8");
    await run.text("label", ID, "e2");
    await run.text("name", ID);
    for (const label of ["leaf", "up~2"]) {
      expect((await run.failure("label", ID, "e1", label)).code).toBe(2);
    }
    expect(fs.readFileSync(file, "utf8")).toBe(before);
  });

  test("take leaf for the last message, whatever stands behind it", async () => {
    using run = new SessionVerbs();
    chain(run);
    expect(await run.text("label", ID, "leaf", "end")).toBe("e4\n");
    expect(await run.text("label", ID, "leaf")).toBe("e4\n");
    expect(await run.json("show", ID)).toMatchObject({ labels: {} });
    expect(await run.text("drop", ID, "leaf")).toBe("e4\n");
    expect(await run.text("drop", ID, "leaf~1")).toBe("e3\n");
  });

  test("drop takes an entry out of the context", async () => {
    using run = new SessionVerbs();
    chain(run);
    expect(await run.text("drop", ID, "e2")).toBe("e2\n");
    expect(await run.text("show", ID, "--context")).toBe(
      "you\n  One\n\nyou\n  Three\n\nmodel (local/m)\n  Four\n",
    );
    const { code, stderr } = await run.failure("drop", ID, "e2");
    expect([code, stderr]).toEqual([
      2,
      "bough: Cannot drop entry e2: it is not in the context of the active branch " +
      "(dropped or summarized already, or on another branch); " +
      "`bough session show --context` shows what is\n",
    ]);
  });
});

describe("bough session export", () => {
  test("writes the branch, or all of it, as a session file that can be imported", async () => {
    using run = new SessionVerbs();
    run.temp.write("home/sessions/sample.jsonl", sampleText());
    const whole = run.temp.join("whole.jsonl");
    expect(await run.text("export", SAMPLE, whole, "--full")).toBe("");
    expect(fs.statSync(whole).mode & 0o777).toBe(0o600);
    const branch = run.temp.write("branch.jsonl", await run.text("export", SAMPLE, "--jsonl"));
    const source = await run.json("show", SAMPLE);
    const [wholeId = "", branchId = ""] = (await run.text("import", whole, branch)).split("\n");
    const { branch: ids, labels, context } = source as Record<string, unknown>;
    expect(await run.json("show", wholeId)).toMatchObject({ branch: ids, labels, context });
    expect(await run.json("show", branchId)).toMatchObject({ branch: ids, labels, context });
    expect([wholeId, branchId].includes(SAMPLE)).toBe(false);
  });

  test("writes JSON and Markdown, by the option or by the file's name", async () => {
    using run = new SessionVerbs();
    const fence = { type: "text", text: "```\ncode\n```" };
    run.write("a", {
      said: [["you", "Show *me*"]],
      entries: [
        {
          type: "message",
          message: {
            role: "assistant",
            content: [
              { type: "text", text: "I read." },
              { type: "toolCall", id: "c", name: "read", arguments: { path: "a.md" } },
            ],
            provider: "local",
            model: "m",
            stopReason: "toolUse",
            timestamp: 1,
          },
        },
        {
          type: "message",
          message: {
            role: "toolResult",
            toolCallId: "c",
            toolName: "read",
            content: [fence],
            isError: false,
            timestamp: 1,
          },
        },
      ],
    });
    expect(JSON.parse(await run.text("export", ID, "--json"))).toEqual(await run.json("show", ID));
    const file = run.temp.join("out.md");
    await run.text("export", ID, file);
    const { stdout } = await run.run(["export", ID], { env: { TZ: "UTC" } });
    expect(stdout).toBe(
      `# Show *me*\n\n- Session: \`${ID}\`\n- Directory: \`${run.temp.cwd}\`\n` +
        "- Begun: 2026-03-02 09:00\n\n## You\n\nShow *me*\n\n## Model (local/m)\n\nI read.\n\n" +
        'Calls **read**:\n\n```json\n{\n  "path": "a.md"\n}\n```\n\n## Result of read\n\n' +
        "````\n```\ncode\n```\n````\n",
    );
    expect(fs.readFileSync(file, "utf8").split("\n")[0]).toBe("# Show *me*");
  });

  test("writes over nothing", async () => {
    using run = new SessionVerbs();
    chain(run);
    const file = run.temp.write("there.md", "mine");
    const { code, stderr } = await run.failure("export", ID, file);
    expect([code, fs.readFileSync(file, "utf8")]).toEqual([2, "mine"]);
    expect(stderr).toStartWith(`bough: Cannot export to ${file}: there is a file of this name`);
    expect((await run.failure("export", ID, "--md", "--json")).code).toBe(2);
    const rows: [file: string, why: string][] = [
      ["/not/there/x.md", "there is no directory /not/there"],
      ["/tmp/page.html", ".html is none of the formats, which are .md, .json, .jsonl"],
    ];
    for (const [place, why] of rows) {
      const told = await run.failure("export", ID, place);
      expect([told.code, told.stderr]).toEqual([2, `bough: Cannot export to ${place}: ${why}\n`]);
    }
  });
});

describe("bough session import", () => {
  test("copies files in, with their ids where these are free, and directories unless told", async () => {
    using run = new SessionVerbs();
    const file = run.temp.write("pi.jsonl", sampleText());
    const before = fs.readFileSync(file, "utf8");
    const [first] = await run.json("import", file) as Record<string, unknown>[];
    expect(first).toMatchObject({ file, id: SAMPLE, cwd: "/home/me/project" });
    const [second] = await run.json("import", file, "--cwd", run.temp.cwd) as { id: string }[];
    expect(second).toMatchObject({ cwd: run.temp.cwd });
    expect(second?.id).not.toBe(SAMPLE);
    const { stdout, stderr } = await run.run(["import", file]);
    expect(stderr).toBe(`bough: The id ${SAMPLE} of ${file} is taken: the copy is ${stdout}`);
    expect(fs.readFileSync(file, "utf8")).toBe(before);
    expect(bodies(String(first?.["path"]))).toEqual(bodies(file));
  });

  test("refuses what is no session, takes the others, and leaves all files alone", async () => {
    using run = new SessionVerbs();
    const junk = run.temp.write("junk.jsonl", "not json\n");
    const good = run.temp.write("good.jsonl", sampleText());
    const { stdout, stderr, code } = await run.run(["import", junk, "gone.jsonl", good]);
    expect([stdout, code]).toEqual([`${SAMPLE}\n`, 4]);
    expect(stderr.split("\n")).toEqual([
      expect.stringContaining(`bough: Cannot open ${junk}: it is not a session`),
      expect.stringContaining("there is no such file"),
      "bough: Imported 1 of 3 files",
      "",
    ]);
    expect(fs.readFileSync(junk, "utf8")).toBe("not json\n");
  });
});

/** The files that the index knows. */
function indexedFiles(run: SessionVerbs): unknown[] {
  const database = new DatabaseSync(run.temp.join("home/index.sqlite"));
  const rows = database.prepare("SELECT path FROM files").all();
  database.close();
  return rows.map(({ path }) => path);
}

describe("bough session rm and prune", () => {
  test("rm deletes one session, with the copies that were kept of it, and nothing else", async () => {
    using run = new SessionVerbs();
    const file = chain(run);
    fs.writeFileSync(`${file}.v2.bak`, "old");
    fs.writeFileSync(`${file}.damaged-2026-01-01T00-00-00-000Z.bak`, "old");
    fs.writeFileSync(`${file}.mine`, "keep");
    const other = run.write("other", { id: "other", said: [["you", "x"]] });
    expect(await run.json("search", "three")).toHaveLength(1);
    expect(await run.text("rm", ID)).toBe(`${file}\n`);
    expect(indexedFiles(run)).toEqual([other]);
    expect(fs.readdirSync(run.sessions).toSorted()).toEqual(
      [`${path.basename(file)}.mine`, path.basename(other)].toSorted(),
    );
    expect((await run.failure("rm", ID)).code).toBe(4);
  });

  test("prune shows what is old, and deletes it with --yes alone", async () => {
    using run = new SessionVerbs();
    const old = run.write("old", { id: "old", said: [["you", "long ago"]] });
    const young = run.write("young", {
      id: "young",
      start: new Date(Date.now() - 60_000).toISOString(),
      said: [["you", "just now"]],
    });
    const elsewhere = run.write("far", { id: "far", cwd: "/elsewhere", said: [["you", "x"]] });
    const shown = await run.run(["prune", "--older-than", "1d"]);
    expect(shown.stdout).toMatch(/\told\tlong ago\n$/);
    expect(shown.stderr).toBe("bough: Nothing was deleted: --yes deletes these 1\n");
    expect(fs.existsSync(old)).toBe(true);
    expect(await run.json("prune", "--older-than", "1d", "--yes")).toMatchObject([
      { path: old, id: "old", deleted: true },
    ]);
    expect([old, young, elsewhere].map((file) => fs.existsSync(file))).toEqual([false, true, true]);
    expect((await run.failure("prune")).code).toBe(2);
    expect((await run.failure("prune", "--older-than", "0d")).code).toBe(2);
  });
});
