/** The session layer by itself, in this process: open, append, fork. */
import * as fs from "node:fs";
import * as path from "node:path";
import { JsonlSessionRepo, type Session } from "../../lib/session/mod.ts";
import { median } from "./measure.ts";
import { sessionFile } from "./sessions.ts";
import type { Benchmark, Row } from "./table.ts";

const MB = 1e6;
const APPENDS = 2000;

async function sample(samples: number, task: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < samples; round += 1) {
    const started = performance.now();
    await task();
    times.push(performance.now() - started);
  }
  return median(times);
}

export const opening: Benchmark = {
  name: "open",
  async run({ directory, samples, gigabyte }) {
    const repo = new JsonlSessionRepo({ sessionsDir: path.join(directory, "sessions") });
    const rows: Row[] = [];
    for (const size of gigabyte ? [10, 100, 1000] : [10, 100]) {
      const file = sessionFile(directory, size * MB);
      const value = await sample(samples, async () => {
        const session = await repo.open(file, { access: "read" });
        await session.buildContext();
        await session.close();
      });
      const [first] = rows;
      rows.push({
        what: `open and build the context of ${size} MB`,
        value,
        unit: "ms",
        ...(first ? { base: { what: "10 MB", value: first.value } } : {}),
        aim: { most: 15, of: "value" },
      });
    }
    return rows;
  },
};

async function append(session: Session): Promise<number> {
  const data = "x".repeat(2000);
  const started = performance.now();
  for (let count = 0; count < APPENDS; count += 1) {
    await session.appendCustomEntry("bench", data);
  }
  return (performance.now() - started) / APPENDS;
}

export const appending: Benchmark = {
  name: "append",
  async run({ directory, samples }) {
    const sessionsDir = fs.mkdtempSync(path.join(directory, "append-"));
    try {
      const repo = new JsonlSessionRepo({ sessionsDir, durability: "none" });
      const session = await repo.create({ cwd: directory });
      // The file is made with the first message.
      await session.appendMessage({ role: "user", content: "Hello", timestamp: 0 });
      const times: number[] = [];
      for (let round = 0; round < samples; round += 1) times.push(await append(session) * 1000);
      await session.close();
      return [{
        what: "append 2 KB, not synced",
        value: median(times),
        unit: "us",
        aim: { most: 15, of: "value" },
      }];
    } finally {
      fs.rmSync(sessionsDir, { recursive: true, force: true });
    }
  },
};

export const forking: Benchmark = {
  name: "fork",
  async run({ directory, samples }) {
    const sessionsDir = fs.mkdtempSync(path.join(directory, "fork-"));
    try {
      const file = sessionFile(directory, 100 * MB);
      const time = async (durability: "none" | "turn") => {
        const repo = new JsonlSessionRepo({ sessionsDir, durability });
        return await sample(samples, async () => {
          const session = await repo.fork(file, { cwd: directory });
          await session.close();
          if (session.file !== undefined) fs.rmSync(session.file);
        });
      };
      const copied = await time("none");
      const aim = { most: 120, of: "value" as const };
      return [
        { what: "fork 100 MB, not synced", value: copied, unit: "ms", aim },
        { what: "fork 100 MB", value: await time("turn"), unit: "ms", aim },
      ];
    } finally {
      fs.rmSync(sessionsDir, { recursive: true, force: true });
    }
  },
};
