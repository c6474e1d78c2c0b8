import { expect, test } from "bun:test";
import { checkArguments } from "../../../lib/agent/schema/mod.ts";

const schema = {
  type: "object",
  properties: {
    path: { type: "string" },
    limit: { type: "integer", minimum: 1 },
    ratio: { type: "number" },
    all: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    edits: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        properties: { oldText: { type: "string" }, newText: { type: "string" } },
        required: ["oldText", "newText"],
        additionalProperties: false,
      },
    },
    mode: { enum: ["fast", "slow"] },
    either: { anyOf: [{ type: "number" }, { type: "array", items: { type: "number" } }] },
    maybe: { type: ["string", "null"] },
  },
  required: ["path"],
  additionalProperties: false,
};

const edit = { oldText: "a", newText: "b" };
const fits: [title: string, given: Record<string, unknown>, right: Record<string, unknown>][] = [
  ["what fits as it is", { path: "a", limit: 3 }, { path: "a", limit: 3 }],
  ["a number in a string", { path: "a", limit: " 12 " }, { path: "a", limit: 12 }],
  ["a fraction in a string", { path: "a", ratio: "-1.5e2" }, { path: "a", ratio: -150 }],
  ["a truth value in a string", { path: "a", all: "True" }, { path: "a", all: true }],
  ["a list as JSON text", { path: "a", tags: '["x","y"]' }, { path: "a", tags: ["x", "y"] }],
  ["objects as JSON text", { path: "a", edits: JSON.stringify([edit]) }, {
    path: "a",
    edits: [edit],
  }],
  ["JSON text inside a list", { path: "a", edits: [JSON.stringify(edit)] }, {
    path: "a",
    edits: [edit],
  }],
  ["one item for a list", { path: "a", edits: edit }, { path: "a", edits: [edit] }],
  ["one text for a list", { path: "a", tags: "x" }, { path: "a", tags: ["x"] }],
  ["null for an optional one", { path: "a", limit: null }, { path: "a" }],
  ["null where it is allowed", { path: "a", maybe: null }, { path: "a", maybe: null }],
  ["a whole number for a text", { path: 404 }, { path: "404" }],
  ["a choice that fits", { path: "a", either: [1, 2] }, { path: "a", either: [1, 2] }],
  ["a choice that can be mended", { path: "a", either: "[1]" }, { path: "a", either: [1] }],
];
for (const [title, given, right] of fits) {
  test(`checkArguments() takes ${title}`, () => {
    expect(checkArguments(schema, given)).toEqual({ ok: true, args: right });
  });
}

const misfits: [title: string, given: Record<string, unknown>, lines: string[]][] = [
  ["a missing argument", {}, ["- path is missing"]],
  ["a word for a number", { path: "a", limit: "ten" }, ['- limit must be an integer, not "ten"']],
  ["a fraction for a whole number", { path: "a", limit: "1.5" }, [
    '- limit must be an integer, not "1.5"',
  ]],
  ["a number out of bounds", { path: "a", limit: 0 }, ["- limit must be at least 1, not 0"]],
  ["an empty text for a number", { path: "a", limit: "" }, ['- limit must be an integer, not ""']],
  ["JSON text of another kind", { path: "a", tags: '{"a":1}', edits: "[]" }, [
    '- tags must be an array, not "{\\"a\\":1}"',
    "- edits must have a number of items of at least 1, not []",
  ]],
  ["a part that is missing inside a list", { path: "a", edits: [edit, { oldText: "x" }] }, [
    "- edits[1].newText is missing",
  ]],
  ["a word that is no choice", { path: "a", mode: "quick" }, [
    '- mode must be one of "fast", "slow", not "quick"',
  ]],
  ["an unknown name", { path: "a", file: "b" }, [
    "- file is unknown; the names are: path, limit, ratio, all, tags, edits, mode, either, maybe",
  ]],
  ["null for a required one", { path: null }, ["- path must be a string, not null"]],
];
for (const [title, given, lines] of misfits) {
  test(`checkArguments() refuses ${title} and shows the right shape`, () => {
    expect(checkArguments(schema, given)).toEqual({
      ok: false,
      problem: [
        "its arguments do not fit.",
        ...lines,
        'The right shape is: { "path": string, "limit"?: integer, "ratio"?: number, "all"?: boolean, ' +
        '"tags"?: [string, …], "edits"?: [{ "oldText": string, "newText": string }, …], ' +
        '"mode"?: "fast" | "slow", "either"?: number | [number, …], "maybe"?: string | null }',
      ].join("\n"),
    });
  });
}

test("checkArguments() follows a local $ref, also one that goes in a circle", () => {
  const tree = {
    type: "object",
    properties: { node: { $ref: "#/$defs/node" } },
    $defs: {
      node: {
        type: "object",
        properties: { size: { type: "number" }, next: { $ref: "#/$defs/node" } },
      },
    },
  };
  expect(checkArguments(tree, { node: { size: "1", next: { size: "2" } } })).toEqual({
    ok: true,
    args: { node: { size: 1, next: { size: 2 } } },
  });
  let deep: unknown = {};
  for (let depth = 0; depth < 500; depth++) deep = { next: deep };
  expect(checkArguments(tree, { node: deep }).ok).toBe(false);
});

test("checkArguments() leaves the given object as it was", () => {
  const given = { path: "a", limit: "3", edits: [{ ...edit }] };
  const before = structuredClone(given);
  checkArguments(schema, given);
  expect(given).toEqual(before);
});

test("checkArguments() keeps a __proto__ argument a plain argument", () => {
  const given: Record<string, unknown> = JSON.parse('{"path":"a","__proto__":{"x":1}}');
  expect(checkArguments({ type: "object", properties: { path: { type: "string" } } }, given))
    .toEqual(
      { ok: true, args: JSON.parse('{"path":"a","__proto__":{"x":1}}') },
    );
});

test("checkArguments() takes a pattern of either dialect, and passes over one of neither", () => {
  const fits = (pattern: string, text: string) =>
    checkArguments({ type: "object", properties: { text: { type: "string", pattern } } }, { text })
      .ok;
  expect([fits("^[\\w-]+\\@x$", "a@x"), fits("^[\\w-]+\\@x$", "a"), fits("(?P<x>a)", "b")])
    .toEqual([true, false, true]);
});

test("checkArguments() does not take what every object inherits for an argument", () => {
  const wants = { type: "object", properties: {}, required: ["toString"] };
  expect(checkArguments(wants, {}).ok).toBe(false);
});
