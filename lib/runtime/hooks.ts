/**
 * Where others may take part in a conversation: the port that extensions are plugged into. Each
 * hook may be absent; one that throws has been dealt with by whoever implements the port.
 */
import type { AfterTurn, ToolCallHooks, Turn } from "../agent/mod.ts";
import type { CustomMessage, ImageContent, Message, SessionEntry, Usage } from "../session/mod.ts";
import type { AgentSessionEvent, CompactionReason } from "./event.ts";

/** What a person or a script typed. */
export interface UserInput {
  text: string;
  images: readonly ImageContent[];
}

/** A summary that a hook supplies instead of the model. */
export interface SuppliedSummary {
  summary: string;
  firstKeptEntryId: string;
  details?: unknown;
  usage?: Usage;
}

/** What takes part in a conversation from outside: extensions, through a runner. */
export interface SessionHooks extends ToolCallHooks {
  /** Runs an extension's command; false if the text is none. */
  command?(text: string): Promise<boolean>;
  /** Changes what was typed, or takes it: then nothing is sent. */
  input?(input: UserInput): Promise<UserInput | "taken">;
  /** Expands `/skill:name` and prompt templates. */
  expand?(text: string): Promise<string>;
  /** Adds messages before a run, or changes its system prompt. */
  beforeAgentStart?(
    start: { prompt: string; systemPrompt: string },
  ): Promise<{ messages?: CustomMessage[]; systemPrompt?: string }>;
  /** Changes what the model is sent. */
  context?(messages: Message[], signal: AbortSignal): Promise<Message[]>;
  /** After a turn's results: may ask for one more round. */
  turnEnd?(turn: Turn): Promise<AfterTurn>;
  /** Before a conversation settles: true asks for one more round. */
  beforeSettle?(): Promise<boolean>;
  beforeCompact?(
    compaction: { reason: CompactionReason; branch: SessionEntry[]; instructions?: string },
    signal: AbortSignal,
  ): Promise<"cancel" | SuppliedSummary | undefined>;
  beforeTree?(
    move: { targetId: string | null; fromId: string | null; summarize: boolean },
    signal: AbortSignal,
  ): Promise<"cancel" | { summary: string; details?: unknown } | undefined>;
  /** Before a person's `!command` runs: a reason refuses it. */
  userBash?(command: string): Promise<{ block: string } | undefined>;
  /** Hears everything that listeners hear, before them. */
  observe?(event: AgentSessionEvent): Promise<void>;
}
