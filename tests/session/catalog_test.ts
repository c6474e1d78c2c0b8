import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  JsonlSessionRepo,
  nodeFileSystem,
  type SearchHit,
  type SearchOptions,
  SessionCatalog,
} from "../../lib/session/mod.ts";
import { caseDirectory } from "../support/cases.ts";
import { Random } from "../support/random.ts";
import { TempDirectory } from "../support/temp.ts";
import { writtenSession } from "../support/written_session.ts";

/** Opens the catalogue of a directory's sessions, with an index beside them or without. */
async function open(temp: TempDirectory, options: { index?: boolean } = {}) {
  const repo = new JsonlSessionRepo({ sessionsDir: temp.make("sessions") });
  return await SessionCatalog.open({
    repo,
    ...options.index === false ? {} : { indexFile: temp.join("index.sqlite") },
  });
}

async function search(
  temp: TempDirectory,
  text: string,
  options: SearchOptions & { index?: boolean } = {},
): Promise<SearchHit[]> {
  const catalog = await open(temp, options);
  try {
    return await catalog.search(text, options);
  } finally {
    catalog.close();
  }
}

/** Hits in few words. */
async function found(...asked: Parameters<typeof search>): Promise<string[]> {
  return (await search(...asked)).map(({ entryId, id, match }) =>
    `${entryId ?? id.slice(0, 8)} ${match}`
  );
}

function fill(temp: TempDirectory, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) temp.write(`sessions/${name}`, text);
}

const WAYS = [{ index: true }, { index: false }];

for (const way of WAYS) {
  describe(`SessionCatalog.search() ${way.index ? "with" : "without"} an index`, () => {
    test("finds message text as substrings and ids from their start (C037)", async () => {
      using temp = new TempDirectory();
      fs.cpSync(caseDirectory("C037"), temp.make("sessions"), { recursive: true });
      const results = await Promise.all(
        ["1024", "0195a3f3", "CATS", "nothing has this", "imit"].map((text) =>
          found(temp, text, way)
        ),
      );
      expect(results).toEqual([
        ["q1000001 words"],
        ["0195a3f3 id"],
        ["q0000001 words"],
        [],
        ["q1000001 parts"],
      ]);
    });

    test("ranks words in a row before words, those before parts, and new before old", async () => {
      using temp = new TempDirectory();
      fill(temp, {
        "a.jsonl": writtenSession({
          said: [
            ["you", "the rates and limits"],
            ["you", "a limit on the rate"],
            ["model", "the rate\nlimit is old"],
            ["model", "the rate limit is new"],
            ["tool", "rate: limit"],
          ],
        }),
      });
      expect(await found(temp, "rate limit", way)).toEqual([
        "e4 row",
        "e3 row",
        "e5 words",
        "e2 words",
        "e1 parts",
      ]);
      expect(await found(temp, '"rate limit"', way)).toEqual(["e4 words", "e3 words"]);
      expect(await found(temp, "rate limit", { ...way, limit: 2 })).toEqual(["e4 row", "e3 row"]);
      expect(await found(temp, "rate", { ...way, role: "tool" })).toEqual(["e5 words"]);
      const since = Date.parse("2026-03-02T09:00:04.000Z");
      expect(await found(temp, "rate", { ...way, since })).toEqual(["e5 words", "e4 words"]);
    });

    test("finds what is written without blanks, with marks, and with signs alone", async () => {
      using temp = new TempDirectory();
      fill(temp, {
        "a.jsonl": writtenSession({
          said: [
            ["you", "明天天气怎么样"],
            ["model", "Die Straße ist naß 🎉"],
            ["tool", "a => b, AgentSession.prompt()"],
            ["you", "İstanbul και Αθήνα हिन्दी"],
            ["you", "안녕하세요 여러분"],
          ],
        }),
      });
      const asked = [
        "天气",
        "气",
        "STRASSE",
        "straße",
        "🎉",
        "=>",
        "session.pro",
        "αθή",
        "न्द",
        "녕하",
      ];
      expect(await Promise.all(asked.map((text) => found(temp, text, way)))).toEqual([
        ["e1 words"],
        ["e1 words"],
        [],
        ["e2 words"],
        ["e2 words"],
        ["e3 words"],
        ["e3 parts"],
        ["e4 parts"],
        ["e4 parts"],
        ["e5 parts"],
      ]);
    });

    test("tells a session by its name, and by its hits alone if it has some", async () => {
      using temp = new TempDirectory();
      const name = { type: "session_info", name: "Water works" };
      fill(temp, {
        "a.jsonl": writtenSession({ said: [["you", "hello"]], entries: [name] }),
        "b.jsonl": writtenSession({
          id: "other",
          cwd: "/elsewhere",
          said: [["you", "water"]],
          entries: [name],
        }),
      });
      const hits = await search(temp, "water", way);
      expect(hits.map(({ id, name, match }) => [id.slice(0, 5), name, match])).toEqual([
        ["other", "Water works", "words"],
        ["0195a", "Water works", "name"],
      ]);
      expect(await found(temp, "water", { ...way, cwd: "/elsewhere" })).toEqual(["e1 words"]);
    });

    test("tells an entry once that a fork has, too", async () => {
      using temp = new TempDirectory();
      const said = [["you", "the same words"]] as const;
      fill(temp, {
        "2026-03-02_a.jsonl": writtenSession({ id: "a", said }),
        "2026-03-03_b.jsonl": writtenSession({ id: "b", said, parentSession: "/x" }),
      });
      expect((await search(temp, "same", way)).map(({ id }) => id)).toEqual(["a"]);
    });

    test("passes over what is no session, and reads damaged and older ones", async () => {
      using temp = new TempDirectory();
      fs.cpSync(caseDirectory("C039"), temp.make("sessions"), { recursive: true });
      temp.make("sessions/folder.jsonl");
      fs.symlinkSync("/nowhere", temp.join("sessions/dead.jsonl"));
      const damaged = writtenSession({ id: "broken", said: [["you", "good one"], ["you", "x"]] })
        .replace('"x"', '"x');
      const old = {
        type: "message",
        timestamp: "2025-01-01T00:00:00Z",
        message: { role: "user", content: "a good one" },
      };
      fill(temp, {
        "broken.jsonl": damaged,
        "torn.jsonl": writtenSession({ id: "torn", prefix: "t", said: [["you", "good one"]] }) +
          '{"type":"mes',
        "v1.jsonl":
          `{"type":"session","id":"old","timestamp":"2025-01-01T00:00:00Z","cwd":"/tmp"}\n${
            JSON.stringify(old)
          }\n`,
      });
      const hits = await search(temp, "good one", way);
      expect(hits.map(({ id, match }) => `${id} ${match}`).toSorted()).toEqual([
        "0195a000-0000-7000-8000-0000000000d1 row",
        "broken row",
        "old row",
        "torn row",
      ]);
    });
  });
}

