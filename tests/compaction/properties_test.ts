import { expect, test } from "bun:test";
import type { ModelRequest } from "../../lib/agent/mod.ts";
import {
  compact,
  type CompactionReason,
  contextTokens,
  estimateMessage,
  type PlanOptions,
} from "../../lib/compaction/mod.ts";
import {
  type ContextItem,
  MemorySessionRepo,
  type Message,
  type Session,
  textOf,
} from "../../lib/session/mod.ts";
import { withoutFileBlocks } from "../../lib/compaction/files.ts";
import { textOfTokens } from "../support/conversation.ts";
import { History } from "../support/histories.ts";
import { Random } from "../support/random.ts";
import { scriptedModel } from "../support/scripted_model.ts";

const SEEDS = Array.from({ length: 40 }, (_, index) => index + 1);
const REASONS: readonly CompactionReason[] = ["threshold", "manual", "overflow"];

/** What the files, the headings and the tags of a summary may add to its texts. */
const FRAME_TOKENS = 120;

/** One compaction of a random history, with all that the properties are about. */
interface Compaction {
  before: readonly ContextItem[];
  after: readonly ContextItem[];
  requests: readonly ModelRequest[];
  options: PlanOptions;
  /** The newest user message that the model could read, if any. */
  newest: string | undefined;
  session: Session;
  leafBefore: string | null;
  leafAfter: string | null;
  /** Whether the result says that something is too large. */
  isOversized: boolean;
}

/** Compacts random histories again and again, and looks at each compaction. */
async function forEachCompaction(
  look: (compaction: Compaction, name: string) => void | Promise<void>,
): Promise<void> {
  let count = 0;
  for (const seed of SEEDS) {
    const random = new Random(seed);
    const session = await new MemorySessionRepo().create({ cwd: "/tmp" });
    const history = new History(session, random, { charactersMax: random.pick([400, 4_000]) });
    for (let round = 0; round < 6; round++) {
      const steps = random.int(1, 12);
      for (let step = 0; step < steps; step++) await history.grow();
      const compaction = await compactOnce(history, random);
      if (!compaction) continue;
      count++;
      await look(compaction, `seed ${seed}, round ${round}`);
    }
  }
  // A generator that leaves nothing to compact would prove nothing.
  expect(count).toBeGreaterThan(100);
}

async function compactOnce(history: History, random: Random): Promise<Compaction | undefined> {
  const { session } = history;
  const context = { items: await session.contextItems(), branch: await session.getBranch() };
  const options: PlanOptions = {
    settings: {
      enabled: true,
      reserveTokens: random.pick([500, 2_000, 16_384]),
      keepRecentTokens: random.pick([100, 800, 20_000]),
    },
    window: {
      contextWindow: random.pick([6_000, 12_000, 100_000]),
      maxTokens: 0,
      overheadTokens: random.pick([0, 800]),
    },
    reason: random.pick(REASONS),
  };
  const answer = ({ maxTokens = 0 }: ModelRequest) => ({
    text: textOfTokens(Math.ceil(maxTokens * random.next()), history.text(0)),
  });
  const { contextWindow, maxTokens, overheadTokens } = options.window;
  const model = scriptedModel(Array.from({ length: 24 }, () => answer), {
    contextWindow,
    maxTokens,
  });
  const leafBefore = session.leafId;
  const { settings, reason } = options;
  const signal = new AbortController().signal;
  const outcome = await compact(context, { model, settings, overheadTokens, reason, signal });
  if (!outcome.ok) {
    expect(["nothing_to_compact", "oversized"]).toContain(outcome.failure.code);
    expect(model.requests).toEqual([]);
    return undefined;
  }
  await session.appendCompaction(outcome.compaction);
  const newest = context.items.findLast(({ message }) => message.role === "user")?.message;
  return {
    before: context.items,
    after: await session.contextItems(),
    requests: model.requests,
    options,
    newest: newest && textOfMessage(newest),
    session,
    leafBefore,
    leafAfter: session.leafId,
    isOversized: outcome.oversized !== undefined,
  };
}

function textOfMessage(message: Message): string {
  switch (message.role) {
    case "compactionSummary":
    case "branchSummary":
      return message.summary;
    case "bashExecution":
      return message.output;
    default:
      return textOf(message.content);
  }
}

