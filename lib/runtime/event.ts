/** What a live conversation tells, besides what its agent does (`docs/events.md`). */
import type { AgentEvent } from "../agent/mod.ts";
import type { CompactionEntry, SessionEntry, ThinkingLevel } from "../session/mod.ts";

export type CompactionReason = "manual" | "threshold" | "overflow";

/** What a live conversation tells. `agent_settled` is the last event of each piece of work. */
export type AgentSessionEvent =
  | Exclude<AgentEvent, { type: "message_end" }>
  /** The message is in the session, under `entryId`. */
  | Extract<AgentEvent, { type: "message_end" }> & { entryId?: string }
  | { type: "agent_settled"; aborted: boolean }
  | { type: "queue_update"; steering: string[]; followUp: string[] }
  | { type: "compaction_start"; reason: CompactionReason }
  | {
    type: "compaction_end";
    reason: CompactionReason;
    result?: CompactionEntry;
    aborted: boolean;
    willRetry: boolean;
    errorMessage?: string;
  }
  /** An entry that is no message; messages have `message_end`. */
  | { type: "entry_appended"; entry: SessionEntry }
  | { type: "session_info_changed"; name: string | undefined }
  | { type: "thinking_level_changed"; level: ThinkingLevel }
  | { type: "model_changed"; provider: string; modelId: string }
  | {
    type: "auto_retry_start";
    attempt: number;
    maxAttempts: number;
    delayMs: number;
    errorMessage: string;
    /** The model that is asked next, where it is a fallback. */
    fallbackModel?: string;
  }
  | { type: "auto_retry_end"; success: boolean; attempt: number; finalError?: string }
  | {
    type: "summarization_retry_scheduled";
    attempt: number;
    maxAttempts: number;
    delayMs: number;
    errorMessage: string;
  }
  | { type: "summarization_retry_attempt_start"; attempt: number }
  | { type: "summarization_retry_finished"; success: boolean }
  | { type: "bash_execution_update"; delta: string };
