/**
 * What the writer's lock and `durability` cost, for each append and for each turn, against a bare
 * append: `npm run bench -- lock`.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { type Durability, FileLock, JsonlSessionRepo } from "../../lib/session/mod.ts";
import { noUsage } from "../../lib/session/message.ts";
import { median } from "./measure.ts";
import type { Benchmark, BenchmarkOptions, Row } from "./table.ts";

const TEXT = "x".repeat(800);
/** Entries of a turn: a question, an answer with a call, its result, an answer. */
const TURN = [
  { role: "user" as const, content: TEXT, timestamp: 1 },
  answer("toolUse"),
  {
    role: "toolResult" as const,
    toolCallId: "c",
    toolName: "bash",
    content: [{ type: "text" as const, text: TEXT }],
    isError: false,
    timestamp: 1,
  },
  answer("stop"),
];

function answer(stopReason: "toolUse" | "stop") {
  return {
    role: "assistant" as const,
    content: [{ type: "text" as const, text: TEXT }],
    api: "a",
    provider: "p",
    model: "m",
    usage: noUsage(),
    stopReason,
    timestamp: 1,
  };
}

async function medianMicroseconds(
  samples: number,
  run: () => unknown,
): Promise<number> {
  const times: number[] = [];
  for (let sample = 0; sample <= samples; sample++) {
    const start = performance.now();
    await run();
    // The first one warms up.
    if (sample > 0) times.push((performance.now() - start) * 1000);
  }
  return median(times);
}

/** An empty place for one measurement. */
function freshDirectory({ directory }: BenchmarkOptions): string {
  fs.mkdirSync(directory, { recursive: true });
  return fs.mkdtempSync(path.join(directory, "lock-"));
}

async function measureBare(directory: string, samples: number): Promise<number> {
  const line = `${JSON.stringify({ type: "message", message: TURN[0] })}\n`;
  const fd = fs.openSync(path.join(directory, "bare.jsonl"), "a");
  const value = await medianMicroseconds(samples, () => fs.writeSync(fd, line));
  fs.closeSync(fd);
  return value;
}

async function measureAppends(
  directory: string,
  samples: number,
  durability: Durability,
): Promise<{ append: number; turn: number }> {
  const repo = new JsonlSessionRepo({ sessionsDir: directory, durability });
  const session = await repo.create({ cwd: directory, id: durability });
  const [question] = TURN;
  const append = await medianMicroseconds(
    samples,
    () => question && session.appendMessage(question),
  );
  const turn = await medianMicroseconds(samples, async () => {
    for (const message of TURN) await session.appendMessage(message);
  });
  await session.close();
  return { append, turn };
}

async function measureLock(
  directory: string,
  samples: number,
  kind: "flock" | "link",
): Promise<number> {
  const file = path.join(directory, `${kind}.jsonl`);
  const fd = fs.openSync(file, "a", 0o600);
  const lock = new FileLock(kind === "link" ? { flock: null } : {});
  const value = await medianMicroseconds(samples, () => lock.acquire(file, fd).release());
  fs.closeSync(fd);
  return value;
}

async function measure(options: BenchmarkOptions): Promise<Row[]> {
  const directory = freshDirectory(options);
  const samples = options.samples * 10;
  try {
    const bare = await measureBare(directory, samples);
    const base = { what: "a bare append", value: bare };
    const baseTurn = { what: "four bare appends", value: bare * TURN.length };
    const rows: Row[] = [{ what: "a bare append of 1 KB", value: bare, unit: "us" }];
    for (const kind of ["flock", "link"] as const) {
      const value = await measureLock(directory, samples, kind);
      rows.push({ what: `taking and releasing the lock (${kind})`, value, unit: "us", base });
    }
    for (const durability of ["none", "turn", "entry"] as const) {
      const { append, turn } = await measureAppends(directory, samples, durability);
      rows.push(
        { what: `an append, durability ${durability}`, value: append, unit: "us", base },
        { what: `a turn, durability ${durability}`, value: turn, unit: "us", base: baseTurn },
      );
    }
    return rows;
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
}

export const locking: Benchmark = { name: "lock", run: measure };
