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

/** What is about to be compacted. */
export interface CompactionIntent {
  reason: CompactionReason;
  /** From the root to the leaf. */
  branch: SessionEntry[];
  /** What would be summarized, and what would be kept first; absent if nothing would. */
  plan?: { messages: Message[]; firstKeptEntryId: string };
  instructions?: string;
}

/** Where the leaf was, where it was to go, and where it is. */
export interface LeafMove {
  targetId: string | null;
  fromId: string | null;
  leafId: string | null;
  summaryEntryId?: string;
}

/**
 * What takes part in a conversation from outside: extensions, through a runner, or a program's own.
 * A hook that throws ends what it takes part in; one that goes on after an abort is left behind.
 */
export interface SessionHooks extends ToolCallHooks {
  /** Runs an extension's command, which may come to a prompt; false if the text is none. */
  command?(text: string, signal: AbortSignal): Promise<boolean | { prompt: string }>;
  /** Changes what was typed, or takes it: then nothing is sent. */
  input?(input: UserInput, signal: AbortSignal): Promise<UserInput | "taken">;
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
    compaction: CompactionIntent,
    signal: AbortSignal,
  ): Promise<"cancel" | SuppliedSummary | undefined>;
  beforeTree?(
    move: { targetId: string | null; fromId: string | null; summarize: boolean },
    signal: AbortSignal,
  ): Promise<"cancel" | { summary: string; details?: unknown } | undefined>;
  /** The leaf was moved. */
  afterTree?(move: LeafMove): Promise<void>;
  /** Before a person's `!command` runs: a reason refuses it. */
  userBash?(command: string, signal: AbortSignal): Promise<{ block: string } | undefined>;
  /** Hears everything that listeners hear, before them. */
  observe?(event: AgentSessionEvent): Promise<void>;
}
