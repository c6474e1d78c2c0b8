import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { nodeFileSystem } from "../../../../lib/session/mod.ts";
import { History } from "../../../../lib/runtime/modes/repl/history.ts";
import { HistorySearch, HistoryWalk } from "../../../../lib/runtime/modes/repl/history_walk.ts";
import { TempDirectory } from "../../../support/temp.ts";

test("History keeps inputs over sessions, for the user alone", () => {
  using temp = new TempDirectory();
  const home = temp.join("new/home");
  const history = new History({ home });
  for (const input of ["one", "two\nlines", "two\nlines", " secret", "", "three\u2028"]) {
    history.add(input);
  }
  expect(new History({ home }).inputs).toEqual(["one", "two\nlines", "three\u2028"]);
  expect(fs.statSync(temp.join("new/home/history")).mode & 0o777).toBe(0o600);
});

test("History of two sessions at once keeps the inputs of both", () => {
  using temp = new TempDirectory();
  const [first, second] = [new History({ home: temp.home }), new History({ home: temp.home })];
  first.add("a");
  second.add("b");
  first.add("c");
  expect(new History({ home: temp.home }).inputs).toEqual(["a", "b", "c"]);
});

test("History tells of a disk that takes nothing, and goes on without it", () => {
  using temp = new TempDirectory();
  const errors: unknown[] = [];
  const fs = { ...nodeFileSystem, write: () => 0 };
  const history = new History({ home: temp.home, fs, onError: (error) => errors.push(error) });
  history.add("a");
  history.add("b");
  expect(history.inputs).toEqual(["a", "b"]);
  expect(errors.map(String)).toEqual(["Error: no more bytes were taken (is the disk full?)"]);
});

test("History passes over a line that it cannot read", () => {
  using temp = new TempDirectory();
  temp.write("home/history", '"a"\nnot json\n{"b":1}\n"c"\n"torn');
  expect(new History({ home: temp.home }).inputs).toEqual(["a", "c"]);
});

test("History shortens a file that has grown", () => {
  using temp = new TempDirectory();
  const line = `${JSON.stringify("x".repeat(990))}\n`;
  temp.write("home/history", line.repeat(2_500));
  const { inputs } = new History({ home: temp.home });
  expect(inputs.length).toBeGreaterThan(900);
  expect(fs.statSync(temp.join("home/history")).size).toBeLessThan(1_000_001);
});

test("History that cannot be written is told once", () => {
  using temp = new TempDirectory();
  temp.make("home/history");
  const errors: unknown[] = [];
  const history = new History({ home: temp.home, onError: (error) => errors.push(error) });
  history.add("a");
  history.add("b");
  expect(errors).toHaveLength(1);
  expect(history.inputs).toEqual(["a", "b"]);
});

test("HistoryWalk goes back and comes back to the line being typed", () => {
  const walk = new HistoryWalk(["a", "b"]);
  expect([walk.older("draft"), walk.older("b"), walk.older("a")]).toEqual(["b", "a", undefined]);
  expect([walk.newer(), walk.newer(), walk.newer()]).toEqual(["b", "draft", undefined]);
});

test("HistorySearch finds the newest, then older ones, and forgets letters", () => {
  const search = new HistorySearch(["fix the build", "build docs", "Fix tests"]);
  search.type("fix");
  expect(search.match).toBe("Fix tests");
  search.older();
  expect(search.match).toBe("fix the build");
  search.older();
  expect(search.match).toBe("fix the build");
  search.type(" nothing");
  expect(search.match).toBeUndefined();
  for (let times = 0; times < 11; times++) search.deleteBack();
  search.type("i");
  expect(search.match).toBe("Fix tests");
});
