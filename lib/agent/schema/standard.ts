/** Tools whose arguments are described by a Standard Schema: zod, valibot, arktype and others. */
import type { ArgumentsCheck, Tool, ToolCallContext, ToolResult } from "../tool.ts";
import { checkArguments } from "./check.ts";
import { isRecord } from "../../session/mod.ts";

/** What a schema has to say against a value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a schema makes of a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** The part of the Standard Schema interface (standardschema.dev) that is used here. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly validate: (
      value: unknown,
    ) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Standard JSON Schema; where a library has it, `parameters` need not be given. */
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    } | undefined;
  };
}

/** A tool whose `execute` gets arguments of the schema's output type. */
export interface StandardTool<Output> {
  name: string;
  description: string;
  schema: StandardSchema<Output>;
  /** The JSON Schema that the model is shown; taken from `schema` where that can give it. */
  parameters?: Record<string, unknown>;
  alone?: boolean;
  readOnly?: boolean;
  execute(args: Output, context: ToolCallContext): Promise<ToolResult>;
}

/**
 * Makes a tool from a Standard Schema, such as a zod object. Arguments that the schema refuses are
 * mended as `checkArguments` does and tried once more; `execute` gets what the schema put out.
 * Throws a TypeError if neither `parameters` nor the schema gives a JSON Schema of an object.
 *
 * @example
 * ```ts
 * import { defineTool } from "bough";
 * import { z } from "zod";
 *
 * const add = defineTool({
 *   name: "add",
 *   description: "Adds two numbers",
 *   schema: z.object({ a: z.number(), b: z.number() }),
 *   execute: async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }),
 * });
 * ```
 */
export function defineTool<Output>(tool: StandardTool<Output>): Tool {
  const { name, description, schema } = tool;
  const parameters = tool.parameters ??
    schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
  if (!isRecord(parameters) || parameters["type"] !== "object") {
    throw new TypeError(
      `Cannot define the tool ${name}: its schema gives no JSON Schema of an object. Pass one as parameters.`,
    );
  }
  return {
    name,
    description,
    parameters,
    ...(tool.alone === undefined ? {} : { alone: tool.alone }),
    ...(tool.readOnly === undefined ? {} : { readOnly: tool.readOnly }),
    async check(args): Promise<ArgumentsCheck> {
      const checked = await validate(schema, parameters, args);
      return "problem" in checked ? { ok: false, ...checked } : { ok: true, args: checked.args };
    },
    async execute(args, context) {
      // `check` hands on arguments, not output: a schema may turn a text into, say, a date.
      const checked = await validate(schema, parameters, args);
      if ("problem" in checked) throw new TypeError(checked.problem);
      return await tool.execute(checked.output, context);
    },
  };
}

async function validate<Output>(
  schema: StandardSchema<Output>,
  parameters: Record<string, unknown>,
  args: Record<string, unknown>,
): Promise<{ args: Record<string, unknown>; output: Output } | { problem: string }> {
  const asGiven = await schema["~standard"].validate(args);
  if (asGiven.issues === undefined) return { args, output: asGiven.value };
  const mended = checkArguments(parameters, args);
  if (!mended.ok) return mended;
  const result = await schema["~standard"].validate(mended.args);
  if (result.issues === undefined) return { args: mended.args, output: result.value };
  const lines = result.issues.map((issue) => `- ${pathOf(issue)} ${issue.message}`.trimEnd());
  return { problem: `its arguments do not fit.\n${lines.join("\n")}` };
}

function pathOf(issue: StandardIssue): string {
  const keys = issue.path?.map((part) => typeof part === "object" ? part.key : part) ?? [];
  return keys.length === 0 ? "the arguments:" : `${keys.map(String).join(".")}:`;
}
