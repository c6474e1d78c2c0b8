import { expect, test } from "bun:test";
import { z } from "zod";
import { defineTool, type ToolCallContext } from "../../../lib/agent/mod.ts";

const context: ToolCallContext = {
  toolCallId: "call_1",
  signal: new AbortController().signal,
  onUpdate: () => undefined,
};

const schema = z.object({
  when: z.string().transform((text) => new Date(text)),
  days: z.number().int().positive(),
});

const later = defineTool({
  name: "later",
  description: "Adds days to a date",
  schema,
  readOnly: true,
  execute: async ({ when, days }) => ({
    content: [{
      type: "text",
      text: new Date(when.getTime() + days * 86_400_000).toISOString().slice(0, 10),
    }],
  }),
});

test("defineTool() takes the JSON Schema from the Standard Schema", () => {
  expect(later.parameters).toMatchObject({
    type: "object",
    properties: { when: { type: "string" }, days: { type: "integer" } },
    required: ["when", "days"],
  });
  expect(later.readOnly).toBe(true);
});

test("defineTool() hands the schema's output to execute, after mending", async () => {
  const checked = await later.check?.({ when: "2026-01-30", days: "3" });
  expect(checked).toEqual({ ok: true, args: { when: "2026-01-30", days: 3 } });
  expect(await later.execute({ when: "2026-01-30", days: 3 }, context)).toEqual({
    content: [{ type: "text", text: "2026-02-02" }],
  });
});

test("defineTool() tells what the schema refuses", async () => {
  const checked = await later.check?.({ when: "2026-01-30", days: -1 });
  expect(checked?.ok).toBe(false);
  expect(checked?.ok === false && checked.problem).toContain("days");
});

test("defineTool() refuses a schema that gives no JSON Schema", () => {
  const bare = { "~standard": { validate: (value: unknown) => ({ value }) } };
  expect(() =>
    defineTool({
      name: "bare",
      description: "",
      schema: bare,
      execute: async () => ({ content: [] }),
    })
  ).toThrow("Cannot define the tool bare");
});