/** The marks of a message's texts, and of the paths of its calls. */
function marks(message: Message): string[] {
  if (estimateMessage(message) === 0) return [];
  if (message.role === "compactionSummary") {
    return withoutFileBlocks(message.summary).match(/#\d+#/g) ?? [];
  }
  const own = textOfMessage(message).match(/^#\d+#/) ?? [];
  if (message.role !== "assistant" || message.stopReason === "aborted") return [...own];
  const paths = message.content.flatMap((block) =>
    block.type === "toolCall" ? [JSON.stringify(block.arguments).match(/#\d+#/)?.[0] ?? ""] : []
  );
  return [...own, ...paths];
}

/** The calls and results that belong together, by the place of their items. */
function pairs(items: readonly ContextItem[]): [call: ContextItem, result: ContextItem][] {
  return items.flatMap((item, at): [ContextItem, ContextItem][] => {
    const { message } = item;
    if (message.role !== "toolResult") return [];
    const call = items.slice(0, at).findLast((earlier) =>
      earlier.message.role === "assistant" &&
      earlier.message.content.some((block) =>
        block.type === "toolCall" && block.id === message.toolCallId
      )
    );
    return call ? [[call, item]] : [];
  });
}

/** Where, past its beginning, a kept part could have begun as well. */
function placesToCut(kept: readonly ContextItem[]): number[] {
  const spans = pairs(kept).map(([call, result]) => [kept.indexOf(call), kept.indexOf(result)]);
  return kept.flatMap((item, at) => {
    if (at === 0 || item.message.role === "toolResult") return [];
    if (spans.some(([call = 0, result = 0]) => call < at && at <= result)) return [];
    return kept.slice(at).some(({ message }) => estimateMessage(message) > 0) ? [at] : [];
  });
}

test("compact() never parts a call from its result", async () => {
  await forEachCompaction(({ before, after }, name) => {
    const kept = new Set(after.map(({ entry }) => entry.id));
    for (const [call, result] of pairs(before)) {
      expect([name, kept.has(call.entry.id)]).toEqual([name, kept.has(result.entry.id)]);
    }
    expect([name, after[1]?.message.role === "toolResult"]).toEqual([name, false]);
  });
});

test("compact() leaves no more than the settings say, but for one thing that is reported", async () => {
  let oversized = 0;
  await forEachCompaction(async ({ session, after, options, newest, isOversized }, name) => {
    const { settings, window } = options;
    const sum = (items: readonly ContextItem[]) =>
      items.reduce((tokens, { message }) => tokens + estimateMessage(message), 0);
    const [summary, ...kept] = after;
    const isRepeated = newest !== undefined && summary !== undefined &&
      textOfMessage(summary.message).includes(`<current-request>\n${newest}\n`);
    const repeated = isRepeated ? Math.ceil((newest?.length ?? 0) / 4) : 0;
    const stays = sum(kept) + repeated;
    if (isOversized) {
      oversized++;
      // One message, or one call with its results: nothing less could have been kept.
      expect([name, placesToCut(kept)]).toEqual([name, []]);
      return;
    }
    expect([name, stays <= settings.keepRecentTokens]).toEqual([name, true]);
    const context = { items: after, branch: await session.getBranch() };
    const { tokens } = contextTokens(context, window.overheadTokens);
    const limit = window.contextWindow -
      Math.min(settings.reserveTokens, window.contextWindow / 4) + FRAME_TOKENS;
    expect([name, tokens <= limit]).toEqual([name, true]);
  });
  expect(oversized).toBeGreaterThan(0);
});

test("compact() loses nothing: what is not kept, and the last summary, is summarized", async () => {
  await forEachCompaction(({ before, after, requests, newest }, name) => {
    const kept = new Set(after.map(({ entry }) => entry.id));
    const asked = requests.map(({ messages: [message] }) =>
      message?.role === "user" ? textOf(message.content) : ""
    ).join("\n");
    for (const { entry, message } of before) {
      if (kept.has(entry.id)) continue;
      for (const mark of marks(message)) {
        expect([name, mark, asked.includes(mark)]).toEqual([name, mark, true]);
      }
    }
    const texts = after.map(({ message }) => textOfMessage(message)).join("\n");
    expect([name, texts.includes(newest ?? "")]).toEqual([name, true]);
  });
});

test("moveTo() above a compaction brings the old context back exactly", async () => {
  await forEachCompaction(async ({ session, before, after, leafBefore, leafAfter }, name) => {
    await session.moveTo(leafBefore);
    expect([name, await session.contextItems()]).toEqual([name, [...before]]);
    await session.moveTo(leafAfter);
    expect([name, await session.contextItems()]).toEqual([name, [...after]]);
  });
});
