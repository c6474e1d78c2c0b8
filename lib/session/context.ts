/**
 * The context is a projection: pure functions of the entries on a path
 * (`docs/session-format.md`, "The context is a projection", steps 2 to 5).
 */
import type {
  Checkpoint,
  CompactionEntry,
  ContextEditEntry,
  ModelRef,
  SessionEntry,
} from "./entry.ts";
import { isKnownEntry } from "./entry.ts";
import { type Message, type TextContent, THINKING_LEVELS, type ThinkingLevel } from "./message.ts";

/** A message of the context and the entry that it came from. */
export interface ContextItem {
  readonly entry: SessionEntry;
  readonly message: Message;
}

/** The model and the thinking level that a path ends with. */
export interface ContextSettings {
  /** null if no entry names one. */
  model: ModelRef | null;
  thinkingLevel: ThinkingLevel;
}

/** What a model reads, and with which settings it was last asked. */
export interface SessionContext extends ContextSettings {
  messages: Message[];
}

/** What one entry says of the settings; what it says nothing of is absent. */
export function settingsOfEntry(entry: SessionEntry): Partial<ContextSettings> {
  switch (entry.type) {
    case "model_change":
      return { model: { provider: entry.provider, modelId: entry.modelId } };
    case "thinking_level_change":
      return isThinkingLevel(entry.thinkingLevel) ? { thinkingLevel: entry.thinkingLevel } : {};
    case "compaction":
      return isCheckpoint(entry.checkpoint)
        ? { model: entry.checkpoint.model, thinkingLevel: entry.checkpoint.thinkingLevel }
        : {};
    case "message":
      return entry.message.role === "assistant"
        ? { model: { provider: entry.message.provider, modelId: entry.message.model } }
        : {};
    case "branch_summary":
    case "custom":
    case "custom_message":
    case "context_edit":
    case "label":
    case "session_info":
    case "usage":
    case "leaf":
      break;
  }
  return {};
}

/** The settings that a path (root first) ends with. */
export function settingsOf(path: readonly SessionEntry[]): ContextSettings {
  const found: Partial<ContextSettings> = {};
  for (let at = path.length - 1; at >= 0 && !isSettled(found); at--) {
    const entry = path[at];
    if (entry) addSettings(found, settingsOfEntry(entry));
  }
  return settled(found);
}

/** Takes from `above` what the entries below it left open. */
export function addSettings(
  found: Partial<ContextSettings>,
  above: Partial<ContextSettings>,
): void {
  if (found.model === undefined && above.model !== undefined) found.model = above.model;
  if (found.thinkingLevel === undefined && above.thinkingLevel !== undefined) {
    found.thinkingLevel = above.thinkingLevel;
  }
}

/** Whether nothing further up a path can change these settings. */
export function isSettled(found: Partial<ContextSettings>): boolean {
  return found.model !== undefined && found.thinkingLevel !== undefined;
}

/** The settings with what no entry named. */
export function settled(found: Partial<ContextSettings>): ContextSettings {
  return { model: found.model ?? null, thinkingLevel: found.thinkingLevel ?? "off" };
}

export function isThinkingLevel(value: unknown): value is ThinkingLevel {
  return THINKING_LEVELS.some((level) => level === value);
}

/** A checkpoint comes from a file: it may be anything. */
export function isCheckpoint(value: unknown): value is Checkpoint {
  if (typeof value !== "object" || value === null) return false;
  if (!("model" in value) || !("thinkingLevel" in value)) return false;
  const { model, thinkingLevel } = value;
  return isThinkingLevel(thinkingLevel) && (model === null || isModelRef(model));
}

function isModelRef(value: unknown): value is ModelRef {
  return typeof value === "object" && value !== null && "provider" in value &&
    typeof value.provider === "string" && "modelId" in value && typeof value.modelId === "string";
}

/**
 * What a compaction asks to be kept of what is above it: an entry and all after it, or nothing (its
 * own id, no id, or messages of its own instead).
 */
export function firstKept(compaction: CompactionEntry): string | undefined {
  const { id, firstKeptEntryId, retainedTail } = compaction;
  return retainedTail || firstKeptEntryId === "" || firstKeptEntryId === id
    ? undefined
    : firstKeptEntryId;
}

/** Where on a path (root first) the context begins: at the first kept entry, or the compaction. */
function contextStart(path: readonly SessionEntry[], ruling: number): number {
  const compaction = path[ruling];
  const id = compaction?.type === "compaction" ? firstKept(compaction) : undefined;
  const first = id === undefined ? -1 : path.findLastIndex((e, at) => at < ruling && e.id === id);
  return first === -1 ? ruling : first;
}

