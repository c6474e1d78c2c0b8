/** `--schema`: answers that have to fit a JSON Schema. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { type Schema, type SchemaDraft, Validator } from "@cfworker/json-schema";
import { UsageError } from "./exit_codes.ts";
import { errorCode, isRecord, reasonOf } from "../../session/mod.ts";

/** The answer as a value, or why it is none. */
export type Structured =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** A schema that answers are held to. */
export interface AnswerSchema {
  /** For providers that want a name. */
  readonly name: string;
  readonly schema: Record<string, unknown>;
  /** What the model is told, where its provider may not hold it to the schema. */
  readonly instruction: string;
  check(text: string): Structured;
}

const NAME_LENGTH_MAX = 64;
/** How many of the places that do not fit are named. */
const PROBLEMS_MAX = 5;

/** Reads a schema's file. Throws a `UsageError` if it is none. */
export async function loadSchema(file: string, cwd: string): Promise<AnswerSchema> {
  const schema = parseSchema(await readText(path.resolve(cwd, file), file), file);
  const validator = makeValidator(schema, file);
  const check = (value: unknown): string | undefined => {
    const { valid, errors } = validator.validate(value);
    return valid ? undefined : describe(errors);
  };
  try {
    check(null);
  } catch (cause) {
    throw unfit(file, cause);
  }
  return {
    name: schemaName(schema),
    schema,
    instruction:
      "Your final answer must be one JSON value that fits this JSON Schema, and nothing else: no " +
      `other text, no code fence.\n${JSON.stringify(schema)}`,
    check(text) {
      const parsed = parseAnswer(text);
      if (!parsed.ok) return parsed;
      const problem = check(parsed.value);
      return problem === undefined ? parsed : { ok: false, problem };
    },
  };
}

async function readText(absolute: string, file: string): Promise<string> {
  try {
    return await fs.readFile(absolute, "utf8");
  } catch (cause) {
    const code = errorCode(cause);
    const reason = code === "ENOENT" ? "there is no such file" : code ?? String(cause);
    throw new UsageError(`Cannot read --schema ${file}: ${reason}`, { cause });
  }
}

function parseSchema(text: string, file: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (cause) {
    throw unfit(file, cause, "it is no JSON: ");
  }
  if (isRecord(value)) return value;
  throw new UsageError(`Cannot use --schema ${file}: a JSON Schema is an object`);
}

function unfit(file: string, cause: unknown, what = ""): UsageError {
  const reason = reasonOf(cause);
  return new UsageError(`Cannot use --schema ${file}: ${what}${reason.split("\n", 1)[0]}`, {
    cause,
  });
}

function makeValidator(schema: Record<string, unknown>, file: string): Validator {
  try {
    // The validator notes things on the schema's objects; what is sent must stay as it was written.
    const own: Schema = structuredClone(schema);
    return new Validator(own, draftOf(schema), false);
  } catch (cause) {
    throw unfit(file, cause);
  }
}

function draftOf(schema: Record<string, unknown>): SchemaDraft {
  const uri = String(schema["$schema"] ?? "");
  if (uri.includes("draft-04")) return "4";
  if (uri.includes("draft-07") || uri.includes("draft-06")) return "7";
  return uri.includes("2019-09") ? "2019-09" : "2020-12";
}

/** A name of letters, digits, `_` and `-`, from the schema's title. */
function schemaName(schema: Record<string, unknown>): string {
  const title = typeof schema["title"] === "string" ? schema["title"] : "";
  const name = title.replace(/[^A-Za-z0-9_-]+/g, "_").replace(/^_+|_+$/g, "");
  return name.slice(0, NAME_LENGTH_MAX) || "answer";
}

/** Models put fences around JSON also when they are asked not to. */
function parseAnswer(text: string): Structured {
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1];
  try {
    return { ok: true, value: JSON.parse(fenced ?? text) };
  } catch (error) {
    const reason = reasonOf(error);
    return {
      ok: false,
      problem: text.trim() === "" ? "the answer is empty" : `it is no JSON (${reason})`,
    };
  }
}

/** Keywords whose errors only say that something inside does not fit, or say nothing. */
const EMPTY_KEYWORDS = [
  "properties",
  "patternProperties",
  "items",
  "prefixItems",
  "allOf",
  "$ref",
  "false",
];

function describe(
  errors: readonly { keyword: string; instanceLocation: string; error: string }[],
): string {
  const telling = errors.filter(({ keyword }) => !EMPTY_KEYWORDS.includes(keyword));
  const lines = (telling.length > 0 ? telling : errors)
    .map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
  const problems = [...new Set(lines)];
  const more = problems.length - PROBLEMS_MAX;
  return problems.slice(0, PROBLEMS_MAX).join(" ") + (more > 0 ? ` (and ${more} more)` : "");
}

/** What the model is told after an answer that did not fit. */
export function repairPrompt(problem: string): string {
  return `Your answer does not fit the JSON Schema: ${problem}\n` +
    "Answer again with the corrected JSON value alone: no other text, no code fence, no tools.";
}
