/** What may be wrong with a header. */
import * as path from "node:path";
import { isSessionId } from "./paths.ts";
import type { JsonObject } from "./record.ts";

export function isId(value: unknown): value is string {
  return typeof value === "string" && isSessionId(value);
}

export function isTimestamp(value: unknown): value is string {
  return typeof value === "string" && Number.isFinite(Date.parse(value));
}

export function isVersion(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0;
}

/** Of whatever system: a file may come from another one. */
export function isAbsolute(value: unknown): value is string {
  return typeof value === "string" &&
    (path.posix.isAbsolute(value) || path.win32.isAbsolute(value));
}

/** What is wrong with the fields of a header; nothing if it can be relied on. */
export function headerProblems({ id, timestamp, cwd, version }: JsonObject): string[] {
  const problems: string[] = [];
  if (!isId(id)) problems.push("its id is not one");
  if (!isTimestamp(timestamp)) problems.push("its timestamp is not a time");
  if (!isAbsolute(cwd)) problems.push("its cwd is not an absolute path");
  if (version !== undefined && !isVersion(version)) problems.push("its version is not a number");
  return problems;
}
