import { expect, test } from "bun:test";
import { cutText, newestPieces, takePieces, transcript } from "../../lib/compaction/transcript.ts";
import type { Message } from "../../lib/session/mod.ts";
import { assistant, toolResult, user } from "../support/conversation.ts";

test("transcript() writes each message as text, without thinking and what is not sent", () => {
  const bash = {
    role: "bashExecution" as const,
    command: "ls",
    output: "a.ts",
    exitCode: 0,
    cancelled: false,
    truncated: false,
    timestamp: 1,
  };
  const messages: Message[] = [
    user([{ type: "text", text: "look" }, { type: "image", data: "AA", mimeType: "image/png" }]),
    assistant("I will.", { thinking: "SECRET", calls: [["c", "read", { path: "a.ts" }]] }),
    toolResult("c", "read", "content"),
    toolResult("d", "bash", "no", { isError: true }),
    assistant("half", { calls: [["e", "bash"]], stopReason: "aborted" }),
    assistant("LOST", { stopReason: "error" }),
    bash,
    { ...bash, excludeFromContext: true },
    { role: "custom", customType: "note", content: "hint", display: true, timestamp: 1 },
    { role: "branchSummary", summary: "tried", fromId: "x", timestamp: 1 },
    { role: "system", content: "SYSTEM", timestamp: 1 },
  ];
  expect(transcript(messages)).toEqual([
    "[User]: look [image]",
    '[Assistant]: I will.\n[Assistant calls read]: {"path":"a.ts"}',
    "[Result of read]: content",
    "[Result of bash, failed]: no",
    "[Assistant]: half",
    "[User ran a command, exit code 0]: ls\na.ts",
    "[Note, note]: hint",
    "[Summary of another branch]: tried",
  ]);
});

test("transcript() cuts a tool result to 2,000 characters", () => {
  const [piece] = transcript([toolResult("c", "read", "y".repeat(2_500))]);
  expect(piece).toBe(`[Result of read]: ${"y".repeat(2_000)}\n[500 more characters left out]`);
});

test("transcript() gives well-formed text whatever a message holds", () => {
  expect(transcript([user("a\ud83d b")])).toEqual(["[User]: a\ufffd b"]);
});

test("cutText() parts no character", () => {
  expect(cutText("ab😀cd", 3)).toBe("ab\n[4 more characters left out]");
  expect(cutText("ab😀cd", 4)).toBe("ab😀\n[2 more characters left out]");
  expect(cutText("ab😀cd", 6)).toBe("ab😀cd");
});

test("newestPieces() drops the oldest and says so", () => {
  const pieces = ["a".repeat(400), "b".repeat(400), "c".repeat(400)];
  expect(newestPieces(pieces, 300)).toEqual(pieces);
  expect(newestPieces(pieces, 250)).toEqual([
    "[Older messages are left out here: they do not fit]",
    pieces[1] ?? "",
    pieces[2] ?? "",
  ]);
});

test("newestPieces() shows the start of a piece that is too long by itself", () => {
  const [note, piece] = newestPieces(["short", "d".repeat(4_000)], 100);
  expect(note).toBe("[Older messages are left out here: they do not fit]");
  expect(piece?.startsWith("ddd")).toBe(true);
  expect((note ?? "").length + (piece ?? "").length).toBeLessThanOrEqual(400);
});

test("takePieces() loses nothing, also of a piece that is too long by itself", () => {
  let pieces: readonly string[] = ["one", "x😀".repeat(500), "three"];
  const taken: string[] = [];
  while (pieces.length > 0) {
    const step = takePieces(pieces, 50);
    expect(step.taken.join("").length).toBeLessThanOrEqual(200);
    taken.push(...step.taken);
    pieces = step.rest;
  }
  expect(taken.join("")).toBe(`one${"x😀".repeat(500)}three`);
  expect(taken.every((part) => part.isWellFormed())).toBe(true);
});
