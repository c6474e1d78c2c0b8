import { expect, test } from "bun:test";
import { importGraph } from "../support/imports.ts";

test("mod.ts reaches no npm package at run time", () => {
  const packages = importGraph("mod.ts")
    .filter(({ specifier, to }) => to === undefined && !specifier.startsWith("node:"))
    .map(({ from, specifier, dynamic }) =>
      `${from} ${dynamic ? "may import" : "imports"} ${specifier}`
    );
  // The lock's door to flock(2): tried under Bun only, and only when a file is locked.
  expect(packages.filter((text) => !text.endsWith("may import bun:ffi"))).toEqual([]);
});

test("mod.ts reaches the session, the agent and the runtime", () => {
  const files = new Set(importGraph("mod.ts").map(({ from }) => from));
  expect([...["lib/session/session.ts", "lib/agent/agent.ts", "lib/runtime/agent_session.ts"]]
    .filter((file) => !files.has(file))).toEqual([]);
});
