import { describe, expect, test } from "bun:test";
import { contextItems, contextPart, settingsOf } from "../../lib/session/context.ts";
import { type EntryBody, noUsage, type SessionEntry } from "../../lib/session/mod.ts";
import { soundEntry } from "../../lib/session/sound.ts";

/** A path of entries a, b, c, … */
function path(...bodies: EntryBody[]): SessionEntry[] {
  return bodies.map((body, at) => ({
    ...body,
    id: String.fromCharCode(97 + at),
    parentId: at === 0 ? null : String.fromCharCode(96 + at),
    timestamp: new Date(at).toISOString(),
  }));
}

function user(content: string): EntryBody {
  return { type: "message", message: { role: "user", content, timestamp: 1 } };
}

function assistant(model: string): EntryBody {
  const content = [{ type: "text" as const, text: model }];
  const answer = { api: "", provider: "p", model, usage: noUsage(), stopReason: "stop" as const };
  return { type: "message", message: { role: "assistant", content, timestamp: 2, ...answer } };
}

function compaction(firstKeptEntryId: string, more = {}): EntryBody {
  return { type: "compaction", summary: "SUM", firstKeptEntryId, tokensBefore: 7, ...more };
}

/** The ids of the entries that the context is made of. */
function ids(entries: SessionEntry[]): string {
  return contextItems(entries).map(({ entry }) => entry.id).join("");
}

describe("contextItems()", () => {
  test("gives each entry's message", () => {
    const entries = path(
      user("u"),
      { type: "custom_message", customType: "c", content: "x", display: true, details: 1 },
      { type: "branch_summary", summary: "left", fromId: "z" },
      { type: "custom", customType: "c" },
      { type: "label", targetId: "a", label: "l" },
      compaction(""),
    );
    expect(contextItems(entries.slice(0, -1)).map(({ message }) => message)).toEqual([
      { role: "user", content: "u", timestamp: 1 },
      { role: "custom", customType: "c", content: "x", display: true, details: 1, timestamp: 1 },
      { role: "branchSummary", summary: "left", fromId: "z", timestamp: 2 },
    ]);
    expect(contextItems(entries).map(({ message }) => message)).toEqual([
      { role: "compactionSummary", summary: "SUM", tokensBefore: 7, timestamp: 5 },
    ]);
  });

  test.each([
    ["fdegh", "d"],
    ["fgh", "f"],
    ["fgh", ""],
    ["fgh", "nowhere"],
    ["fgh", "g"],
    ["fabcdegh", "a"],
  ])("is %s where the compaction f keeps from %j on", (expected: string, kept: string) => {
    const entries = path(
      user("a"),
      user("b"),
      user("c"),
      user("d"),
      user("e"),
      compaction(kept),
      user("g"),
      user("h"),
    );
    expect(ids(entries)).toBe(expected);
    expect(ids(contextPart(entries))).toBe(expected);
  });

  test("lets the last compaction rule, an older one in its kept part adding nothing", () => {
    expect(ids(path(user("a"), user("b"), compaction("b"), user("d"), compaction("b")))).toBe(
      "ebd",
    );
  });

  test("takes a compaction's own tail for what it keeps", () => {
    const tail = [{ role: "user" as const, content: "tail", timestamp: 3 }];
    const entries = path(user("a"), compaction("a", { retainedTail: tail }), user("c"));
    expect(contextItems(entries).map(({ entry, message }) => [entry.id, message.role])).toEqual([
      ["b", "compactionSummary"],
      ["b", "user"],
      ["c", "user"],
    ]);
  });

  test("leaves out of a compaction's tail what is no message of a role that is known", () => {
    const line = {
      type: "compaction",
      id: "b",
      retainedTail: [{ role: "later" }, { role: "user" }],
    };
    const entry = soundEntry(line);
    expect(entry && contextItems([entry]).map(({ message }) => message.role)).toEqual([
      "compactionSummary",
      "user",
    ]);
  });

  test("applies the last edit of each target", () => {
    const edit = (targetId: string, replacement: null | { content: string }): EntryBody => ({
      type: "context_edit",
      targetId,
      replacement,
    });
    const entries = path(
      user("a"),
      assistant("b"),
      user("c"),
      edit("a", null),
      edit("b", { content: "shorter" }),
      edit("c", null),
      edit("c", { content: "back" }),
    );
    expect(contextItems(entries).map(({ message }) => message)).toMatchObject([
      { role: "assistant", content: [{ type: "text", text: "shorter" }], model: "b" },
      { role: "user", content: "back" },
    ]);
    expect(entries[1]).toMatchObject({ message: { content: [{ text: "b" }] } });
  });

  test("an edit of a compaction can leave it out, but has no content to replace", () => {
    const edit = { type: "context_edit" as const, targetId: "b" };
    expect(ids(path(user("a"), compaction("a"), { ...edit, replacement: null }))).toBe("a");
    expect(ids(path(user("a"), compaction("a"), { ...edit, replacement: { content: "x" } }))).toBe(
      "ba",
    );
  });
});

describe("settingsOf()", () => {
  test("takes the last model and level of the path", () => {
    expect(settingsOf([])).toEqual({ model: null, thinkingLevel: "off" });
    expect(settingsOf(path(
      { type: "model_change", provider: "q", modelId: "n" },
      { type: "thinking_level_change", thinkingLevel: "low" },
      assistant("m"),
      user("x"),
    ))).toEqual({ model: { provider: "p", modelId: "m" }, thinkingLevel: "low" });
  });

  test("takes a compaction's checkpoint for all that is above it", () => {
    const checkpoint = { model: { provider: "c", modelId: "k" }, thinkingLevel: "max" as const };
    const above = path(assistant("m"), compaction("", { checkpoint }));
    expect(settingsOf(above)).toEqual(checkpoint);
    expect(settingsOf(above.slice(1))).toEqual(checkpoint);
    for (const broken of [null, 7, {}, { model: 1, thinkingLevel: "max" }, { model: null }]) {
      const entries = path(assistant("m"), compaction("", { checkpoint: broken }));
      expect(settingsOf(entries).model).toEqual({ provider: "p", modelId: "m" });
    }
  });
});
