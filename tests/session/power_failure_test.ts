import { expect, test } from "bun:test";
import type { Session } from "../../lib/session/mod.ts";
import { FaultyFileSystem } from "../support/faulty_file_system.ts";
import { MemoryFileSystem } from "../support/memory_file_system.ts";
import { repoOn, user } from "../support/session_disk.ts";

/** Each step, and whether it has to survive once it has returned. */
const STEPS: [isDurable: boolean, (session: Session) => Promise<unknown>][] = [
  [false, (session) => session.appendModelChange("p", "m")],
  [true, (session) => session.appendMessage(user("one"))],
  [false, (session) => session.appendLabel(session.leafId ?? "", "here")],
  [true, (session) => session.appendMessage(user("two"))],
  [true, async (session) => session.moveTo((await session.getBranch())[0]?.id ?? null)],
  [false, (session) => session.appendCustomEntry("x", 1)],
  [true, (session) =>
    session.appendCompaction({
      summary: "s",
      firstKeptEntryId: session.leafId ?? "",
      tokensBefore: 3,
    })],
];

for (const durability of ["turn", "entry"] as const) {
  test(`a power failure after any step loses nothing that is to be durable: ${durability}`, async () => {
    for (let steps = 1; steps <= STEPS.length; steps++) {
      const disk = new MemoryFileSystem();
      const session = await repoOn(disk, { durability }).create({ cwd: "/project" });
      let durable: string[] = [];
      for (const [isDurable, step] of STEPS.slice(0, steps)) {
        await step(session);
        const isWritten = disk.stat(session.file ?? "") !== undefined;
        if (isWritten && (isDurable || durability === "entry")) {
          durable = (await session.getEntries()).map(({ id }) => id);
        }
      }
      disk.failPower();
      if (durable.length === 0) {
        expect(disk.files).toEqual([]);
        continue;
      }
      const again = await repoOn(disk).open(session.file ?? "", { access: "read" });
      expect([steps, (await again.getEntries()).map(({ id }) => id)]).toEqual([steps, durable]);
      await again.close();
    }
  });
}

test("a new session's directories reach the disk up to the first that was there before", async () => {
  const disk = new FaultyFileSystem(undefined, new MemoryFileSystem());
  disk.makeDirectory("/home", 0o700);
  const session = await repoOn(disk, { sessionsDir: "/home/bough/sessions" }).create({ cwd: "/w" });
  disk.trace.length = 0;
  await session.appendMessage(user("one"));
  expect(disk.trace.filter((each) => each.startsWith("syncDirectory"))).toEqual([
    "syncDirectory --w--",
    "syncDirectory sessions",
    "syncDirectory bough",
    "syncDirectory home",
  ]);
});

test("a fork's directories reach the disk up to the first that was there before", async () => {
  const disk = new FaultyFileSystem(undefined, new MemoryFileSystem());
  const repo = repoOn(disk);
  const session = await repo.create({ cwd: "/w" });
  await session.appendMessage(user("one"));
  disk.trace.length = 0;
  await repo.fork(session, { cwd: "/elsewhere" });
  expect(disk.trace.filter((each) => each.startsWith("syncDirectory"))).toEqual([
    "syncDirectory --elsewhere--",
    "syncDirectory sessions",
  ]);
});
