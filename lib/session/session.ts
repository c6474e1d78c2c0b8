/** A session: a conversation's tree, and the one way to add to it. */
import {
  type ContextItem,
  contextItems,
  contextOf,
  type ContextSettings,
  isContextRole,
  isThinkingLevel,
  type SessionContext,
} from "./context.ts";
import type { Checkpoint, Damage, SessionEntry, SessionHeader, StoredMessage } from "./entry.ts";
import type { CompactionEntry, ContextEditEntry, CustomMessageEntry } from "./entry.ts";
import { THINKING_LEVELS, type ThinkingLevel, type Usage } from "./message.ts";
import type { Outline } from "./outline.ts";
import { type SessionStorage, type TreeNode, unknownEntry } from "./storage.ts";
import type { UsageTotals } from "./usage_totals.ts";
import { isRecord } from "./record.ts";

/** What `appendCompaction` is given. */
export type NewCompaction = Omit<CompactionEntry, "type" | "id" | "parentId" | "timestamp">;

/** What `appendCustomMessage` is given. */
export type NewCustomMessage = Pick<
  CustomMessageEntry,
  "customType" | "content" | "display" | "details"
>;

/** The summary of a branch that is being left. */
export interface NewBranchSummary {
  summary: string;
  details?: unknown;
  usage?: Usage;
  fromHook?: boolean;
}

/**
 * A session. What is appended is written before the method's promise resolves; if it rejects (with
 * a `SessionError`), nothing has changed.
 *
 * @example
 * ```ts
 * import { MemorySessionRepo } from "bough";
 *
 * const session = await new MemorySessionRepo().create({ cwd: "/tmp" });
 * const id = await session.appendMessage({ role: "user", content: "Hello", timestamp: 0 });
 * await session.appendLabel(id, "start");
 * const { messages } = await session.buildContext();
 * console.log(messages.length, session.labels.get(id)); // 1 start
 * ```
 */
export class Session {
  /** Where the entries are. */
  readonly storage: SessionStorage;
  readonly #cwd: string | undefined;

  /**
   * @param storage An open storage; the session goes on to own it.
   * @param options `cwd`: the directory to work in instead of the recorded one.
   */
  constructor(storage: SessionStorage, options: { cwd?: string } = {}) {
    this.storage = storage;
    this.#cwd = options.cwd;
  }

  get header(): SessionHeader {
    return this.storage.header;
  }

  get id(): string {
    return this.header.id;
  }

  /** The directory in which the session works. */
  get cwd(): string {
    return this.#cwd ?? this.header.cwd;
  }

  /** The file that it has or will have; undefined in memory. */
  get file(): string | undefined {
    return this.storage.file;
  }

  /** The current position; null before the first entry. */
  get leafId(): string | null {
    return this.storage.leafId;
  }

  /** The last name given to the session, on whatever branch. */
  get name(): string | undefined {
    return this.storage.name;
  }

  /** Labels by the id of the entry that has them. */
  get labels(): ReadonlyMap<string, string> {
    return this.storage.labels;
  }

  /** What could not be read as it stands, as far as the file was read. */
  get damage(): readonly Damage[] {
    return this.storage.damage;
  }

  /** The entry with an id. */
  async getEntry(id: string): Promise<SessionEntry | undefined> {
    return this.storage.entry(id);
  }

  /** All entries in the order in which they were written. */
  async getEntries(): Promise<SessionEntry[]> {
    return this.storage.entries();
  }

  /** From the root to an entry, by default the leaf. @throws SessionError `unknown_entry`. */
  async getBranch(leafId: string | null = this.leafId): Promise<SessionEntry[]> {
    return this.storage.path(leafId);
  }

  /** The roots, with what hangs on them. `leaf` entries are no nodes. */
  async getTree(): Promise<TreeNode[]> {
    return this.storage.tree();
  }

  /** The tree in short, for drawing it: cheap also where the tree itself is big. */
  async getOutline(): Promise<Outline> {
    return this.storage.outline();
  }

  /**
   * What a model reads at an entry, by default the leaf, and with which settings it was last asked.
   *
   * @throws SessionError `unknown_entry`.
   */
  async buildContext(leafId: string | null = this.leafId): Promise<SessionContext> {
    return contextOf(this.storage.pathFromCompaction(leafId), this.storage.settings(leafId));
  }

  /** The messages of `buildContext`, each with its entry. @throws SessionError `unknown_entry`. */
  async contextItems(leafId: string | null = this.leafId): Promise<ContextItem[]> {
    return contextItems(this.storage.pathFromCompaction(leafId));
  }

  /** The part of a branch that its context is made of, root first. @throws as `getBranch`. */
  async contextBranch(leafId: string | null = this.leafId): Promise<SessionEntry[]> {
    return this.storage.pathFromCompaction(leafId);
  }

  /** What the model calls of the active branch, and of all branches, used. */
  async usageTotals(): Promise<UsageTotals> {
    return this.storage.usage(this.leafId);
  }

  /** The model and thinking level at the leaf. */
  async settings(): Promise<ContextSettings> {
    return this.storage.settings(this.leafId);
  }

