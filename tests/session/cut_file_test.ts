import { expect, test } from "bun:test";
import { MemoryFileSystem } from "../support/memory_file_system.ts";
import { sampleLines, sampleText } from "../support/sample_session.ts";
import { repoOn, user, viewOf, viewOfFile } from "../support/session_disk.ts";

const FILE = "/sessions/s.jsonl";

/** How many entries stand before the cut, each whole but for its line end. */
function entriesBefore(cut: number): string[] {
  const ids: string[] = [];
  let end = 0;
  for (const [at, line] of sampleLines().entries()) {
    end += new TextEncoder().encode(line).length;
    if (end > cut) break;
    if (at > 0) ids.push(JSON.parse(line).id);
    end++;
  }
  return ids;
}

test(
  "a session cut at any byte opens with every entry before the cut, and goes on whole",
  async () => {
    const bytes = new TextEncoder().encode(sampleText());
    const headerEnd = new TextEncoder().encode(sampleLines()[0] ?? "").length;
    for (let cut = headerEnd; cut <= bytes.length; cut++) {
      const disk = new MemoryFileSystem();
      disk.put(FILE, bytes.subarray(0, cut));
      const session = await repoOn(disk).open(FILE);
      const before = entriesBefore(cut);
      const found = await session.getEntries();
      expect([cut, found.map(({ id }) => id)]).toEqual([cut, before]);
      const leaf = session.leafId;
      const id = await session.appendMessage(user("next"));
      const view = await viewOf(session);
      expect(view.entries.at(-1)).toMatchObject({ id, parentId: leaf });
      await session.close();
      const reread = await viewOfFile(disk, FILE);
      expect(reread.view).toEqual(view);
      expect(reread.damage.length).toBeLessThanOrEqual(1);
      const kept = disk.get(FILE).subarray(0, cut);
      expect(kept).toEqual(bytes.subarray(0, cut));
    }
  },
  30_000,
);

test("a session cut within its header is refused and left as it is", async () => {
  const bytes = new TextEncoder().encode(sampleLines()[0] ?? "");
  for (let cut = 1; cut < bytes.length; cut++) {
    const disk = new MemoryFileSystem();
    disk.put(FILE, bytes.subarray(0, cut));
    await expect(repoOn(disk).open(FILE, { access: "write" })).rejects.toMatchObject({
      code: "not_a_session",
    });
    expect([disk.files, disk.get(FILE)]).toEqual([[FILE], bytes.subarray(0, cut)]);
  }
});
