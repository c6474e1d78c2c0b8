import { expect, test } from "bun:test";
import { ModelError } from "../../lib/agent/mod.ts";
import { isOverflow } from "../../lib/compaction/mod.ts";
import { noUsage, type StopReason } from "../../lib/session/mod.ts";
import { assistant } from "../support/conversation.ts";

function answered(stopReason: StopReason, input: number, output: number) {
  return { ...assistant("a", { stopReason }), usage: { ...noUsage(), input, output } };
}

test("isOverflow() tells a context that is too long from all else that goes wrong", () => {
  const error = (code: "context_overflow" | "rate_limited") =>
    new ModelError(code, "too many tokens");
  const failed = answered("error", 0, 0);
  const rows: [string, boolean, boolean][] = [
    ["refused as too long", isOverflow(failed, error("context_overflow"), 8192), true],
    ["a rate limit on tokens", isOverflow(failed, error("rate_limited"), 8192), false],
    ["cut by a full window", isOverflow(answered("length", 8000, 192), undefined, 8192), true],
    [
      "cut by the answer's limit",
      isOverflow(answered("length", 100, 4096), undefined, 8192),
      false,
    ],
    ["cut, window unknown", isOverflow(answered("length", 8000, 192), undefined, 0), false],
    ["a whole answer", isOverflow(answered("stop", 8000, 192), undefined, 8192), false],
  ];
  for (const [title, is, should] of rows) expect([title, is]).toEqual([title, should]);
});
