/** What a doctor looks at. */

/** `error`: a run cannot work. `warning`: it can, and something is not as it should be. */
export type CheckStatus = "ok" | "warning" | "error";

/** What is looked at, in this order. */
export const CHECK_NAMES = [
  "directory",
  "home",
  "sessions",
  "settings",
  "project",
  "model",
  "key",
  "online",
  "fallback",
  "shell",
  "ripgrep",
  "locks",
  "damage",
  "clock",
] as const;

export type CheckName = typeof CHECK_NAMES[number];

/** One finding. What is not `ok` says in its message what to do. */
export interface Check {
  readonly name: CheckName;
  readonly status: CheckStatus;
  readonly message: string;
}

export function ok(name: CheckName, message: string): Check {
  return { name, status: "ok", message };
}

export function warning(name: CheckName, message: string): Check {
  return { name, status: "warning", message };
}

export function failed(name: CheckName, message: string): Check {
  return { name, status: "error", message };
}
