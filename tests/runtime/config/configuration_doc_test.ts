import { expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { checkModels } from "../../../lib/runtime/config/models_schema.ts";
import { BUILT_IN_PROVIDERS, PRESETS, UNKNOWN_MODEL } from "../../../lib/runtime/config/presets.ts";
import { defaultSettings } from "../../../lib/runtime/config/settings_defaults.ts";
import { checkSettings, settingNames } from "../../../lib/runtime/config/settings_schema.ts";
import { ROOT } from "../../support/binary.ts";

const TEXT = fs.readFileSync(
  path.join(ROOT, "docs/configuration.md"),
  "utf8",
);

function cellsOf(line: string): string[] {
  return line.split("|").slice(1, -1).map((cell) => cell.trim().replaceAll("`", ""));
}

/** The cells of the table whose first heading is this. */
function table(heading: string): string[][] {
  const lines = TEXT.split("\n");
  const start =
    lines.findIndex((line, index) =>
      cellsOf(line)[0] === heading && lines[index + 1]?.startsWith("| -")
    ) + 2;
  const end = lines.findIndex((line, index) => index > start && !line.startsWith("|"));
  return lines.slice(start, end).map(cellsOf);
}

function blocks(): unknown[] {
  return [...TEXT.matchAll(/```json\n([^]*?)```/g)].map((match) => JSON.parse(match[1] ?? ""));
}

function valueAt(root: unknown, name: string): unknown {
  return name.split(".").reduce<unknown>(
    (value, key) => value instanceof Object ? Reflect.get(value, key) : undefined,
    root,
  );
}

test("configuration.md lists every setting with its default", () => {
  const expected = settingNames().map((name) => {
    const value = valueAt(defaultSettings(), name);
    return [name, value === undefined ? "" : JSON.stringify(value)];
  });
  expect(table("setting").map((cells) => cells.slice(0, 2))).toEqual(expected);
});

test("configuration.md lists every preset", () => {
  const expected = Object.entries(PRESETS).map((
    [name, { baseUrl, keyVariable }],
  ) => [name, baseUrl, keyVariable ?? "none"]);
  expect(table("preset")).toEqual(expected);
});

test("configuration.md gives examples that pass the checks", () => {
  const [settings, , models] = blocks();
  expect(checkSettings(settings as Record<string, unknown>)).toMatchObject({
    problems: [],
    unknown: [],
  });
  expect(checkModels(models as Record<string, unknown>)).toMatchObject({
    problems: [],
    unknown: [],
  });
});

test("configuration.md names the default models and what is assumed of unknown ones", () => {
  const facts = Object.values(BUILT_IN_PROVIDERS).map(({ defaultModel }) => defaultModel ?? "");
  facts.push(...Object.values(UNKNOWN_MODEL).map((tokens) => tokens.toLocaleString("en-US")));
  expect(facts.filter((fact) => !TEXT.includes(fact))).toEqual([]);
});
