/** What was thrown, which may be anything. */

/** Why, in words: an error's message, or whatever else was thrown as text. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The `code` of a system error (`"ENOENT"`), where it has one. */
export function errorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string"
    ? thrown.code
    : undefined;
}
