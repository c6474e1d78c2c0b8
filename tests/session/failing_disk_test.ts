import { describe, expect, test } from "bun:test";
import { SessionError } from "../../lib/session/errors.ts";
import type { Session } from "../../lib/session/mod.ts";
import {
  type Failure,
  FaultyFileSystem,
  type Operation,
  OPERATIONS,
} from "../support/faulty_file_system.ts";
import { MemoryFileSystem } from "../support/memory_file_system.ts";
import { sampleText } from "../support/sample_session.ts";
import { answer, repoOn, user, viewOf, viewOfFile } from "../support/session_disk.ts";

const FAILURES: Failure[] = ["EIO", "ENOSPC", "EACCES", "short", "torn", "lost"];

/** What a session does in a few turns, one step at a time. */
const STEPS: ((session: Session) => Promise<unknown>)[] = [
  (session) => session.appendModelChange("p", "m"),
  (session) => session.appendMessage(user("one")),
  (session) => session.appendMessage(answer("uno")),
  (session) => session.appendLabel(session.leafId ?? "", "here"),
  (session) => session.appendMessage(user("two ".repeat(5000))),
  async (session) => session.moveTo((await session.getBranch())[0]?.id ?? null),
  (session) => session.appendSessionName("numbers"),
  (session) =>
    session.appendCompaction({
      summary: "s",
      firstKeptEntryId: session.leafId ?? "",
      tokensBefore: 3,
    }),
  (session) => session.appendMessage(answer("due")),
];

/** Runs the steps; a failed one is tried again, as a person would after making room. */
async function runSteps(session: Session, faulty: FaultyFileSystem): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (const step of STEPS) {
    const before = await viewOf(session);
    try {
      await step(session);
    } catch (error) {
      errors.push(error);
      const after = await viewOf(session);
      // Nothing changed in memory, unless the line is in the file and could not be taken back.
      const kept = after.entries.length > before.entries.length;
      if (!kept) expect(after).toEqual(before);
      await checkFile(session, faulty);
      if (!kept) await step(session);
    }
    await checkFile(session, faulty);
  }
  return errors;
}

/** Memory and file agree, and no entry hangs on one that is not there. */
async function checkFile(session: Session, disk: FaultyFileSystem): Promise<void> {
  const file = session.file ?? "";
  if (!disk.stat(file)) return;
  const view = await viewOf(session);
  const { view: reread, damage } = await viewOfFile(disk, file);
  expect(reread).toEqual(view);
  expect(damage.filter(({ kind }) => kind !== "unreadable" && kind !== "torn")).toEqual([]);
}

/** A file that was made though its making failed is taken for another's, as it should be. */
function failingOperations(failure: Failure): readonly Operation[] {
  return failure === "lost" ? OPERATIONS.filter((operation) => operation !== "create") : OPERATIONS;
}

async function attempt(
  failure: Failure,
  at: number,
  text: string | undefined,
): Promise<{ isDone: boolean; errors: unknown[] }> {
  const disk = new MemoryFileSystem();
  const faulty = new FaultyFileSystem({ at, failure, of: failingOperations(failure) }, disk);
  if (text !== undefined) disk.put("/sessions/s.jsonl", text);
  const repo = repoOn(faulty);
  const session = text === undefined
    ? await repo.create({ cwd: "/project" })
    : await repo.open("/sessions/s.jsonl");
  const errors = await runSteps(session, faulty);
  const isDone = !faulty.hasFailed;
  const view = await viewOf(session);
  await session.close().catch((error: unknown) => errors.push(error));
  const reread = await viewOfFile(disk, session.file ?? "");
  expect([failure, at, reread.view]).toEqual([failure, at, view]);
  return { isDone, errors };
}

const STARTS: [string, string | undefined][] = [
  ["a new session", undefined],
  ["a session that is there", sampleText()],
  ["a session with a torn tail", sampleText() + '{"type":"mess'],
];

for (const [start, text] of STARTS) {
  describe(`memory and file agree when any one operation fails, ${start}`, () => {
    for (const failure of FAILURES) {
      test(failure, async () => {
        let operations = 0;
        for (let at = 1;; at++, operations++) {
          const { isDone, errors } = await attempt(failure, at, text);
          for (const error of errors) {
            expect(error).toBeInstanceOf(SessionError);
            expect(error).toMatchObject({ code: "write_failed" });
          }
          expect(errors.length).toBeLessThanOrEqual(1);
          if (isDone) break;
        }
        expect(operations).toBeGreaterThan(15);
      });
    }
  });
}

test("a disk that stays broken never gets a child of an unwritten entry", async () => {
  for (let at = 1; at < 40; at++) {
    const disk = new MemoryFileSystem();
    disk.put("/sessions/s.jsonl", sampleText());
    const faulty = new FaultyFileSystem({ at, failure: "torn", then: "fails" }, disk);
    const session = await repoOn(faulty).open("/sessions/s.jsonl");
    const outcomes: string[] = [];
    for (const step of STEPS) {
      try {
        await step(session);
        outcomes.push("written");
      } catch (error) {
        if (!(error instanceof SessionError)) throw error;
        outcomes.push(error.code);
      }
    }
    const view = await viewOf(session);
    const { view: reread, damage } = await viewOfFile(disk, "/sessions/s.jsonl");
    expect([at, reread]).toEqual([at, view]);
    expect(damage.filter(({ kind }) => kind === "missing_parent")).toEqual([]);
    if (outcomes.includes("write_failed")) {
      const first = outcomes.indexOf("write_failed");
      expect(outcomes.slice(first)).toEqual(outcomes.slice(first).map(() => "write_failed"));
    }
  }
});
