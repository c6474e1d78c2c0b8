import { expect, test } from "bun:test";
import { allImports, type Import, sourceFiles } from "../support/imports.ts";

const LEVELS = ["lib/session", "lib/agent", "lib/compaction", "lib/runtime"] as const;

function level(file: string): number {
  return LEVELS.findIndex((directory) => file.startsWith(`${directory}/`));
}

const IMPORTS: readonly Import[] = sourceFiles("lib").flatMap(allImports);

function show({ from, specifier }: Import): string {
  return `${from} imports ${specifier}`;
}

test("lib imports point down: session, agent, compaction, runtime", () => {
  const upwards = IMPORTS.filter(({ from, to }) => to !== undefined && level(to) > level(from));
  expect(upwards.map(show)).toEqual([]);
});

test("lib imports another folder through its mod.ts alone", () => {
  const aside = IMPORTS.filter(({ from, to }) =>
    to !== undefined && level(to) !== level(from) && !to.endsWith("/mod.ts") &&
    to !== "package.json"
  );
  expect(aside.map(show)).toEqual([]);
});

test("lib imports nothing outside lib but package.json", () => {
  const outside = IMPORTS.filter(({ to }) =>
    to !== undefined && level(to) === -1 && to !== "package.json"
  );
  expect(outside.map(show)).toEqual([]);
});

test("lib has no import cycle, types included", () => {
  const targets = Map.groupBy(IMPORTS.filter(({ to }) => to !== undefined), ({ from }) => from);
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file);
    if (start !== -1) cycles.push([...trail.slice(start), file].join(" > "));
    if (start !== -1 || done.has(file)) return;
    for (const { to, dynamic } of targets.get(file) ?? []) {
      if (to !== undefined && !dynamic) visit(to, [...trail, file]);
    }
    done.add(file);
  };
  for (const file of sourceFiles("lib")) visit(file, []);
  expect(cycles).toEqual([]);
});
