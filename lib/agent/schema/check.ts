/**
 * Checks a tool's arguments against the part of JSON Schema that tools use: `type`, `properties`,
 * `required`, `additionalProperties`, `items`, `enum`, `const`, bounds, lengths, `pattern`, `anyOf`,
 * `oneOf`, `allOf` and local `$ref`. Other keywords are passed over.
 */
import type { ArgumentsCheck } from "../tool.ts";
import { coerced, isOfType } from "./coerce.ts";
import { resolved, type Schema, schemasOf, shapeOf, subschema, typesOf } from "./shape.ts";
import { isRecord } from "../../session/mod.ts";

/** Something that does not fit: where (`edits[0].oldText`) and what. */
interface Misfit {
  at: string;
  problem: string;
}

interface Checked {
  value: unknown;
  misfits: Misfit[];
}

const MISFITS_SHOWN_MAX = 8;
const DEPTH_MAX = 64;
const VALUE_CHARACTERS_MAX = 60;

/**
 * Checks arguments, and mends what can only mean one thing: a number or a truth value in a string,
 * a list or an object sent as JSON text, one item where a list of such items is wanted, null for an
 * optional argument. What does not fit comes back as a text for the model with the right shape.
 *
 * @example
 * ```ts
 * import { checkArguments } from "bough";
 *
 * const schema = { type: "object", properties: { limit: { type: "integer" } } };
 * checkArguments(schema, { limit: "10" }); // { ok: true, args: { limit: 10 } }
 * ```
 */
export function checkArguments(schema: Schema, args: Record<string, unknown>): ArgumentsCheck {
  const { value, misfits } = new Checker(schema).check(args, schema, "", 0);
  if (misfits.length === 0 && isRecord(value)) return { ok: true, args: value };
  return { ok: false, problem: problemOf(misfits, schema) };
}

/** What was wrong, a line each, and the right shape. */
function problemOf(misfits: readonly Misfit[], schema: Schema): string {
  const lines = misfits.slice(0, MISFITS_SHOWN_MAX).map(({ at, problem }) =>
    `- ${at === "" ? "the arguments" : at} ${problem}`
  );
  if (misfits.length > lines.length) lines.push(`- and ${misfits.length - lines.length} more`);
  return `its arguments do not fit.\n${lines.join("\n")}\nThe right shape is: ${shapeOf(schema)}`;
}

/** One check; holds the root that `$ref` starts from. */
class Checker {
  readonly #root: Schema;

  constructor(root: Schema) {
    this.#root = root;
  }