describe("The index", () => {
  test("learns what was appended, and reads no more than that", async () => {
    using temp = new TempDirectory();
    const file = temp.write("sessions/a.jsonl", writtenSession({ said: [["you", "first words"]] }));
    expect(await found(temp, "words")).toEqual(["e1 words"]);
    const more = writtenSession({ said: [["you", "x"], ["you", "second words"]] });
    const [, , line = ""] = more.split("\n");
    fs.appendFileSync(file, line.slice(0, 40));
    expect(await found(temp, "words")).toEqual(["e1 words"]);
    fs.appendFileSync(file, `${line.slice(40)}\n`);
    expect(await found(temp, "words")).toEqual(["e2 words", "e1 words"]);
    // Had it read all of it again, this change in place would show.
    const text = fs.readFileSync(file, "utf8");
    fs.writeFileSync(
      file,
      text.replace("first words", "other thing") + line.replace("e2", "e3") + "\n",
    );
    expect(await found(temp, "first")).toEqual([]);
    expect((await found(temp, "other")).length).toBe(1);
  });

  test("reads no session again that is as it was, whatever directory is asked for", async () => {
    using temp = new TempDirectory();
    const at = (id: string, cwd: string) =>
      writtenSession({ id, cwd, prefix: id, said: [["you", `says ${id}`]] });
    fill(temp, { "a.jsonl": at("a", "/x"), "b.jsonl": at("b", "/y") });
    fill(temp, { "--x--/c.jsonl": at("c", "/x"), "--y--/d.jsonl": at("d", "/y") });
    expect(await found(temp, "says")).toHaveLength(4);
    fs.appendFileSync(
      temp.join("sessions/--x--/c.jsonl"),
      `${JSON.stringify({ type: "session_info", id: "n", parentId: "c1", name: "named" })}\n`,
    );
    const opened: string[] = [];
    const catalog = await SessionCatalog.open({
      repo: new JsonlSessionRepo({ sessionsDir: temp.join("sessions") }),
      indexFile: temp.join("index.sqlite"),
      fs: {
        ...nodeFileSystem,
        open(file, ...how) {
          opened.push(path.relative(temp.join("sessions"), file));
          return nodeFileSystem.open(file, ...how);
        },
      },
    });
    const ids = async (...asked: Parameters<SessionCatalog["search"]>) =>
      (await catalog.search(...asked)).map(({ id, name }) => name ?? id);
    expect(await ids("nothing", { cwd: "/x" })).toEqual([]);
    // A look at it, and then its new words.
    expect(opened.splice(0)).toEqual(["--x--/c.jsonl", "--x--/c.jsonl"]);
    expect([await ids("nothing", { cwd: "/y" }), await ids("nothing")]).toEqual([[], []]);
    expect(opened).toEqual([]);
    expect((await ids("says", { cwd: "/x" })).sort()).toEqual(["a", "named"]);
    catalog.close();
  });

  test("forgets a file that was replaced, and one that is gone", async () => {
    using temp = new TempDirectory();
    const file = temp.write("sessions/a.jsonl", writtenSession({ said: [["you", "first words"]] }));
    expect(await found(temp, "words")).toEqual(["e1 words"]);
    fs.rmSync(file);
    temp.write(
      "sessions/a.jsonl",
      writtenSession({ id: "new", said: [["you", "second words, longer"]] }),
    );
    expect(await found(temp, "words")).toEqual(["e1 words"]);
    expect(await found(temp, "first")).toEqual([]);
    fs.rmSync(file);
    expect(await found(temp, "words")).toEqual([]);
    const database = new DatabaseSync(temp.join("index.sqlite"));
    const rows = database.prepare(
      "SELECT (SELECT count(*) FROM files) + count(*) AS n FROM entries",
    );
    expect(rows.get()?.["n"]).toBe(0);
    database.close();
  });

  test("is not believed where a summary in it was changed on the disk", async () => {
    using temp = new TempDirectory();
    temp.write("sessions/a.jsonl", writtenSession({ said: [["you", "first words"]] }));
    const indexFile = temp.join("index.sqlite");
    const list = async () => {
      const repo = new JsonlSessionRepo({ sessionsDir: temp.join("sessions") });
      const catalog = await SessionCatalog.open({ repo, indexFile });
      const found = await catalog.list();
      catalog.close();
      return found;
    };
    const before = await list();
    for (const spoilt of ['{"path":', "7", '{"path":"/a","id":"b"}']) {
      const database = new DatabaseSync(indexFile);
      database.prepare("UPDATE summaries SET summary = ?").run(spoilt);
      database.close();
      expect([spoilt, await list()]).toEqual([spoilt, before]);
    }
  });

  test("is private, and made anew when it was deleted, broken or is of another version", async () => {
    using temp = new TempDirectory();
    temp.write("sessions/a.jsonl", writtenSession({ said: [["you", "first words"]] }));
    const file = temp.join("index.sqlite");
    const ways: (() => void)[] = [
      () => {},
      () => fs.rmSync(file),
      () => fs.writeFileSync(file, "not a database, but long enough ".repeat(200)),
      () => fs.writeFileSync(file, ""),
      () => fs.truncateSync(file, 8192),
      () =>
        fs.writeFileSync(
          file,
          Buffer.concat([fs.readFileSync(file).subarray(0, 4096), Buffer.alloc(30_000, 7)]),
        ),
      () => {
        const database = new DatabaseSync(file);
        database.exec("DROP TABLE words; PRAGMA user_version = 999");
        database.close();
      },
      () => {
        const database = new DatabaseSync(file);
        database.exec("DROP TABLE words");
        database.close();
      },
      () => fs.chmodSync(file, 0o644),
    ];
    for (const [at, spoil] of ways.entries()) {
      spoil();
      expect([at, await found(temp, "word")]).toEqual([at, ["e1 parts"]]);
      expect([at, await found(temp, "words")]).toEqual([at, ["e1 words"]]);
      expect([at, fs.statSync(file).mode & 0o777]).toEqual([at, 0o600]);
    }
  });

  test("is done without where it cannot be made", async () => {
    using temp = new TempDirectory();
    temp.write("sessions/a.jsonl", writtenSession({ said: [["you", "first words"]] }));
    temp.make("index.sqlite");
    expect(await found(temp, "words")).toEqual(["e1 words"]);
    const catalog = await open(temp);
    expect([catalog.hasIndex, (await catalog.list()).length]).toEqual([false, 1]);
    catalog.close();
  });

  test("changes neither bytes nor times of sessions", async () => {
    using temp = new TempDirectory();
    const file = temp.write("sessions/a.jsonl", writtenSession({ said: [["you", "first words"]] }));
    fs.utimesSync(file, 1, 2);
    const before = fs.statSync(file);
    await found(temp, "words");
    const catalog = await open(temp);
    await catalog.list();
    catalog.close();
    const after = fs.statSync(file);
    expect([after.mtimeMs, after.size, after.ino]).toEqual([
      before.mtimeMs,
      before.size,
      before.ino,
    ]);
    expect(fs.readdirSync(temp.join("sessions"))).toEqual(["a.jsonl"]);
  });

  test("is used by several at a time", async () => {
    using temp = new TempDirectory();
    for (let at = 0; at < 20; at++) {
      temp.write(
        `sessions/${at}.jsonl`,
        writtenSession({ id: `s${at}`, prefix: `p${at}x`, said: [["you", `words ${at}`]] }),
      );
    }
    const all = await Promise.all(
      Array.from({ length: 5 }, () => found(temp, "words", { limit: 100 })),
    );
    expect(all.map((hits) => hits.length)).toEqual([20, 20, 20, 20, 20]);
  });

  const seeds = [1, 2, 3, 4];
  for (const seed of seeds) {
    test(`finds what reading the sessions finds, in the same order (seed ${seed})`, async () => {
      using temp = new TempDirectory();
      const random = new Random(seed);
      const parts = [
        "rate",
        "limit",
        "Rate",
        "lim",
        "it",
        "天气",
        "天",
        "é",
        "_",
        " ",
        " ",
        ", ",
        "\n",
        "-",
        "42",
      ];
      const text = () =>
        Array.from({ length: random.int(1, 12) }, () => random.pick(parts)).join("");
      for (let number = 0; number < 12; number++) {
        temp.write(
          `sessions/${number}.jsonl`,
          writtenSession({
            id: `s${number}`,
            prefix: `p${number}x`,
            start: new Date(Date.UTC(2026, 0, 1 + random.int(0, 20))).toISOString(),
            said: Array.from(
              { length: random.int(1, 8) },
              () => [random.pick(["you", "model", "tool"] as const), text()] as const,
            ),
          }),
        );
      }
      for (let round = 0; round < 40; round++) {
        const asked = [text(), ...random.chance(0.3) ? [text()] : []].join(" ");
        const query = random.chance(0.3) ? `"${asked}"` : asked;
        const options: SearchOptions = {
          limit: random.pick([1, 3, 100]),
          ...random.chance(0.2) ? { role: random.pick(["user", "tool"] as const) } : {},
        };
        const [indexed, read] = await Promise.all([
          search(temp, query, options),
          search(temp, query, { ...options, index: false }),
        ]);
        expect([query, options, indexed]).toEqual([query, options, read]);
      }
    });
  }
});

