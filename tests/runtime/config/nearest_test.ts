import { expect, test } from "bun:test";
import { nearestNames } from "../../../lib/runtime/config/nearest.ts";

const NAMES = ["continue", "session", "session-id", "no-session", "mode", "model"];

const CASES: [word: string, nearest: string[]][] = [
  ["sesion", ["session"]],
  ["SESSION", ["session"]],
  ["modle", ["model"]],
  ["modl", ["model"]],
  ["cont", ["continue"]],
  ["no-s", ["no-session"]],
  ["continu", ["continue"]],
  ["xyz", []],
  ["", []],
];

for (const [word, nearest] of CASES) {
  test(`nearestNames() of ${JSON.stringify(word)} is ${JSON.stringify(nearest)}`, () => {
    expect(nearestNames(word, NAMES)).toEqual(nearest);
  });
}

test("nearestNames() gives several, nearest first and each once", () => {
  expect(nearestNames("modell", [...NAMES, "model"], 2)).toEqual(["model", "mode"]);
});

test("nearestNames() does not measure a text that is no word", () => {
  expect(nearestNames("session".repeat(1_000), NAMES)).toEqual([]);
});
