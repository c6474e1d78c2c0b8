import { describe, expect, test } from "bun:test";
import { UsageError } from "../../../lib/runtime/modes/exit_codes.ts";
import { loadSchema, type Structured } from "../../../lib/runtime/modes/structured.ts";
import { TempDirectory } from "../../support/temp.ts";

const SCHEMA = {
  title: "Review of a change!",
  type: "object",
  properties: { ok: { type: "boolean" }, files: { type: "array", items: { type: "string" } } },
  required: ["ok"],
  additionalProperties: false,
};

async function schemaOf(text: string) {
  using temp = new TempDirectory();
  temp.write("s.json", text);
  return await loadSchema("s.json", temp.path);
}

test("loadSchema() gives the schema as it was written, a name and an instruction", async () => {
  const loaded = await schemaOf(`\ufeff${JSON.stringify(SCHEMA)}`);
  expect(loaded.schema).toEqual(SCHEMA);
  expect(loaded.name).toBe("Review_of_a_change");
  expect(loaded.instruction).toContain(JSON.stringify(SCHEMA));
});

test("loadSchema() has a name also for a schema without a title", async () => {
  expect((await schemaOf("{}")).name).toBe("answer");
});

describe("AnswerSchema.check()", () => {
  const rows: [answer: string, wanted: Structured][] = [
    ['{"ok":true}', { ok: true, value: { ok: true } }],
    ['\n```json\n{"ok":false,"files":["a"]}\n```\n', {
      ok: true,
      value: { ok: false, files: ["a"] },
    }],
    ["", { ok: false, problem: "the answer is empty" }],
    ['{"ok":1}', {
      ok: false,
      problem: '#/ok: Instance type "number" is invalid. Expected "boolean".',
    }],
    ["{}", { ok: false, problem: '#: Instance does not have required property "ok".' }],
    ['{"ok":true,"more":1}', {
      ok: false,
      problem: '#: Property "more" does not match additional properties schema.',
    }],
  ];
  for (const [answer, wanted] of rows) {
    test(`of ${JSON.stringify(answer)}`, async () => {
      expect((await schemaOf(JSON.stringify(SCHEMA))).check(answer)).toEqual(wanted);
    });
  }

  test("of prose", async () => {
    const checked = (await schemaOf("{}")).check("Yes, it is fine.");
    expect(checked).toMatchObject({ ok: false });
    expect(JSON.stringify(checked)).toContain("it is no JSON");
  });
});

describe("loadSchema() refuses", () => {
  const rows: [string, string, string][] = [
    ["what is no JSON", "{", "Cannot use --schema s.json: "],
    ["what is no object", "[]", "Cannot use --schema s.json: a JSON Schema is an object"],
    ["a reference to nothing", '{"$ref":"#/no"}', "Cannot use --schema s.json: Unresolved $ref"],
  ];
  for (const [what, text, wanted] of rows) {
    test(what, async () => {
      await expect(schemaOf(text)).rejects.toBeInstanceOf(UsageError);
      await expect(schemaOf(text)).rejects.toThrow(wanted);
    });
  }

  test("a file that is not there", async () => {
    const loading = loadSchema("gone.json", "/");
    await expect(loading).rejects.toThrow("Cannot read --schema gone.json: there is no such file");
  });
});
