/** What the schemas of files that people write share: what zod finds wrong, in our words. */
import * as z from "zod/mini";
import { describeJson } from "./json_file.ts";
import { isRecord, type JsonObject } from "../../session/mod.ts";

const SHOWN_MAX = 40;

/** What a schema says of a value that does not fit. */
export function expected(wanted: string): { error: (issue: { input?: unknown }) => string } {
  return { error: ({ input }) => `expected ${wanted}, found ${shown(input)}` };
}

/** One of some words. */
export function oneOf<const T extends string>(...choices: readonly T[]) {
  return z.enum(choices, expected(`one of ${choices.map((each) => `"${each}"`).join(", ")}`));
}

/** The place of a problem and what it is: in the schema's words, else in zod's without their prefix. */
export function problemText(issue: z.core.$ZodIssue): string {
  const what = issue.message.replace(/^Invalid (?:input|option): /, "");
  return `${issue.path.map(String).join(".")}: ${what}`;
}

/** The paths of what stands in `raw` and not in `known`, its copy with the known fields only. */
export function unknownPaths(raw: JsonObject, known: JsonObject, prefix = ""): string[] {
  return Object.entries(raw).flatMap(([name, value]) => {
    if (!Object.hasOwn(known, name)) return [prefix + name];
    const below = known[name];
    if (!isRecord(value) || !isRecord(below)) return [];
    return unknownPaths(value, below, `${prefix}${name}.`);
  });
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === "") return "an empty string";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string" && value.length <= SHOWN_MAX) return JSON.stringify(value);
  return describeJson(value);
}
