import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { JsonlSessionRepo, SessionError } from "../../lib/session/mod.ts";
import { repairSession } from "../../lib/session/repair.ts";
import { verifySession } from "../../lib/session/verify.ts";
import { user, viewOf } from "../support/session_disk.ts";
import { SmallDisk, whyNoSmallDisk } from "../support/small_disk.ts";
import { TempDirectory } from "../support/temp.ts";

function reasonToSkip(): string | undefined {
  using temp = new TempDirectory();
  return whyNoSmallDisk(temp);
}
const reason = reasonToSkip();
const title = (text: string) => reason === undefined ? text : `${text} (skipped: ${reason})`;

async function failure(action: Promise<unknown>): Promise<SessionError> {
  const error = await action.then(() => undefined, (thrown: unknown) => thrown);
  if (error instanceof SessionError) return error;
  throw new Error("it did not fail as it should", { cause: error });
}

test.skipIf(reason !== undefined)(
  title("a full disk: the append fails by name, memory and file agree, and it goes on after"),
  async () => {
    using temp = new TempDirectory();
    using disk = new SmallDisk(temp, 65536);
    const repo = new JsonlSessionRepo({ sessionsDir: disk.path });
    const session = await repo.create({ cwd: "/project" });
    await session.appendMessage(user("first"));
    const before = await viewOf(session);
    const filling = disk.fill();
    const error = await failure(session.appendMessage(user("x".repeat(9000))));
    expect(error.code).toBe("write_failed");
    expect(error.message).toContain("ENOSPC: no space left on device");
    expect(await viewOf(session)).toEqual(before);
    const file = session.file ?? "";
    const reread = await repo.open(file, { access: "read" });
    expect(await viewOf(reread)).toEqual(before);
    await reread.close();
    fs.rmSync(filling);
    const id = await session.appendMessage(user("third"));
    expect((await session.getBranch()).map((entry) => entry.id)).toEqual([before.leafId ?? "", id]);
    await session.close();
    expect(verifySession(file).findings).toEqual([]);
  },
);

test.skipIf(reason !== undefined)(
  title("a full disk: a new session leaves no file, a repair leaves the damaged one"),
  async () => {
    using temp = new TempDirectory();
    using disk = new SmallDisk(temp, 65536);
    const repo = new JsonlSessionRepo({ sessionsDir: disk.path, flat: true });
    const session = await repo.create({ cwd: "/project" });
    await session.appendMessage(user("y".repeat(9000)));
    await session.close();
    const file = session.file ?? "";
    fs.appendFileSync(file, '{"type":"mess');
    const damaged = fs.readFileSync(file, "utf8");
    disk.fill();
    const other = await repo.create({ cwd: "/project" });
    expect((await failure(other.appendMessage(user("x".repeat(9000))))).code).toBe("write_failed");
    await other.close();
    expect(() => repairSession(file)).toThrow(expect.objectContaining({ code: "write_failed" }));
    expect(fs.readFileSync(file, "utf8")).toBe(damaged);
    const left = fs.readdirSync(disk.path).filter((name) => name !== "fill");
    expect(left.map((name) => `${disk.path}/${name}`)).toEqual([file]);
  },
);