for (const way of WAYS) {
  describe(`SessionCatalog.list() ${way.index ? "with" : "without"} an index`, () => {
    test("orders by the newest message, not by the file's time (C035)", async () => {
      using temp = new TempDirectory();
      fs.cpSync(caseDirectory("C035"), temp.make("sessions"), { recursive: true });
      fs.utimesSync(temp.join("sessions/new.jsonl"), 1, 1);
      const catalog = await open(temp, way);
      const shown = (await catalog.list()).map(({ firstMessage, modified }) => [
        firstMessage,
        modified,
      ]);
      expect(shown).toEqual([
        ["new work", "2026-03-05T09:00:20.000Z"],
        ["old work", "2026-03-02T09:00:20.000Z"],
      ]);
      catalog.close();
    });

    test("tells the same at the second time, and what has changed since", async () => {
      using temp = new TempDirectory();
      const file = temp.write(
        "sessions/a.jsonl",
        writtenSession({ said: [["you", "one"]], cost: 1 }),
      );
      temp.write(
        "sessions/b.jsonl",
        writtenSession({ id: "b", cwd: "/b", said: [["you", "two"]] }),
      );
      const catalog = await open(temp, way);
      const first = await catalog.list();
      expect(await catalog.list()).toEqual(first);
      const repo = new JsonlSessionRepo({ sessionsDir: temp.join("sessions") });
      expect(first).toEqual(await repo.list());
      const more = writtenSession({ said: [["you", "one"], ["model", "later"]], cost: 2 });
      fs.writeFileSync(file, more);
      const [changed] = await catalog.list({ cwd: "/tmp" });
      expect([changed?.messageCount, changed?.cost, changed?.modified]).toEqual([
        2,
        2,
        "2026-03-02T09:00:02.000Z",
      ]);
      catalog.close();
    });

    test("filters by time and number, and takes sessions without messages by their files", async () => {
      using temp = new TempDirectory();
      fill(temp, {
        "a.jsonl": writtenSession({ id: "a", said: [["you", "one"]] }),
        "b.jsonl": writtenSession({
          id: "b",
          start: "2026-03-04T09:00:00Z",
          said: [["you", "two"]],
        }),
        "c.jsonl": writtenSession({ id: "c" }),
      });
      const catalog = await open(temp, way);
      const ids = async (filter: Parameters<typeof catalog.list>[0]) =>
        (await catalog.list(filter)).map(({ id }) => id);
      expect(await ids({})).toEqual(["b", "a", "c"]);
      expect(await ids({ limit: 1 })).toEqual(["b"]);
      expect(await ids({ since: Date.parse("2026-03-03") })).toEqual(["b", "c"]);
      const repo = new JsonlSessionRepo({ sessionsDir: temp.join("sessions") });
      expect(await repo.findRecent("/tmp")).toBe(temp.join("sessions/b.jsonl"));
      catalog.close();
    });
  });
}
