import { describe, expect, test } from "bun:test";
import {
  parseCount,
  parseDuration,
  parseNames,
  parseSize,
  parseUsd,
} from "../../../lib/runtime/command_line/values.ts";

describe("parseDuration()", () => {
  const rows: [string, number | undefined][] = [
    ["90", 90_000],
    ["1.5", 1_500],
    ["250ms", 250],
    ["90s", 90_000],
    ["5m", 300_000],
    ["1h30m", 5_400_000],
    ["7d", 604_800_000],
    ["", undefined],
    ["-1s", undefined],
    ["1 s", undefined],
    ["s", undefined],
    ["1w", undefined],
    ["1e3", undefined],
  ];
  for (const [text, ms] of rows) {
    test(`reads ${JSON.stringify(text)} as ${ms}`, () => expect(parseDuration(text)).toBe(ms));
  }
});

describe("parseSize()", () => {
  const rows: [string, number | undefined][] = [
    ["100", 100],
    ["10MB", 10_000_000],
    ["1.5k", 1_500],
    ["2gb", 2_000_000_000],
    ["0", undefined],
    ["MB", undefined],
    ["-5", undefined],
    ["9999999999GB", undefined],
  ];
  for (const [text, bytes] of rows) {
    test(`reads ${JSON.stringify(text)} as ${bytes}`, () => expect(parseSize(text)).toBe(bytes));
  }
});

test("parseCount() takes whole numbers from 1 on", () => {
  expect(["1", "20", "0", "-1", "1.5", "x", ""].map(parseCount)).toEqual(
    [1, 20, undefined, undefined, undefined, undefined, undefined],
  );
});

test("parseUsd() takes amounts above nothing", () => {
  expect(["0.5", "$2", ".25", "0", "-1", "1e3", "x"].map(parseUsd)).toEqual(
    [0.5, 2, 0.25, undefined, undefined, undefined, undefined],
  );
});

test("parseNames() takes a list with commas", () => {
  expect(["a", "a, b,,c", "", " , "].map(parseNames)).toEqual(
    [["a"], ["a", "b", "c"], undefined, undefined],
  );
});
