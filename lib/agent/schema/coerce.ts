/** The changes to a value that can only mean one thing. */
import { isRecord } from "../../session/mod.ts";

/** Whether a value is of a JSON Schema type. */
export function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "string":
      return typeof value === "string";
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "integer":
      return typeof value === "number" && Number.isInteger(value);
    case "boolean":
      return typeof value === "boolean";
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    default:
      return true;
  }
}

const NUMBER = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*$/;

/**
 * The value as one of the wanted types, if that is plain: a number or a truth value in a string, a
 * list or an object sent as JSON text, a whole number or a truth value where text is wanted. The
 * value itself if it fits already; undefined if nothing is plain.
 */
export function coerced(value: unknown, types: readonly string[]): { value: unknown } | undefined {
  if (types.length === 0 || types.some((type) => isOfType(value, type))) return { value };
  for (const type of types) {
    const changed = coercedTo(value, type);
    if (changed) return changed;
  }
  return undefined;
}

function coercedTo(value: unknown, type: string): { value: unknown } | undefined {
  if (type === "string") {
    const plain = typeof value === "boolean" || Number.isSafeInteger(value);
    return plain ? { value: String(value) } : undefined;
  }
  if (typeof value !== "string") return undefined;
  switch (type) {
    case "number":
    case "integer": {
      if (!NUMBER.test(value)) return undefined;
      const number = Number(value);
      return isOfType(number, type) ? { value: number } : undefined;
    }
    case "boolean": {
      const word = value.trim().toLowerCase();
      return word === "true" || word === "false" ? { value: word === "true" } : undefined;
    }
    case "array":
    case "object": {
      const parsed = parsedJson(value);
      return parsed && isOfType(parsed.value, type) ? parsed : undefined;
    }
    default:
      return undefined;
  }
}

function parsedJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