  /**
   * Appends a message; its entry becomes the leaf.
   *
   * @returns the entry's id, here and below.
   * @throws TypeError for what is no message: no model would ever get to see it.
   */
  async appendMessage(message: StoredMessage): Promise<string> {
    assertMessage(message);
    return this.storage.append({ type: "message", message }).id;
  }

  async appendModelChange(provider: string, modelId: string): Promise<string> {
    return this.storage.append({ type: "model_change", provider, modelId }).id;
  }

  /** @throws TypeError for what is no level. */
  async appendThinkingLevelChange(thinkingLevel: ThinkingLevel): Promise<string> {
    if (!isThinkingLevel(thinkingLevel)) throw noThinkingLevel(thinkingLevel);
    return this.storage.append({ type: "thinking_level_change", thinkingLevel }).id;
  }

  /**
   * Appends a compaction: from here on the context is its summary, the entries from
   * `firstKeptEntryId` on (none if it is empty), and what comes after. A checkpoint of the settings
   * is added, so that reading need not go further up.
   *
   * @throws SessionError `unknown_entry` if there is no entry to be kept first.
   */
  async appendCompaction(compaction: NewCompaction): Promise<string> {
    const { firstKeptEntryId, checkpoint = this.#checkpoint() } = compaction;
    if (firstKeptEntryId !== "") this.#assertKnown(firstKeptEntryId);
    return this.storage.append({ type: "compaction", ...compaction, checkpoint }).id;
  }

  #checkpoint(): Checkpoint {
    const { name } = this;
    const { model, thinkingLevel } = this.storage.settings(this.leafId);
    const totals = { sessionId: this.id, ...this.storage.usage(this.leafId) };
    return { model, thinkingLevel, ...name === undefined ? {} : { name }, totals };
  }

  /** Appends an extension's own state; it never enters the context. */
  async appendCustomEntry(customType: string, data?: unknown): Promise<string> {
    return this.storage.append({ type: "custom", customType, data }).id;
  }

  /** Appends an extension's message, which enters the context. */
  async appendCustomMessage(message: NewCustomMessage): Promise<string> {
    return this.storage.append({ type: "custom_message", ...message }).id;
  }

  /**
   * Changes what an entry contributes to the context, on this branch and from here on: null takes
   * it out, else its content is replaced.
   *
   * @throws SessionError `unknown_entry`.
   */
  async appendContextEdit(
    targetId: string,
    replacement: ContextEditEntry["replacement"],
  ): Promise<string> {
    this.#assertKnown(targetId);
    return this.storage.append({ type: "context_edit", targetId, replacement }).id;
  }

  /** Gives an entry a label; an absent or empty one takes it away. @throws SessionError `unknown_entry`. */
  async appendLabel(targetId: string, label?: string): Promise<string> {
    this.#assertKnown(targetId);
    return this.storage.append({ type: "label", targetId, ...label ? { label } : {} }).id;
  }

  /** Names the session; an empty name takes the name away. */
  async appendSessionName(name: string): Promise<string> {
    return this.storage.append({ type: "session_info", name }).id;
  }

  /** Notes what a model call beside the conversation took. */
  async appendUsage(
    usage: { kind: string; provider: string; model: string; usage: Usage },
  ): Promise<string> {
    return this.storage.append({ type: "usage", ...usage }).id;
  }

  /**
   * Moves the leaf to an entry, or (null) before the first one. With a summary, an entry with it is
   * appended there, which becomes the leaf.
   *
   * @returns the id of the summary's entry.
   * @throws SessionError `unknown_entry`.
   */
  async moveTo(
    id: string | null,
    options: { summary?: NewBranchSummary } = {},
  ): Promise<string | undefined> {
    const { summary } = options;
    if (!summary) {
      if (id !== this.leafId) this.storage.moveLeaf(id);
      return undefined;
    }
    const fromId = this.leafId ?? "root";
    return this.storage.appendUnder(id, { type: "branch_summary", fromId, ...summary }).id;
  }

  /**
   * Lets go of the file and its lock. Afterwards appends reject with `closed`, and so may what would
   * have to read the file.
   */
  async close(): Promise<void> {
    this.storage.close();
  }

  /** `close()`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #assertKnown(id: string): void {
    if (!this.storage.entry(id)) throw unknownEntry(id, this.file ?? this.id);
  }
}

/** Programs that no compiler looked at may pass anything; what has no such role, no model gets to see. */
function assertMessage(message: unknown): void {
  const role: unknown = isRecord(message) ? message["role"] : undefined;
  if (typeof role === "string" && isContextRole(role)) return;
  const problem = role === undefined ? "it has no role" : `its role is ${JSON.stringify(role)}`;
  throw new TypeError(
    `Cannot append a message: ${problem}; it must be user, assistant, toolResult, bashExecution, ` +
      "custom or system",
  );
}

function noThinkingLevel(level: unknown): TypeError {
  return new TypeError(
    `Cannot set the thinking level ${String(level)}: it must be ${THINKING_LEVELS.join(", ")}`,
  );
}

/** A session that was forked off another. */
export class ForkedSession extends Session {
  /** The text of the user message that the fork stops before, for editing. */
  readonly editorText: string | undefined;

  constructor(storage: SessionStorage, editorText: string | undefined) {
    super(storage);
    this.editorText = editorText;
  }
}
