import { expect, test } from "bun:test";
import type { Failure } from "../support/faulty_file_system.ts";
import { FaultyFileSystem } from "../support/faulty_file_system.ts";
import { MemoryFileSystem } from "../support/memory_file_system.ts";
import { repoOn, user, viewOf, viewOfFile } from "../support/session_disk.ts";

const FILE = "/sessions/s.jsonl";

function entry(type: string, more: object): string {
  return JSON.stringify({ type, timestamp: "2025-01-01T00:00:01.000Z", ...more });
}

const OLD = [
  JSON.stringify({ type: "session", id: "old", timestamp: "2025-01-01T00:00:00.000Z", cwd: "/w" }),
  entry("message", { message: user("first") }),
  entry("message", { message: { role: "hookMessage", customType: "c", content: "h" } }),
  entry("compaction", { summary: "s", firstKeptEntryIndex: 2, tokensBefore: 5 }),
  entry("message", { message: user("last") }),
].map((line) => `${line}\n`).join("");

async function contextOf(disk: MemoryFileSystem) {
  const { view } = await viewOfFile(disk, FILE);
  return { ids: view.entries.map(({ id }) => id), context: view.context };
}

for (const failure of ["EIO", "short", "torn", "lost"] satisfies Failure[]) {
  for (const power of ["stays", "fails"]) {
    test(`an upgrade killed at any step leaves one whole file: ${failure}, power ${power}`, async () => {
      const untouched = new MemoryFileSystem();
      untouched.put(FILE, OLD);
      const expected = await contextOf(untouched);
      let steps = 0;
      for (let at = 1;; at++, steps++) {
        const disk = new MemoryFileSystem();
        disk.put(FILE, OLD);
        const faulty = new FaultyFileSystem({ at, failure, then: "killed" }, disk);
        let isKilled = false;
        try {
          const session = await repoOn(faulty).open(FILE, { access: "write" });
          await session.close();
        } catch {
          // Whatever the killed process would have seen, nobody is there to see it.
          isKilled = true;
        }
        if (!isKilled) break;
        if (power === "fails") disk.failPower();
        disk.remove(`${FILE}.lock`);
        expect([at, await contextOf(disk)]).toEqual([at, expected]);
        const isOld = disk.text(FILE) === OLD;
        if (!isOld) expect(disk.text(`${FILE}.v1.bak`)).toBe(OLD);

        const session = await repoOn(disk).open(FILE, { access: "write" });
        await session.appendMessage(user("next"));
        const view = await viewOf(session);
        await session.close();
        expect((await viewOfFile(disk, FILE)).view).toEqual(view);
        expect(view.entries.slice(0, -1).map(({ id }) => id)).toEqual(expected.ids);
        expect(disk.text(`${FILE}.v1.bak`)).toBe(OLD);
        const backups = disk.files.filter((name) => name.endsWith(".bak"));
        expect([at, backups]).toEqual([at, [`${FILE}.v1.bak`]]);
      }
      expect(steps).toBeGreaterThan(8);
    });
  }
}
