/**
 * The lines of a session file: a header, then entries that form a tree
 * (`docs/session-format.md`).
 */
import type {
  AssistantMessage,
  BashExecutionMessage,
  CustomMessage,
  ImageContent,
  Message,
  SystemMessage,
  TextContent,
  ThinkingLevel,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "./message.ts";

/** The format version that this code writes. */
export const SESSION_VERSION = 3;

/** Line 1 of a session file. */
export interface SessionHeader {
  type: "session";
  version: number;
  id: string;
  timestamp: string;
  cwd: string;
  /** The file that this session was forked or cloned from. */
  parentSession?: string;
}

/** What every entry has. */
export interface EntryBase {
  id: string;
  parentId: string | null;
  /** ISO 8601. */
  timestamp: string;
}

/** The messages that a `message` entry may hold. */
export type StoredMessage =
  | UserMessage
  | AssistantMessage
  | ToolResultMessage
  | BashExecutionMessage
  | CustomMessage
  | SystemMessage;

/** A message of the conversation. */
export interface MessageEntry extends EntryBase {
  type: "message";
  message: StoredMessage;
}

/** From here on another model is asked. */
export interface ModelChangeEntry extends EntryBase {
  type: "model_change";
  provider: string;
  modelId: string;
}

/** From here on the model thinks harder, or less. */
export interface ThinkingLevelChangeEntry extends EntryBase {
  type: "thinking_level_change";
  thinkingLevel: ThinkingLevel;
}

/** What a reader would otherwise have to look for above a compaction. */
export interface Checkpoint {
  model: ModelRef | null;
  thinkingLevel: ThinkingLevel;
  name?: string;
  /** What was used before the compaction, on its branch and in the session with this id. */
  totals?: { sessionId: string; branch: Usage; session: Usage };
}

/** A summary that stands for what came before it; what it keeps comes after the summary. */
export interface CompactionEntry extends EntryBase {
  type: "compaction";
  summary: string;
  firstKeptEntryId: string;
  tokensBefore: number;
  details?: unknown;
  usage?: Usage;
  fromHook?: boolean;
  /** Stands in for the kept entries where it is present. */
  retainedTail?: Message[];
  checkpoint?: Checkpoint;
}

/** A summary of a branch that was left. */
export interface BranchSummaryEntry extends EntryBase {
  type: "branch_summary";
  summary: string;
  /** The leaf that was left. */
  fromId: string;
  details?: unknown;
  usage?: Usage;
  fromHook?: boolean;
}

/** An extension's own state; it never enters the context. */
export interface CustomEntry extends EntryBase {
  type: "custom";
  customType: string;
  data?: unknown;
}

/** An extension's message, which enters the context. */
export interface CustomMessageEntry extends EntryBase {
  type: "custom_message";
  customType: string;
  content: string | (TextContent | ImageContent)[];
  display: boolean;
  details?: unknown;
}

/** Changes what another entry contributes to the context. */
export interface ContextEditEntry extends EntryBase {
  type: "context_edit";
  targetId: string;
  /** null takes the target out of the context; else its content is replaced. */
  replacement: null | { content: string | (TextContent | ImageContent)[] };
}

/** Names an entry. */
export interface LabelEntry extends EntryBase {
  type: "label";
  targetId: string;
  /** Absent or empty clears the label. */
  label?: string;
}

/** Names the session. */
export interface SessionInfoEntry extends EntryBase {
  type: "session_info";
  /** Empty clears the name. */
  name: string;
}

/** Tokens that were spent on something other than an answer. */
export interface UsageEntry extends EntryBase {
  type: "usage";
  kind: string;
  provider: string;
  model: string;
  usage: Usage;
}

/** Moves the current position. */
export interface LeafEntry extends EntryBase {
  type: "leaf";
  targetId: string | null;
  fromId: string | null;
}

/** An entry of one of the types that this code knows. */
export type KnownEntry =
  | MessageEntry
  | ModelChangeEntry
  | ThinkingLevelChangeEntry
  | CompactionEntry
  | BranchSummaryEntry
  | CustomEntry
  | CustomMessageEntry
  | ContextEditEntry
  | LabelEntry
  | SessionInfoEntry
  | UsageEntry
  | LeafEntry;

/** The type of an entry that this code knows. */
export type EntryType = KnownEntry["type"];

/**
 * An entry of a session. A line of a type that this code does not know is kept as it is (see
 * `isKnownEntry`): it stays in the tree and never enters the context.
 */
export type SessionEntry = KnownEntry;

/** Names a model. */
export interface ModelRef {
  provider: string;
  modelId: string;
}

/** What is given to append an entry: everything but its place in the tree. */
export type EntryBody = {
  [Type in EntryType]: Omit<Extract<KnownEntry, { type: Type }>, keyof EntryBase>;
}[EntryType];

const ENTRY_TYPES: Record<EntryType, true> = {
  message: true,
  model_change: true,
  thinking_level_change: true,
  compaction: true,
  branch_summary: true,
  custom: true,
  custom_message: true,
  context_edit: true,
  label: true,
  session_info: true,
  usage: true,
  leaf: true,
};

/** Whether this code knows the type of an entry. */
export function isKnownEntry(entry: { type: string }): entry is KnownEntry {
  return Object.hasOwn(ENTRY_TYPES, entry.type);
}

/** Where and why something in a session file could not be read as it stands. */
export interface Damage {
  /** 1 for the first line. */
  line: number;
  /** Byte offset of the line's start. */
  offset: number;
  kind:
    | "unreadable"
    | "torn"
    | "salvaged"
    | "missing_parent"
    | "cycle"
    | "duplicate_id"
    | "missing_target"
    | "header";
  reason: string;
}
