/**
 * Pi reads what we write. Needs Pi itself, which is no dependency of ours: install
 * `@earendil-works/pi-coding-agent` anywhere and name its directory in `PI_PACKAGE`.
 */
import { expect, test } from "bun:test";
import * as path from "node:path";
import { JsonlSessionRepo, noUsage, type Session } from "../../lib/session/mod.ts";
import { Random } from "../support/random.ts";
import { TempDirectory } from "../support/temp.ts";

interface PiSession {
  getBranch(): { id: string; type: string }[];
  getEntries(): unknown[];
  getSessionName(): string | undefined;
  getLabel(id: string): string | undefined;
  buildSessionContext(): { messages: unknown[]; model: unknown; thinkingLevel: string };
}

const PI = process.env["PI_PACKAGE"];

async function openInPi(file: string): Promise<PiSession> {
  const { SessionManager } = await import(path.join(PI ?? "", "dist/index.js"));
  return SessionManager.open(file);
}

/** Does something to a session, and sometimes moves to another branch without a word. */
async function step(session: Session, random: Random): Promise<void> {
  const entries = await session.getEntries();
  const ids = entries.filter(({ type }) => type !== "leaf").map(({ id }) => id);
  const branch = (await session.getBranch()).map(({ id }) => id);
  const content = `text ${random.int(0, 999)} 🌳\u2028`;
  const usage = noUsage();
  const answer = { api: "a", provider: "p", model: `m${random.int(1, 3)}`, usage, timestamp: 2 };
  const steps: (() => Promise<unknown>)[] = [
    () => session.appendMessage({ role: "user", content, timestamp: 1 }),
    () =>
      session.appendMessage({
        role: "assistant",
        content: [{ type: "text", text: content }],
        stopReason: "stop",
        ...answer,
      }),
    () => session.appendModelChange("q", "n"),
    () => session.appendThinkingLevelChange(random.pick(["low", "high"])),
    () => session.appendCustomEntry("state", { n: 1 }),
    () => session.appendCustomMessage({ customType: "c", content, display: true }),
    () => session.appendLabel(random.pick(ids), random.pick(["a", "b", ""])),
    () => session.appendSessionName(random.pick(["one", "two", ""])),
    () => session.appendUsage({ kind: "k", provider: "p", model: "m", usage }),
    () => session.appendContextEdit(random.pick(branch), random.pick([null, { content: "x" }])),
    () => session.moveTo(random.pick(ids)),
    () => session.moveTo(random.pick(ids)),
    () => session.moveTo(random.pick(ids), { summary: { summary: content } }),
    () =>
      session.appendCompaction({
        summary: content,
        firstKeptEntryId: random.pick([...branch, ""]),
        tokensBefore: 9,
      }),
  ];
  await (branch.length === 0 ? steps[0]?.() : random.pick(steps)());
}

/** A message without what the two programs may tell differently: when a summary was made. */
function plain(message: unknown): unknown {
  return JSON.parse(
    JSON.stringify(message, (key, value) => key === "timestamp" ? undefined : value),
  );
}

async function compare(session: Session, seed: number): Promise<void> {
  const pi = await openInPi(session.file ?? "");
  const context = await session.buildContext();
  const theirs = pi.buildSessionContext();
  const branch = pi.getBranch().filter(({ type }) => type !== "leaf").map(({ id }) => id);
  expect({ seed, branch }).toEqual({
    seed,
    branch: (await session.getBranch()).map(({ id }) => id),
  });
  expect({ seed, messages: theirs.messages.map(plain) }).toEqual({
    seed,
    messages: context.messages.map(plain),
  });
  expect([seed, theirs.model, theirs.thinkingLevel]).toEqual([
    seed,
    context.model,
    context.thinkingLevel,
  ]);
  expect([seed, pi.getSessionName()]).toEqual([seed, session.name]);
  for (const [id, label] of session.labels) expect([seed, pi.getLabel(id)]).toEqual([seed, label]);
  expect(pi.getEntries().length).toBe((await session.getEntries()).length);
}

test.skipIf(PI === undefined)(
  "Pi reads our sessions on the same branch, with the same context (needs PI_PACKAGE)",
  async () => {
    for (let seed = 1; seed <= 60; seed++) {
      using temp = new TempDirectory();
      const random = new Random(seed);
      const repo = new JsonlSessionRepo({ sessionsDir: temp.path, durability: "none" });
      const session = await repo.create({ cwd: temp.cwd });
      for (let left = random.int(1, 40); left > 0; left--) await step(session, random);
      await compare(session, seed);
      const fork = await repo.fork(session);
      await compare(fork, seed);
      await fork.close();
      await session.close();
    }
  },
  60_000,
);
