import { describe, expect, test } from "bun:test";
import { memorySource } from "../../lib/session/byte_source.ts";
import { contextItems } from "../../lib/session/context.ts";
import { readHeader } from "../../lib/session/header.ts";
import { JsonlSessionStorage } from "../../lib/session/jsonl_storage.ts";
import { LogReader } from "../../lib/session/log_reader.ts";
import { SessionLog } from "../../lib/session/session_log.ts";
import type { TreeNode } from "../../lib/session/storage.ts";
import { usageOfEntries } from "../../lib/session/usage_totals.ts";
import { damage } from "../support/damage.ts";
import { MemoryFileSystem } from "../support/memory_file_system.ts";
import { NaiveReading } from "../support/naive_reading.ts";
import { Random } from "../support/random.ts";

const HEADER =
  '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}';

/** A session of any shape: branches, moves, compactions, wrong links, ids given twice. */
function randomSession(random: Random): Buffer {
  const ids: string[] = [];
  const anyId = () => ids.length === 0 || random.chance(0.03) ? "missing0" : random.pick(ids);
  const lines = [HEADER];
  let leaf: string | null = null;
  for (let left = random.int(1, 40); left > 0; left--) {
    const id = random.chance(0.04) && ids.length > 0 ? random.pick(ids) : `id${lines.length}`;
    const body = randomBody(random, anyId);
    const target: unknown = body["targetId"];
    const parentId: string | null = random.chance(0.12)
      ? anyId()
      : random.chance(0.03)
      ? `id${random.int(1, 40)}`
      : random.chance(0.03)
      ? null
      : leaf;
    const timestamp = new Date(lines.length * 1000).toISOString();
    const place = { id, parentId, timestamp };
    const { type, ...rest } = body;
    lines.push(JSON.stringify(
      random.chance(0.2) ? { ...body, ...place } : { type, ...place, ...rest },
    ));
    leaf = type === "leaf" && (typeof target === "string" || target === null) ? target : id;
    ids.push(id);
  }
  return Buffer.from(lines.map((line) => line + (random.chance(0.05) ? "\r\n" : "\n")).join(""));
}

function randomBody(random: Random, anyId: () => string): Record<string, unknown> {
  const text = "lorem ipsum ".repeat(random.int(0, 6));
  const assistant = {
    role: "assistant",
    content: [{ type: "text", text }],
    provider: "p",
    model: `m${random.int(1, 3)}`,
    ...random.chance(0.7) ? { usage: randomUsage(random) } : {},
  };
  const bodies: (() => Record<string, unknown>)[] = [
    () => ({ type: "message", message: { role: "user", content: text, timestamp: 1 } }),
    () => ({ type: "message", message: { role: "user", content: text, timestamp: 1 } }),
    () => ({ type: "message", message: assistant }),
    () => ({ type: "message", message: assistant }),
    () => ({ type: "model_change", provider: "q", modelId: "n" }),
    () => ({ type: "thinking_level_change", thinkingLevel: random.pick(["low", "high", "odd"]) }),
    () => ({ type: "label", targetId: anyId(), label: random.pick(["a", "b", ""]) }),
    () => ({ type: "session_info", name: random.pick(["x", "y", ""]) }),
    () => ({ type: "context_edit", targetId: anyId(), replacement: random.pick([null, {}]) }),
    () => ({
      type: "compaction",
      summary: "s",
      firstKeptEntryId: random.chance(0.1) ? "" : anyId(),
      tokensBefore: 1,
      ...random.chance(0.3) ? { retainedTail: [assistant] } : {},
      ...random.chance(0.5)
        ? { checkpoint: { model: null, thinkingLevel: "max", name: random.pick(["z", ""]) } }
        : {},
    }),
    () => ({ type: "leaf", targetId: random.chance(0.1) ? random.pick([null, 7]) : anyId() }),
    () => ({ type: "usage", kind: "retry", provider: "p", model: "m", usage: randomUsage(random) }),
    () => ({ type: "unheard_of", value: text, usage: randomUsage(random) }),
  ];
  return random.pick(bodies)();
}

function randomUsage(random: Random): Record<string, unknown> {
  const cost = { input: 0.5, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 };
  const counts = { input: random.int(0, 9), output: random.int(0, 9), cacheRead: 0, cacheWrite: 0 };
  const usage = { ...counts, totalTokens: counts.input + counts.output };
  return random.chance(0.8) ? { ...usage, cost } : random.chance(0.5) ? { cost, ...usage } : usage;
}

const FILE = "/s.jsonl";

function storageOf(bytes: Buffer, blockSize: number): JsonlSessionStorage {
  const fs = new MemoryFileSystem();
  fs.put(FILE, bytes);
  const fd = fs.open(FILE, "r");
  const stat = fs.stat(fd);
  const lock = { acquire: () => ({ release() {} }) };
  const log = stat && SessionLog.existing(FILE, fd, stat, { fs, lock });
  const reading = log && readHeader(log.source());
  if (!reading) throw new Error("no header");
  return new JsonlSessionStorage({
    header: reading.header,
    reader: new LogReader(log.source(), reading.end, FILE, blockSize),
    log,
    damage: [],
  }, {
    clock: { now: () => 0 },
    ids: { sessionId: () => "", entryId: () => "" },
    fs,
    lock,
    durability: "none",
  });
}

