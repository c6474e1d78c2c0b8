/** What of an entry is searched. */
import { isCheckpoint } from "../context.ts";
import type { SessionEntry } from "../entry.ts";
import { textOf } from "../message.ts";

/** Whose words they are. */
export type SearchedRole = "user" | "assistant" | "tool";

/** The roles, in the order in which they are told. */
export const SEARCHED_ROLES: readonly SearchedRole[] = ["user", "assistant", "tool"];

/** Text of an entry. */
export interface SearchedText {
  role: SearchedRole;
  text: string;
}

/** Prompts, answers (summaries among them) and tool output; undefined for all else. */
export function searchedText(entry: SessionEntry): SearchedText | undefined {
  switch (entry.type) {
    case "message":
      return ofMessage(entry.message);
    case "compaction":
    case "branch_summary":
      return { role: "assistant", text: entry.summary };
    case "custom_message":
      return { role: "user", text: textOf(entry.content) };
    case "model_change":
    case "thinking_level_change":
    case "custom":
    case "context_edit":
    case "label":
    case "session_info":
    case "usage":
    case "leaf":
      break;
  }
  return undefined;
}

function ofMessage(
  message: Extract<SessionEntry, { type: "message" }>["message"],
): SearchedText | undefined {
  switch (message.role) {
    case "user":
    case "custom":
      return { role: "user", text: textOf(message.content) };
    case "assistant":
      return { role: "assistant", text: textOf(message.content) };
    case "toolResult":
      return { role: "tool", text: textOf(message.content) };
    case "bashExecution":
      return { role: "tool", text: `${message.command}\n${message.output}` };
    case "system":
      break;
  }
  return undefined;
}

/** The name that an entry gives its session; "" if it takes the name away. */
export function nameIn(entry: SessionEntry): string | undefined {
  if (entry.type === "session_info") return entry.name;
  if (entry.type === "compaction" && isCheckpoint(entry.checkpoint)) {
    return entry.checkpoint.name ?? "";
  }
  return undefined;
}
