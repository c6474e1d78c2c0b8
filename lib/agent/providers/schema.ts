import { list, record } from "./json.ts";

/**
 * Whether a schema is of the strict kind that providers can force an answer into: every object lists
 * all its properties as required and allows no others. Any other schema is refused by them.
 */
export function isStrictSchema(schema: Record<string, unknown>): boolean {
  if (schema["type"] === "object" || schema["properties"] !== undefined) {
    const names = Object.keys(record(schema["properties"]));
    const required = list(schema["required"]);
    if (schema["additionalProperties"] !== false) return false;
    if (!names.every((name) => required.includes(name))) return false;
  }
  const inner = [
    ...Object.values(record(schema["properties"])),
    ...Object.values(record(schema["$defs"])),
    ...list(schema["anyOf"]),
    ...(schema["items"] === undefined ? [] : [schema["items"]]),
  ];
  return inner.every((part) => isStrictSchema(record(part)));
}
