/** The tools that a model works with, one a file. */
import type { Tool } from "../tool.ts";
import { bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { findTool } from "./find.ts";
import { grepTool } from "./grep.ts";
import { lsTool } from "./ls.ts";
import { readTool } from "./read.ts";
import { ProcessGroups } from "./process_group.ts";
import type { ToolOptions } from "./tool_options.ts";
import { writeTool } from "./write.ts";

export { bashTool, editTool, findTool, grepTool, lsTool, readTool, writeTool };
export type { BashDetails } from "./bash.ts";
export type { EditDetails } from "./edit.ts";
export type { ReadDetails } from "./read.ts";
export type { IgnoreFactory, IgnoreRules } from "./ignore.ts";
export { childEnvironment, ProcessGroups } from "./process_group.ts";
export { findRipgrep } from "./ripgrep.ts";
export { runShell, type ShellOptions, type ShellResult } from "./shell.ts";
export type { ToolOptions } from "./tool_options.ts";

const FACTORIES = {
  read: readTool,
  bash: bashTool,
  edit: editTool,
  write: writeTool,
  grep: grepTool,
  find: findTool,
  ls: lsTool,
} as const satisfies Readonly<Record<string, (options: ToolOptions) => Tool>>;

/** The name of a built-in tool. */
export type ToolName = keyof typeof FACTORIES;

/** The names of the built-in tools, in the order in which a model is told of them. */
export const TOOL_NAMES: readonly ToolName[] = [
  "read",
  "bash",
  "edit",
  "write",
  "grep",
  "find",
  "ls",
];

/**
 * All built-in tools for a directory. They share one record of running commands, so that
 * `processes.killAll()` ends what any of them started.
 *
 * @example
 * ```ts
 * import { codingTools } from "bough";
 *
 * const tools = codingTools({ cwd: "/home/me/project" });
 * ```
 */
export function codingTools(options: ToolOptions): Tool[] {
  const shared = { ...options, processes: options.processes ?? new ProcessGroups() };
  return TOOL_NAMES.map((name) => FACTORIES[name](shared));
}

/**
 * The tools that change nothing: `read`, `grep`, `find` and `ls`.
 *
 * @example
 * ```ts
 * import { readOnlyTools } from "bough";
 *
 * console.log(readOnlyTools({ cwd: "/tmp" }).map(({ name }) => name).join(" ")); // read grep find ls
 * ```
 */
export function readOnlyTools(options: ToolOptions): Tool[] {
  return codingTools(options).filter((tool) => tool.readOnly === true);
}