/** Each node's id with its parent's, in the order of a walk. */
function links(nodes: readonly TreeNode[], parent: string | null = null): (string | null)[][] {
  return nodes.flatMap(({ entry, children }) => [
    [entry.id, parent],
    ...links(children, entry.id),
  ]);
}

function naiveLinks(naive: NaiveReading, parent?: number): (string | null)[][] {
  const { entries, parents } = naive;
  return entries.flatMap((entry, at) =>
    entry.type !== "leaf" && parents[at] === parent
      ? [
        [entry.id, parent === undefined ? null : entries[parent]?.id ?? ""],
        ...naiveLinks(naive, at),
      ]
      : []
  );
}

/** The questions in an order of their own, each asked of a storage that was just opened, too. */
const QUESTIONS = {
  leafId: [(storage: JsonlSessionStorage) => storage.leafId, (naive: NaiveReading) => naive.leafId],
  context: [
    (storage: JsonlSessionStorage) => contextItems(storage.pathFromCompaction(storage.leafId)),
    (naive: NaiveReading) => naive.context(naive.leafId),
  ],
  settings: [
    (storage: JsonlSessionStorage) => storage.settings(storage.leafId),
    (naive: NaiveReading) => naive.settings(naive.leafId),
  ],
  path: [
    (storage: JsonlSessionStorage) => storage.path(storage.leafId),
    (naive: NaiveReading) => naive.path(naive.leafId),
  ],
  name: [(storage: JsonlSessionStorage) => storage.name, (naive: NaiveReading) => naive.name],
  labels: [
    (storage: JsonlSessionStorage) => Object.fromEntries(storage.labels),
    (naive: NaiveReading) => naive.labels,
  ],
  entries: [
    (storage: JsonlSessionStorage) => storage.entries(),
    (naive: NaiveReading) => naive.entries,
  ],
  tree: [
    (storage: JsonlSessionStorage) => links(storage.tree()),
    (naive: NaiveReading) => naiveLinks(naive),
  ],
  contexts: [
    (storage: JsonlSessionStorage) =>
      storage.entries().map(({ id }) => contextItems(storage.pathFromCompaction(id))),
    (naive: NaiveReading) => naive.entries.map(({ id }) => naive.context(id)),
  ],
} as const;

/** Asked of whole files only: a line that is broken behind its usage still tells it. */
const USAGE_QUESTION = {
  usage: [
    (storage: JsonlSessionStorage) => storage.usage(storage.leafId),
    (naive: NaiveReading) => ({
      branch: usageOfEntries(naive.path(naive.leafId)),
      session: usageOfEntries(naive.entries),
    }),
  ],
} as const;

type Questions = Readonly<
  Record<
    string,
    readonly [(storage: JsonlSessionStorage) => unknown, (naive: NaiveReading) => unknown]
  >
>;

function compare(bytes: Buffer, seed: number, random: Random, questions: Questions): void {
  const naive = new NaiveReading(bytes);
  const shared = storageOf(bytes, random.pick([16, 64, 300, 100_000]));
  const order = Object.entries(questions).sort(() => random.next() - 0.5);
  for (const [question, [ask, expected]] of order) {
    const fresh = storageOf(bytes, random.pick([16, 64, 300, 100_000]));
    const right = expected(naive);
    expect({ seed, question, answer: ask(fresh) }).toEqual({ seed, question, answer: right });
    expect({ seed, question, answer: ask(shared) }).toEqual({ seed, question, answer: right });
  }
}

/**
 * The two kinds of damage that a reader which does not parse every line cannot see. A doubled key:
 * JSON takes the last of two, a look at a line's first bytes the first. And a broken line further up
 * than was read, if an entry down here has its id: then even the links that were read change.
 */
function isBeyondLazyReading(bytes: Buffer): boolean {
  return /"id":[^\n{}]*,"id":/.test(bytes.toString("latin1")) || new NaiveReading(bytes).looksAhead;
}

describe("JsonlSessionStorage", () => {
  test("reads any tree from its end as it would from its beginning", () => {
    for (let seed = 1; seed <= 800; seed++) {
      const random = new Random(seed);
      compare(randomSession(random), seed, random, { ...QUESTIONS, ...USAGE_QUESTION });
    }
  });

  test("reads any damaged file from its end as it would from its beginning", () => {
    for (let seed = 1; seed <= 800; seed++) {
      const random = new Random(seed);
      const bytes = Buffer.from(damage(randomSession(random), random).bytes);
      if (readHeader(memorySource(bytes)) && !isBeyondLazyReading(bytes)) {
        compare(bytes, seed, random, QUESTIONS);
      }
    }
  });
});
