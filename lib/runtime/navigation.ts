/** Moves in the tree of a session (`docs/events.md`, "Tree"). */
import type { Model } from "../agent/mod.ts";
import {
  type CallWithRetry,
  compactionError,
  type CompactionSettings,
  summarizeBranch,
} from "../compaction/mod.ts";
import { type Session, SessionError, textOf, type Usage } from "../session/mod.ts";
import type { SessionHooks } from "./hooks.ts";

/** How to move in the tree. */
export interface MoveOptions {
  /** Whether the branch that is left gets a summary at the new place. */
  summarize?: boolean;
  /** What the summary should look at. */
  instructions?: string;
  /** A label for the target. */
  label?: string;
  /** The target becomes the leaf whatever it is: a user message, too. */
  exact?: boolean;
}

/** Where a move led. */
export interface MoveOutcome {
  /** An extension or an abort stopped it; the leaf is where it was. */
  cancelled: boolean;
  leafId: string | null;
  /** The entries that were appended: a summary, a label. */
  entryIds: string[];
  /** The text of the user message that was chosen, for editing. */
  editorText?: string;
  /** The entry with the summary of the branch that was left. */
  summaryEntryId?: string;
  /** What the summary cost. */
  usage?: Usage;
}

export interface MovePorts {
  session: Session;
  model: Model;
  hooks: SessionHooks;
  settings: CompactionSettings;
  retry: CallWithRetry;
  signal: AbortSignal;
  /** Tells of an entry that was appended. */
  tellEntry(id: string): Promise<void>;
  /** Takes over the model and the thinking level of the place that was moved to. */
  restoreSettings(): Promise<void>;
}

interface Summary {
  summary: string;
  details?: unknown;
  usage?: Usage;
  fromHook?: boolean;
}

/** Moves the leaf as `MoveOptions` say, and tells of it. Throws as `placeLeaf`. */
export async function moveInTree(
  targetId: string | null,
  options: MoveOptions,
  ports: MovePorts,
): Promise<MoveOutcome> {
  const fromId = ports.session.leafId;
  const outcome = await placeLeaf(targetId, options, ports);
  for (const id of outcome.entryIds) await ports.tellEntry(id);
  if (outcome.cancelled) return outcome;
  await ports.restoreSettings();
  const { leafId, summaryEntryId } = outcome;
  const summary = summaryEntryId === undefined ? {} : { summaryEntryId };
  await ports.hooks.afterTree?.({ targetId, fromId, leafId, ...summary });
  return outcome;
}

/**
 * Moves the leaf. A user or custom message puts it on its parent and hands the text back; any other
 * entry becomes the leaf itself; null is the place before the first entry. Throws `SessionError`
 * (`unknown_entry`, `write_failed`), or a `CompactionError` if there is no summary; then the leaf is
 * where it was.
 */
async function placeLeaf(
  targetId: string | null,
  options: MoveOptions,
  ports: MovePorts,
): Promise<MoveOutcome> {
  const { session, hooks, signal } = ports;
  const fromId = session.leafId;
  const place = await placeOf(targetId, session, options);
  const stay: MoveOutcome = { cancelled: true, leafId: fromId, entryIds: [] };
  const decision = await hooks.beforeTree?.({
    targetId: place.leafId,
    fromId,
    summarize: options.summarize === true,
  }, signal);
  if (decision === "cancel" || signal.aborted) return stay;
  const summary: Summary | undefined = decision
    ? { ...decision, fromHook: true }
    : options.summarize && fromId !== null
    ? await summarize(fromId, place.leafId, options, ports)
    : undefined;
  if (signal.aborted) return stay;
  const summaryEntryId = await session.moveTo(place.leafId, summary ? { summary } : {});
  const labelId = options.label !== undefined && targetId !== null
    ? await session.appendLabel(targetId, options.label)
    : undefined;
  return {
    cancelled: false,
    leafId: session.leafId,
    entryIds: [summaryEntryId, labelId].filter((id) => id !== undefined),
    ...(place.editorText === undefined ? {} : { editorText: place.editorText }),
    ...(summary && summaryEntryId !== undefined ? { summaryEntryId } : {}),
    ...(summary?.usage ? { usage: summary.usage } : {}),
  };
}

async function placeOf(
  targetId: string | null,
  session: Session,
  { exact = false }: MoveOptions,
): Promise<{ leafId: string | null; editorText?: string }> {
  if (targetId === null) return { leafId: null };
  const entry = await session.getEntry(targetId);
  if (!entry) {
    throw new SessionError(
      "unknown_entry",
      `Cannot move to entry ${targetId}: the session has no such entry. ` +
        "Its tree shows those that it has.",
    );
  }
  if (exact) return { leafId: entry.id };
  if (entry.type === "message" && entry.message.role === "user") {
    return { leafId: entry.parentId, editorText: textOf(entry.message.content) };
  }
  if (entry.type === "custom_message") {
    return { leafId: entry.parentId, editorText: textOf(entry.content) };
  }
  return { leafId: entry.id };
}

/** The last entry that two branches share; null if they part at the root. */
async function commonAncestor(
  session: Session,
  fromId: string,
  toId: string | null,
): Promise<string | null> {
  if (toId === null) return null;
  const kept = new Set((await session.getBranch(toId)).map((entry) => entry.id));
  const left = await session.getBranch(fromId);
  return left.findLast((entry) => kept.has(entry.id))?.id ?? null;
}

/** A summary of the branch that is left; undefined if nothing was said on it. */
async function summarize(
  fromId: string,
  toId: string | null,
  options: MoveOptions,
  ports: MovePorts,
): Promise<Summary | undefined> {
  const { session } = ports;
  const ancestorId = await commonAncestor(session, fromId, toId);
  if (ancestorId === fromId) return undefined;
  const outcome = await summarizeBranch({
    items: await session.contextItems(fromId),
    branch: await session.getBranch(fromId),
  }, {
    model: ports.model,
    settings: ports.settings,
    ancestorId,
    signal: ports.signal,
    retry: ports.retry,
    ...(options.instructions === undefined ? {} : { instructions: options.instructions }),
  });
  if (outcome.ok) return outcome.branchSummary;
  if (outcome.failure.code === "nothing_to_summarize") return undefined;
  const error = compactionError(outcome.failure);
  if (error) throw error;
  return undefined;
}
