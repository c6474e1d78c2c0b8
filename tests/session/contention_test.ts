import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { JsonlSessionRepo, textOf } from "../../lib/session/mod.ts";
import { verifySession } from "../../lib/session/verify.ts";
import { ROOT } from "../support/binary.ts";
import { RunningProcess } from "../support/process.ts";
import { sampleText } from "../support/sample_session.ts";
import { TempDirectory } from "../support/temp.ts";

const WRITER = path.join(ROOT, "tests/support/session_writer.ts");
const SAMPLE_ENTRIES = 21;

function startWriters(
  temp: TempDirectory,
  file: string,
  options: { count: number; busy: "fail" | "wait" | "fork"; turns: number },
): RunningProcess[] {
  const { count, busy, turns } = options;
  return Array.from({ length: count }, (_, number) =>
    new RunningProcess(
      process.execPath,
      [WRITER, "turns", file, busy, `p${number}`, String(turns)],
      { temp, env: { SESSIONS: temp.home }, stdin: "open" },
    ));
}

function sampleFile(temp: TempDirectory): string {
  const file = temp.join("home", "s.jsonl");
  fs.writeFileSync(file, sampleText(), { mode: 0o600 });
  return file;
}

/** The texts of what was added to the sample, in the order of the file; it is one whole chain. */
async function addedTo(file: string, skip = SAMPLE_ENTRIES): Promise<string[]> {
  expect(verifySession(file).findings).toEqual([]);
  const session = await new JsonlSessionRepo({ sessionsDir: "." }).open(file, { access: "read" });
  const added = (await session.getEntries()).slice(skip);
  const branch = await session.getBranch();
  await session.close();
  expect(branch.slice(-added.length)).toEqual(added);
  return added.map((entry) =>
    entry.type === "message" && "content" in entry.message ? textOf(entry.message.content) : ""
  );
}

for (const count of [2, 8]) {
  describe(`${count} processes with one session`, () => {
    test("wait: all turns are there, one after the other, in one chain", async () => {
      using temp = new TempDirectory();
      const file = sampleFile(temp);
      const turns = 5;
      const writers = startWriters(temp, file, { count, busy: "wait", turns });
      const ends = await Promise.all(writers.map((writer) => writer.finished));
      expect(ends.map(({ stdout, code }) => [stdout, code])).toEqual(ends.map(() => ["done\n", 0]));
      const texts = await addedTo(file);
      const asked = texts.filter((_, at) => at % 2 === 0);
      const expected = Array.from(
        { length: count },
        (_, number) => Array.from({ length: turns }, (_, turn) => `p${number} asks ${turn + 1}`),
      ).flat();
      expect(asked.toSorted()).toEqual(expected.toSorted());
      expect(texts.filter((_, at) => at % 2 === 1))
        .toEqual(asked.map((text) => text.replace("asks", "hears")));
    }, 60_000);

    test("fail: one of them has it, the others are told at once who", async () => {
      using temp = new TempDirectory();
      const file = sampleFile(temp);
      const writers = startWriters(temp, file, { count, busy: "fail", turns: 1 });
      await Promise.all(writers.map((writer) => writer.waitFor("\n")));
      const holders = writers.filter((writer) => writer.stdout === "asked\n");
      expect(holders.length).toBe(1);
      const [holder] = holders;
      expect(writers.filter((writer) => writer !== holder).map((writer) => writer.stdout))
        .toEqual(Array.from({ length: count - 1 }, () => `busy ${holder?.pid}\n`));
      for (const writer of writers) {
        writer.write("go\n");
        writer.end();
      }
      const ends = await Promise.all(writers.map((writer) => writer.finished));
      expect(ends.map(({ code }) => code)).toEqual(ends.map(() => 0));
      expect((await addedTo(file)).length).toBe(2);
    }, 60_000);

    test("fork: each writes a session of its own", async () => {
      using temp = new TempDirectory();
      const file = sampleFile(temp);
      const writers = startWriters(temp, file, { count, busy: "fork", turns: 1 });
      await Promise.all(writers.map((writer) => writer.waitFor("asked\n")));
      for (const writer of writers) {
        writer.write("go\n");
        writer.end();
      }
      const ends = await Promise.all(writers.map((writer) => writer.finished));
      const files = ends.map(({ stdout }) => stdout.split("\n").at(-2) ?? "")
        .map((where) => where === "done" ? file : where);
      expect(new Set(files).size).toBe(count);
      expect(files).toContain(file);
      const texts: string[][] = [];
      for (const each of files) {
        texts.push((await addedTo(each, each === file ? SAMPLE_ENTRIES : 0)).slice(-2));
      }
      expect(texts.toSorted()).toEqual(
        ends.map((_, number) => [`p${number} asks 1`, `p${number} hears 1`]),
      );
    }, 60_000);
  });
}
