import { expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { ROOT } from "../support/binary.ts";
import { sourceFiles } from "../support/imports.ts";

function read(name: string): string {
  return fs.readFileSync(path.join(ROOT, name), "utf8");
}

/** The values of `type` in the unions of a file. */
function typesIn(file: string): string[] {
  return [...read(file).matchAll(/\btype: "(\w+)"/g)].map(([, type = ""]) => type);
}

function missingIn(document: string, types: readonly string[]): string[] {
  const text = read(document);
  return types.filter((type) => !text.includes(`\`${type}\``));
}

test("docs/events.md names each event", () => {
  const events = [...typesIn("lib/agent/event.ts"), ...typesIn("lib/runtime/event.ts")];
  expect(events.length).toBeGreaterThan(20);
  expect(missingIn("docs/events.md", events)).toEqual([]);
});

test("docs/session-format.md names each entry type", () => {
  const types = typesIn("lib/session/entry.ts").filter((type) => type !== "session");
  expect(types.length).toBeGreaterThan(10);
  expect(missingIn("docs/session-format.md", types)).toEqual([]);
});

test("each document that is named is there", () => {
  const files = [...sourceFiles("lib"), "cli.ts", "mod.ts", "README.md", "ARCHITECTURE.md"];
  const named = files.flatMap((file) => read(file).match(/\bdocs\/[\w-]+\.\w+/g) ?? []);
  expect(named.length).toBeGreaterThan(10);
  expect([...new Set(named)].filter((name) => !fs.existsSync(path.join(ROOT, name)))).toEqual([]);
});