  check(value: unknown, reference: Schema, at: string, depth: number): Checked {
    if (depth > DEPTH_MAX) return { value, misfits: [{ at, problem: "is nested too deeply" }] };
    const schema = resolved(reference, this.#root);
    const types = typesOf(schema);
    const fitted = coerced(value, types) ?? this.#listOf(value, schema, types, at, depth);
    if (!fitted) {
      return { value, misfits: [{ at, problem: `must be ${nameOf(types)}, not ${shown(value)}` }] };
    }
    let result: Checked = { value: fitted.value, misfits: ownMisfits(fitted.value, schema, at) };
    if (isRecord(result.value)) {
      result = join(result, this.#object(result.value, schema, at, depth));
    } else if (Array.isArray(result.value)) {
      result = join(result, this.#array(result.value, schema, at, depth));
    }
    for (const part of schemasOf(schema["allOf"])) {
      result = join(result, this.check(result.value, part, at, depth + 1));
    }
    const choices = [...schemasOf(schema["anyOf"]), ...schemasOf(schema["oneOf"])];
    return choices.length === 0
      ? result
      : join(result, this.#choice(result.value, choices, at, depth));
  }

  /** One item where a list is wanted, if it is such an item just as it is. */
  #listOf(value: unknown, schema: Schema, types: readonly string[], at: string, depth: number) {
    if (!types.includes("array") || !isRecord(schema["items"])) return undefined;
    // A text that looks like JSON may be a list that was written wrong.
    if (typeof value === "string" && /^\s*[[{]/.test(value)) return undefined;
    const items = resolved(schema["items"], this.#root);
    const itemTypes = typesOf(items);
    if (!itemTypes.some((type) => isOfType(value, type))) return undefined;
    const { misfits } = this.check(value, items, at, depth + 1);
    return misfits.length === 0 ? { value: [value] } : undefined;
  }

  #object(object: Record<string, unknown>, schema: Schema, at: string, depth: number): Checked {
    const properties = subschema(schema["properties"]);
    const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
    const more = schema["additionalProperties"];
    const isGiven = (name: string) => Object.hasOwn(object, name) && object[name] !== undefined;
    const misfits: Misfit[] = required.filter((name) => !isGiven(name)).map((name) => ({
      at: under(at, name),
      problem: "is missing",
    }));
    const entries: [string, unknown][] = [];
    for (const [name, value] of Object.entries(object)) {
      const own = Object.hasOwn(properties, name) ? subschema(properties[name]) : undefined;
      if (!own && more === false) {
        const names = Object.keys(properties).join(", ") || "none";
        misfits.push({ at: under(at, name), problem: `is unknown; the names are: ${names}` });
        continue;
      }
      // Models write null for "not given".
      if (own && value === null && !required.includes(name) && !this.#allowsNull(own)) continue;
      const checked = this.check(value, own ?? subschema(more), under(at, name), depth + 1);
      for (const misfit of checked.misfits) misfits.push(misfit);
      entries.push([name, checked.value]);
    }
    return { value: Object.fromEntries(entries), misfits };
  }

  #array(array: readonly unknown[], schema: Schema, at: string, depth: number): Checked {
    const items = subschema(schema["items"]);
    const checked = array.map((item, index) =>
      this.check(item, items, `${at}[${index}]`, depth + 1)
    );
    return {
      value: checked.map((each) => each.value),
      misfits: checked.flatMap((each) => each.misfits),
    };
  }

  /** The first choice that fits without a change, else the first that fits with one. */
  #choice(value: unknown, choices: readonly Schema[], at: string, depth: number): Checked {
    let mended: Checked | undefined;
    for (const choice of choices) {
      const checked = this.check(value, choice, at, depth + 1);
      if (checked.misfits.length > 0) continue;
      if (JSON.stringify(checked.value) === JSON.stringify(value)) return checked;
      mended ??= checked;
    }
    if (mended) return mended;
    const shapes = choices.map((each) => shapeOf(each, this.#root)).join(" | ");
    return { value, misfits: [{ at, problem: `must be ${shapes}, not ${shown(value)}` }] };
  }

  #allowsNull(reference: Schema): boolean {
    return this.check(null, reference, "", 0).misfits.length === 0;
  }
}

function join(before: Checked, after: Checked): Checked {
  return { value: after.value, misfits: [...before.misfits, ...after.misfits] };
}

function under(at: string, name: string): string {
  return at === "" ? name : `${at}.${name}`;
}

/** What a value lacks in itself, whatever it contains. */
function ownMisfits(value: unknown, schema: Schema, at: string): Misfit[] {
  const problems: string[] = [];
  const bound = (key: string) => typeof schema[key] === "number" ? schema[key] : undefined;
  const limit = (key: string, size: number, breaks: (size: number, bound: number) => boolean) => {
    const most = bound(key);
    return most !== undefined && breaks(size, most) ? most : undefined;
  };
  const choices = schema["enum"];
  if (Array.isArray(choices) && !choices.some((each) => same(each, value))) {
    problems.push(`must be one of ${choices.map((each) => JSON.stringify(each)).join(", ")}`);
  }
  if ("const" in schema && !same(schema["const"], value)) {
    problems.push(`must be ${JSON.stringify(schema["const"])}`);
  }
  const rules: [string, boolean, string, (size: number, bound: number) => boolean][] = [
    ["minimum", typeof value === "number", "must be at least", (size, least) => size < least],
    ["maximum", typeof value === "number", "must be at most", (size, most) => size > most],
    ["exclusiveMinimum", typeof value === "number", "must be more than", (a, b) => a <= b],
    ["exclusiveMaximum", typeof value === "number", "must be less than", (a, b) => a >= b],
    ["minLength", typeof value === "string", "must have a length of at least", (a, b) => a < b],
    ["maxLength", typeof value === "string", "must have a length of at most", (a, b) => a > b],
    ["minItems", Array.isArray(value), "must have a number of items of at least", (a, b) => a < b],
    ["maxItems", Array.isArray(value), "must have a number of items of at most", (a, b) => a > b],
  ];
  for (const [key, applies, words, breaks] of rules) {
    const broken = applies ? limit(key, sizeOf(value), breaks) : undefined;
    if (broken !== undefined) problems.push(`${words} ${broken}`);
  }
  const { pattern } = schema;
  if (typeof value === "string" && typeof pattern === "string" && !matches(value, pattern)) {
    problems.push(`must match ${pattern}`);
  }
  return problems.map((problem) => ({ at, problem: `${problem}, not ${shown(value)}` }));
}

/** A pattern that is no expression of ours, in either dialect, is for the tool itself to see to. */
function matches(value: string, pattern: string): boolean {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(pattern, flags).test(value);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return true;
}

/** The number itself, the characters of a text, the items of a list. */
function sizeOf(value: unknown): number {
  if (typeof value === "number") return value;
  if (typeof value === "string") return [...value].length;
  return Array.isArray(value) ? value.length : 0;
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function nameOf(types: readonly string[]): string {
  return types.map((type) =>
    /^[aio]/.test(type) ? `an ${type}` : type === "null" ? type : `a ${type}`
  )
    .join(" or ");
}

function shown(value: unknown): string {
  if (value === undefined) return "missing";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > VALUE_CHARACTERS_MAX
    ? `${text.slice(0, VALUE_CHARACTERS_MAX).toWellFormed()}…`
    : text;
}
