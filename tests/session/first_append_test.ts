import { expect, test } from "bun:test";
import { JsonlSessionRepo } from "../../lib/session/mod.ts";
import { SAMPLE_HEADER } from "../support/sample_session.ts";
import { user } from "../support/session_disk.ts";
import { TempDirectory } from "../support/temp.ts";

test("the first append, which opens the file anew, leaves all that was not read readable", async () => {
  using temp = new TempDirectory();
  const lines = [JSON.stringify(SAMPLE_HEADER)];
  const ids = Array.from({ length: 2000 }, (_, at) => at.toString(16).padStart(8, "0"));
  for (const [at, id] of ids.entries()) {
    const message = user("x".repeat(500));
    const parentId = ids[at - 1] ?? null;
    lines.push(JSON.stringify({ type: "message", id, parentId, timestamp: "", message }));
  }
  const file = temp.write("s.jsonl", lines.map((line) => `${line}\n`).join(""));
  const session = await new JsonlSessionRepo({ sessionsDir: temp.path }).open(file);
  const last = await session.appendMessage(user("next"));
  expect((await session.getEntries()).map(({ id }) => id)).toEqual([...ids, last]);
  expect((await session.getBranch()).length).toBe(ids.length + 1);
  await session.close();
});

test("an empty file that another session took over first is left to it", async () => {
  using temp = new TempDirectory();
  const file = temp.write("s.jsonl", "");
  const repo = new JsonlSessionRepo({ sessionsDir: temp.path });
  const first = await repo.open(file, { cwd: "/project" });
  const second = await repo.open(file, { cwd: "/project" });
  await first.appendMessage(user("mine"));
  const text = temp.read("s.jsonl");
  await expect(second.appendMessage(user("too late"))).rejects.toMatchObject({ code: "busy" });
  expect(temp.read("s.jsonl")).toBe(text);
  await first.close();
  await expect(second.appendMessage(user("too late"))).rejects.toMatchObject({
    code: "write_failed",
    message: expect.stringContaining("it is not empty any more"),
  });
  expect(temp.read("s.jsonl")).toBe(text);
  await second.close();
});
