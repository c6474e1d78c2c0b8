/** Sessions on a disk of a test's own, with the ports that the test chooses. */
import type { Clock, FileSystem, Ids } from "../../lib/session/mod.ts";
import {
  type Durability,
  FileLock,
  JsonlSessionRepo,
  noUsage,
  type Session,
  type SessionLock,
} from "../../lib/session/mod.ts";

/** A clock that goes on by a second each time it is asked. */
export class SteadyClock implements Clock {
  #now = Date.parse("2026-04-01T10:00:00.000Z");
  now(): number {
    return this.#now += 1000;
  }
}

/** Ids in order: f0000000, f0000001, … */
export class CountedIds implements Ids {
  #entries = 0;
  #sessions = 0;
  sessionId(): string {
    return `0195ffff-0000-7000-8000-${(this.#sessions++).toString(16).padStart(12, "0")}`;
  }
  entryId(width: 8 | 16): string {
    return `f${(this.#entries++).toString(16).padStart(width - 1, "0")}`;
  }
}

/** The lock of a disk that is no real one: a lock file. */
export function diskLock(fs: FileSystem): FileLock {
  return new FileLock({ fs, flock: null, networkFileSystem: () => undefined });
}

/** A repo on a disk, the same ids and times each time. */
export function repoOn(
  fs: FileSystem,
  options: { sessionsDir?: string; durability?: Durability; lock?: SessionLock; ids?: Ids } = {},
): JsonlSessionRepo {
  const { sessionsDir = "/sessions", durability = "turn" } = options;
  const { lock = diskLock(fs), ids = new CountedIds() } = options;
  return new JsonlSessionRepo({ sessionsDir, fs, durability, lock, clock: new SteadyClock(), ids });
}

/** Everything that a session tells, to compare it with its file read anew. */
export async function viewOf(session: Session) {
  return {
    id: session.id,
    leafId: session.leafId,
    name: session.name,
    labels: [...session.labels],
    entries: await session.getEntries(),
    tree: await session.getTree(),
    branch: await session.getBranch(),
    context: await session.buildContext(),
  };
}

/** What the file of a session tells when it is read anew. */
export async function viewOfFile(fs: FileSystem, file: string) {
  const session = await repoOn(fs).open(file, { access: "read" });
  const view = await viewOf(session);
  const damage = session.damage;
  await session.close();
  return { view, damage };
}

export function user(text: string) {
  return { role: "user" as const, content: text, timestamp: 1 };
}

export function answer(text: string) {
  return {
    role: "assistant" as const,
    content: [{ type: "text" as const, text }],
    api: "a",
    provider: "p",
    model: "m",
    usage: noUsage(),
    stopReason: "stop" as const,
    timestamp: 1,
  };
}
