/** What an agent tells while it runs (`docs/events.md`). */
import type { AssistantMessage, Message, ToolResultMessage, Usage } from "../session/mod.ts";
import type { ModelError, ModelEvent } from "./model.ts";
import type { ToolResult } from "./tool.ts";

/** The part of an answer that is new; no event repeats what another said. */
export type AssistantMessageEvent = Extract<ModelEvent, { contentIndex: number }>;

/** What an agent tells, in the order in which it happens. */
export type AgentEvent =
  | { type: "agent_start" }
  | { type: "turn_start" }
  | { type: "message_start"; message: Message }
  | { type: "message_update"; usage?: Usage; assistantMessageEvent?: AssistantMessageEvent }
  | { type: "message_end"; message: Message }
  | {
    type: "tool_execution_start";
    toolCallId: string;
    toolName: string;
    args: Record<string, unknown>;
  }
  | {
    type: "tool_execution_update";
    toolCallId: string;
    toolName: string;
    partialResult: ToolResult;
  }
  | {
    type: "tool_execution_end";
    toolCallId: string;
    toolName: string;
    result: ToolResult;
    isError: boolean;
    durationMs: number;
    /** A hook refused the call. */
    denied?: true;
  }
  | { type: "turn_end"; message: AssistantMessage; toolResults: ToolResultMessage[] }
  | {
    type: "agent_end";
    messages: Message[];
    willRetry: boolean;
    /** Why the run ended badly, if it did. */
    error?: ModelError;
  };
