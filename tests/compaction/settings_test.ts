import { expect, test } from "bun:test";
import {
  compactionBudget,
  compactionSettings,
  DEFAULT_COMPACTION_SETTINGS,
  shouldCompact,
} from "../../lib/compaction/mod.ts";

test("compactionSettings() prefers the model's own, then the general ones, then the defaults", () => {
  const config = {
    keepRecentTokens: 500,
    models: { "local/small": { reserveTokens: 9, enabled: false } },
  };
  expect(compactionSettings(config, { provider: "local", id: "small" })).toEqual({
    enabled: false,
    reserveTokens: 9,
    keepRecentTokens: 500,
  });
  expect(compactionSettings(config, { provider: "local", id: "other" })).toEqual({
    enabled: true,
    reserveTokens: 16_384,
    keepRecentTokens: 500,
  });
  expect(compactionSettings({}, { provider: "local", id: "toString" })).toEqual(
    DEFAULT_COMPACTION_SETTINGS,
  );
});

test("shouldCompact() is true just over the window less the reserve", () => {
  const rows: [tokens: number, window: number, enabled: boolean, due: boolean][] = [
    [183_616, 200_000, true, false],
    [183_617, 200_000, true, true],
    [183_617, 200_000, false, false],
    [6_144, 8_192, true, false],
    [6_145, 8_192, true, true],
    [10_000_000, 0, true, false],
  ];
  for (const [tokens, window, enabled, due] of rows) {
    const settings = { ...DEFAULT_COMPACTION_SETTINGS, enabled };
    expect([tokens, window, shouldCompact(tokens, window, settings)]).toEqual([
      tokens,
      window,
      due,
    ]);
  }
});

test("compactionBudget() leaves the settings alone where the window is large", () => {
  const window = { contextWindow: 200_000, maxTokens: 64_000, overheadTokens: 3_000 };
  expect(compactionBudget(DEFAULT_COMPACTION_SETTINGS, window)).toEqual({
    windowTokens: 200_000,
    limitTokens: 183_616,
    keepTokens: 20_000,
    summaryTokens: 13_107,
  });
});

test("compactionBudget() shares a small window out so that what stays is under the threshold", () => {
  for (const contextWindow of [4_096, 8_192, 16_384, 32_768, 40_000, 65_536]) {
    for (const overheadTokens of [0, 500, 1_200]) {
      const window = { contextWindow, maxTokens: 0, overheadTokens };
      const budget = compactionBudget(DEFAULT_COMPACTION_SETTINGS, window);
      const after = overheadTokens + budget.keepTokens + budget.summaryTokens;
      expect([contextWindow, after <= budget.limitTokens]).toEqual([contextWindow, true]);
      expect([contextWindow, budget.limitTokens >= contextWindow / 2]).toEqual([
        contextWindow,
        true,
      ]);
    }
  }
});

test("compactionBudget() asks for no longer summary than the model can write", () => {
  const window = { contextWindow: 200_000, maxTokens: 4_096, overheadTokens: 0 };
  expect(compactionBudget(DEFAULT_COMPACTION_SETTINGS, window).summaryTokens).toBe(4_096);
});
