/** What a failure, or a process that was killed, has left beside a session. */
import { expect, test } from "bun:test";
import type { SessionLock } from "../../lib/session/mod.ts";
import { FaultyFileSystem } from "../support/faulty_file_system.ts";
import { MemoryFileSystem } from "../support/memory_file_system.ts";
import { repoOn, user } from "../support/session_disk.ts";

async function said(disk: MemoryFileSystem): Promise<string> {
  const session = await repoOn(disk).create({ cwd: "/w" });
  await session.appendMessage(user("one"));
  await session.close();
  return session.file ?? "";
}

function write(disk: MemoryFileSystem, file: string): void {
  const fd = disk.open(file, "wx");
  disk.write(fd, new TextEncoder().encode("private\n"));
  disk.close(fd);
}

test("fork() leaves nothing where the new file cannot get its name", async () => {
  const disk = new MemoryFileSystem();
  const source = await said(disk);
  const faulty = new FaultyFileSystem({ at: 1, failure: "EIO", of: ["rename"] }, disk);
  await expect(repoOn(faulty).fork(source, { id: "copy" })).rejects.toThrow(/^Cannot write/);
  expect(disk.files).toEqual([source]);
});

test("delete() takes along all copies of the session, also of work that was cut short", async () => {
  const disk = new MemoryFileSystem();
  const file = await said(disk);
  const others = [`${file}.txt`, `${file}.v1.bak.txt`];
  const copies = [".v1.bak", ".v2.2.bak", ".damaged-2026-01-01.bak", ".new"];
  for (const each of [...others, ...copies.map((end) => file + end)]) write(disk, each);
  await repoOn(disk).delete(file);
  expect(disk.files).toEqual(others);
});

test("close() lets go of the file also where its lock cannot be let go of", async () => {
  const disk = new MemoryFileSystem();
  const lock: SessionLock = {
    acquire: () => ({
      release() {
        throw new Error("the lock is stuck");
      },
    }),
  };
  const session = await repoOn(disk, { lock }).create({ cwd: "/w" });
  await session.appendMessage(user("one"));
  await expect(session.close()).rejects.toThrow("the lock is stuck");
  expect(disk.openCount).toBe(0);
  await session.close();
});
