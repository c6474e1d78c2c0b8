/** A JSON object of which nobody has looked at the fields yet. */
export type JsonObject = Record<string, unknown>;

/** Whether a value is an object with fields: no list, and not null. */
export function isRecord(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