function rulingCompaction(path: readonly SessionEntry[]): number {
  return path.findLastIndex((entry) => entry.type === "compaction");
}

/** The part of a path that its context is made of. */
export function contextPart(path: readonly SessionEntry[]): SessionEntry[] {
  const ruling = rulingCompaction(path);
  return ruling === -1 ? [...path] : path.slice(contextStart(path, ruling));
}

/** The places on a path of the entries that its context is made of, in the order of the context. */
function contextPlaces(path: readonly SessionEntry[]): number[] {
  const places = [...path.keys()];
  const ruling = rulingCompaction(path);
  if (ruling === -1) return places;
  const kept = places.slice(contextStart(path, ruling), ruling).filter((at) => {
    const entry = path[at];
    return entry?.type !== "compaction" &&
      !(entry?.type === "message" && entry.message.role === "system");
  });
  return [ruling, ...kept, ...places.slice(ruling + 1)];
}

/**
 * The messages of a path, each with its entry. The path may begin anywhere at or above the ruling
 * compaction's first kept entry: the result is the same.
 */
export function contextItems(path: readonly SessionEntry[]): ContextItem[] {
  const edits = new Map<string, { edit: ContextEditEntry; at: number }>();
  for (const [at, edit] of path.entries()) {
    if (edit.type === "context_edit") edits.set(edit.targetId, { edit, at });
  }
  const items: ContextItem[] = [];
  for (const at of contextPlaces(path)) {
    const entry = path[at];
    if (!entry) continue;
    // An edit is about what stands before it, also where an id was given twice.
    const last = edits.get(entry.id);
    const replacement = last && last.at > at ? last.edit.replacement : undefined;
    if (replacement === null) continue;
    // A compaction may bring messages of others; its summary has no content to be replaced.
    const content = entry.type === "compaction" ? undefined : replacement?.content;
    for (const message of messagesOf(entry)) {
      items.push({ entry, message: content === undefined ? message : edited(message, content) });
    }
  }
  return items;
}

/** What an entry says in a context. */
function messagesOf(entry: SessionEntry): Message[] {
  if (!isKnownEntry(entry)) return [];
  const timestamp = Date.parse(entry.timestamp) || 0;
  switch (entry.type) {
    case "message":
      return isContextRole(entry.message.role) ? [entry.message] : [];
    case "custom_message": {
      const { customType, content, display, details } = entry;
      const message = { role: "custom" as const, customType, content, display, timestamp };
      return [details === undefined ? message : { ...message, details }];
    }
    case "branch_summary": {
      const { summary, fromId } = entry;
      return summary === "" ? [] : [{ role: "branchSummary", summary, fromId, timestamp }];
    }
    case "compaction": {
      const { summary, tokensBefore, retainedTail } = entry;
      return [
        { role: "compactionSummary", summary, tokensBefore, timestamp },
        ...(retainedTail ?? []).filter(({ role }) => isContextRole(role)),
      ];
    }
    case "model_change":
    case "thinking_level_change":
    case "custom":
    case "context_edit":
    case "label":
    case "session_info":
    case "usage":
    case "leaf":
      return [];
  }
}

const CONTEXT_ROLES: Record<Message["role"], true> = {
  user: true,
  assistant: true,
  toolResult: true,
  bashExecution: true,
  custom: true,
  system: true,
  branchSummary: true,
  compactionSummary: true,
};

/** Whether messages of a role may be part of a context. */
export function isContextRole(role: string): boolean {
  return Object.hasOwn(CONTEXT_ROLES, role);
}

type EditedContent = NonNullable<ContextEditEntry["replacement"]>["content"];

/** A message with its content replaced; a message that has none stays as it is. */
function edited(message: Message, content: EditedContent): Message {
  const blocks = typeof content === "string"
    ? [{ type: "text", text: content } satisfies TextContent]
    : content;
  switch (message.role) {
    case "user":
    case "custom":
      return { ...message, content };
    case "toolResult":
      return { ...message, content: blocks };
    case "assistant":
      return { ...message, content: blocks.filter((block) => block.type !== "image") };
    case "system":
    case "bashExecution":
    case "branchSummary":
    case "compactionSummary":
      return message;
  }
}

/** The context of a path and the settings that it ends with. */
export function contextOf(
  path: readonly SessionEntry[],
  settings: ContextSettings,
): SessionContext {
  return { messages: contextItems(path).map((item) => item.message), ...settings };
}
