import { describe, expect, test } from "bun:test";
import { ageOf } from "../../../lib/runtime/commands/ages.ts";
import { isConversation, lineOf } from "../../../lib/runtime/commands/entry_line.ts";
import { oneLine } from "../../../lib/runtime/modes/terminal_text.ts";
import { cutTo, textColumns } from "../../../lib/runtime/commands/text_columns.ts";
import { MemorySessionRepo } from "../../../lib/session/mod.ts";
import { soundEntry } from "../../../lib/session/sound.ts";
import { assistant } from "../../support/conversation.ts";
import { Random } from "../../support/random.ts";

describe("ageOf()", () => {
  const now = Date.parse("2026-03-05T12:00:00Z");
  const rows: [ms: number, age: string][] = [
    [-5000, "just now"],
    [59_999, "just now"],
    [60_000, "1 minute ago"],
    [3_599_999, "59 minutes ago"],
    [3 * 3_600_000, "3 hours ago"],
    [24 * 3_600_000, "1 day ago"],
    [29 * 86_400_000, "29 days ago"],
  ];
  for (const [ms, age] of rows) {
    test(`says ${age}`, () => expect(ageOf(now - ms, now)).toBe(age));
  }
  test("says the date from a month on", () => {
    expect(ageOf(Date.parse("2026-01-05T12:00:00Z"), now)).toBe("2026-01-05");
  });
});

describe("textColumns()", () => {
  const columns = [{ heading: "age" }, { heading: "n", align: "right" }, {
    heading: "what",
    givesWay: true,
  }] as const;
  const rows = [["now", "5", "これは長い題名です"], ["then", "12", "a\ttab and\nlines \x1b[31m"]];

  test("aligns for a terminal, and cuts the column that gives way", () => {
    expect(textColumns(columns, rows, 24)).toBe(
      "age    n  what\n" + "now    5  これは長い題…\n" + "then  12  a tab and lin…\n",
    );
  });

  test("fits where the other columns alone do not", () => {
    expect(textColumns(columns, rows, 10).split("\n")).toEqual([
      "age    n …",
      "now    5 …",
      "then  12 …",
      "",
    ]);
  });

  test("gives whole cells with tabs between where there is no terminal", () => {
    expect(textColumns(columns, rows, undefined)).toBe(
      "now\t5\tこれは長い題名です\nthen\t12\ta tab and lines ␛[31m\n",
    );
  });

  test("shows of ids what tells them apart, where it is narrow", () => {
    const ids = ["0195a000-0000-7000-8000-000000000001", "0195a000-0000-7001-8000-0", "nightly"];
    const shown = (width: number | undefined) =>
      textColumns(
        [{ heading: "id", isId: true }],
        [...ids, ...ids].map((id) => [id]),
        width,
      ).split("\n").slice(width === undefined ? 0 : 1).slice(0, 3);
    expect(shown(80)).toEqual(["0195a000-0000-7000", "0195a000-0000-7001", "nightly"]);
    expect(shown(120)).toEqual(ids);
    expect(shown(undefined)).toEqual(ids);
  });

  test("has no heading over nothing", () => expect(textColumns(columns, [], 80)).toBe(""));
});

test("cutTo() counts wide characters twice, and keeps what fits", () => {
  expect(["abcdef", "日本語です", "ab"].map((text) => cutTo(text, 5))).toEqual([
    "abcd…",
    "日本…",
    "ab",
  ]);
});

describe("lineOf()", () => {
  const rows: [body: Record<string, unknown>, who: string, text: string][] = [
    [
      { type: "message", message: { role: "user", content: " a\n b ", timestamp: 1 } },
      "you",
      "a b",
    ],
    [
      {
        type: "message",
        message: { role: "user", content: [{ type: "image", data: "", mimeType: "" }] },
      },
      "you",
      "[image]",
    ],
    [
      { type: "message", message: assistant("Look", { calls: [["c", "read", { path: "a.ts" }]] }) },
      "model",
      "Look · read(a.ts)",
    ],
    [
      {
        type: "message",
        message: { ...assistant("", { stopReason: "error" }), errorMessage: "no" },
      },
      "model",
      "failed: no",
    ],
    [
      {
        type: "message",
        message: { role: "toolResult", toolName: "ls", content: [], isError: true },
      },
      "ls",
      "failed:",
    ],
    [{ type: "compaction", summary: "So far" }, "compaction", "So far"],
    [{ type: "context_edit", targetId: "x", replacement: null }, "dropped", "x"],
    [{ type: "label", targetId: "x" }, "label taken off", ""],
    [{ type: "of_the_future", text: "?" }, "of_the_future", ""],
  ];
  for (const [body, who, text] of rows) {
    test(`says ${who}: ${text}`, () => {
      const entry = soundEntry({ id: "e", parentId: null, timestamp: "", ...body });
      expect(entry && lineOf(entry)).toEqual({ who, text });
    });
  }

  test("cuts and mends a text as oneLine() does, whatever it has", () => {
    const random = new Random(7);
    const chars = [..." \n\tab\u00a0\u001bé…"];
    for (let round = 0; round < 5000; round++) {
      const text = Array.from({ length: random.int(0, 12) }, () => random.pick(chars)).join("");
      const entry = soundEntry({ type: "session_info", id: "e", parentId: null, name: text });
      const lengthMax = random.int(1, 12);
      // Of a long text no more than twice the length is looked at.
      const seen = text.slice(0, 2 * lengthMax);
      const line = oneLine(seen, lengthMax);
      const isCut = seen.length < text.length && line.length < lengthMax;
      expect([text, entry && lineOf(entry, lengthMax).text]).toEqual([
        text,
        isCut ? `${line}…` : line,
      ]);
    }
  });

  test("says each entry that this code writes", async () => {
    const session = await new MemorySessionRepo().create({ cwd: "/" });
    const id = await session.appendMessage({ role: "user", content: "hi", timestamp: 1 });
    await session.appendModelChange("p", "m");
    await session.appendThinkingLevelChange("high");
    await session.appendCustomEntry("mine", 1);
    await session.appendCustomMessage({ customType: "note", content: "n", display: true });
    await session.appendContextEdit(id, { content: "ho" });
    await session.appendLabel(id, "l");
    await session.appendSessionName("name");
    await session.moveTo(id);
    const lines = (await session.getEntries()).map((entry) => {
      const { who, text } = lineOf(entry);
      return `${who}: ${text}${isConversation(entry) ? " *" : ""}`;
    });
    expect(lines).toEqual([
      "you: hi *",
      "model is: p/m",
      "thinking is: high",
      "custom: mine",
      "note: n *",
      `edited: ${id} ho`,
      "label: l",
      "name: name",
      `moved to: ${id}`,
    ]);
  });
});
