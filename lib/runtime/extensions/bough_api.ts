/** What extensions import as `bough/api`. */
export type * from "./api.ts";
export type { Tool, ToolCallContext, ToolResult } from "../../agent/mod.ts";
export type { Message, SessionEntry } from "../../session/mod.ts";
export * from "./helpers.ts";
