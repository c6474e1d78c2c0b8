import { expect, test } from "bun:test";
import { SessionError } from "../../lib/session/errors.ts";
import type { Session, TreeNode } from "../../lib/session/mod.ts";
import { repairSession } from "../../lib/session/repair.ts";
import { verifySession } from "../../lib/session/verify.ts";
import { damage } from "../support/damage.ts";
import { MemoryFileSystem } from "../support/memory_file_system.ts";
import { Random } from "../support/random.ts";
import { sampleText } from "../support/sample_session.ts";
import { diskLock, repoOn, user, viewOf, viewOfFile } from "../support/session_disk.ts";

const FILE = "/sessions/2026-03-02T09-00-00-000Z_0195a000-0000-7000-8000-000000000001.jsonl";
const VARIANTS = 3000;

/** What of a tree does not change by giving an entry another id. */
function shapeOf(nodes: readonly TreeNode[]): unknown[] {
  return nodes.map(({ entry, children }) => [
    entry.type,
    entry.type === "message" ? entry.message : entry.timestamp,
    shapeOf(children),
  ]);
}

async function openOrRefused(
  disk: MemoryFileSystem,
  access?: "read",
): Promise<Session | undefined> {
  try {
    return await repoOn(disk).open(FILE, access ? { access } : {});
  } catch (error) {
    if (error instanceof SessionError && error.code === "not_a_session") return undefined;
    throw error;
  }
}

/** A repair that adds, leaves out or wraps an entry gives another tree on purpose. */
const CHANGES_THE_TREE = /was given a result|once more|custom entry|put first|header made again/;

/** Each variant on its own disk; what fails says which seed and which damage. */
async function checkVariant(seed: number): Promise<void> {
  const { bytes, done } = damage(new TextEncoder().encode(sampleText()), new Random(seed));
  const disk = new MemoryFileSystem();
  disk.put(FILE, bytes);
  const what = `seed ${seed}: ${done.join(", ")}`;
  const session = await openOrRefused(disk, "read");
  const before = session && await viewOf(session);
  await session?.close();
  const { findings } = verifySession(FILE, { fs: disk });
  expect([what, disk.get(FILE)]).toEqual([what, bytes]);
  const ports = { fs: disk, lock: diskLock(disk) };
  let changes;
  try {
    ({ changes } = repairSession(FILE, ports));
  } catch (error) {
    if (error instanceof SessionError && /not_a_session|newer_version/.test(error.code)) return;
    throw new Error(what, { cause: error });
  }
  expect([what, changes.length > 0]).toEqual([what, findings.length > 0]);
  expect([what, verifySession(FILE, ports).findings]).toEqual([what, []]);
  expect([what, repairSession(FILE, ports).changes]).toEqual([what, []]);
  const after = await viewOfFile(disk, FILE);
  expect([what, after.damage]).toEqual([what, []]);
  if (!before || changes.some(({ did }) => CHANGES_THE_TREE.test(did))) return;
  expect([what, shapeOf(after.view.tree)]).toEqual([what, shapeOf(before.tree)]);
  expect([what, after.view.context, after.view.name]).toEqual([what, before.context, before.name]);
}

test("a damaged session opens or is refused, and repair() makes the same tree sound", async () => {
  for (let seed = 1; seed <= VARIANTS; seed++) await checkVariant(seed);
}, 60_000);

test("a damaged session is appended to without losing what was readable", async () => {
  for (let seed = 1; seed <= VARIANTS / 3; seed++) {
    const { bytes, done } = damage(new TextEncoder().encode(sampleText()), new Random(seed));
    const disk = new MemoryFileSystem();
    disk.put(FILE, bytes);
    const what = `seed ${seed}: ${done.join(", ")}`;
    const session = await openOrRefused(disk);
    if (!session || session.header.version !== 3) continue;
    const before = await viewOf(session);
    const id = await session.appendMessage(user("next"));
    const view = await viewOf(session);
    await session.close();
    expect([what, view.branch.slice(0, -1)]).toEqual([what, before.branch]);
    expect([what, view.branch.at(-1)?.id]).toEqual([what, id]);
    expect([what, (await viewOfFile(disk, FILE)).view]).toEqual([what, view]);
  }
}, 60_000);
