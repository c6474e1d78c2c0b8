/** The port between a session and where its entries are. */
import type { ByteSource } from "./byte_source.ts";
import type { EntryHead } from "./codec.ts";
import type { ContextSettings } from "./context.ts";
import type { Damage, EntryBody, LeafEntry, SessionEntry, SessionHeader } from "./entry.ts";
import { SessionError } from "./errors.ts";
import type { Outline } from "./outline.ts";
import type { UsageTotals } from "./usage_totals.ts";

/**
 * The entries of one session. Calls are synchronous: an entry is written, then applied, and nothing
 * comes between. After every append, reading the session anew gives the same tree.
 */
export interface SessionStorage {
  readonly header: SessionHeader;
  /** The path it has or will have; undefined in memory. */
  readonly file: string | undefined;
  /** The current position; null before the first entry. */
  readonly leafId: string | null;
  /** The last name given, on whatever branch. Looked for when asked. */
  readonly name: string | undefined;
  /** Labels by entry id, the last one for each. Looked for when asked. */
  readonly labels: ReadonlyMap<string, string>;
  /** What could not be read as it stands, as far as was read. */
  readonly damage: readonly Damage[];
  /**
   * Appends an entry under the leaf, which it then is.
   *
   * @throws SessionError `write_failed`, `busy`, `newer_version` or `closed`; nothing has changed.
   */
  append(body: EntryBody): SessionEntry;
  /**
   * Appends an entry under another one (or as a root), which becomes the leaf.
   *
   * @throws SessionError as `append`, and `unknown_entry`.
   */
  appendUnder(parentId: string | null, body: EntryBody): SessionEntry;
  /** Moves the leaf, and writes that down. @throws SessionError as `appendUnder`. */
  moveLeaf(targetId: string | null): LeafEntry;
  /** The entry with an id; of several, the last. */
  entry(id: string): SessionEntry | undefined;
  /** From the root to an entry. @throws SessionError `unknown_entry`. */
  path(leafId: string | null): SessionEntry[];
  /** The part of a path that its context is made of. @throws SessionError `unknown_entry`. */
  pathFromCompaction(leafId: string | null): SessionEntry[];
  /** The model and thinking level that a path ends with. @throws SessionError `unknown_entry`. */
  settings(leafId: string | null): ContextSettings;
  /** What the model calls used. @throws SessionError `unknown_entry`. */
  usage(leafId: string | null): UsageTotals;
  /** A path as lines, to be copied without being parsed. @throws SessionError `unknown_entry`. */
  lines(leafId: string | null): PathLines;
  /** All entries in the order in which they were written, `leaf` entries included. */
  entries(): SessionEntry[];
  /** The children of each entry, in order; those of null are the roots. No `leaf` entries. */
  tree(): TreeNode[];
  /** The tree in short, read without parsing more than it must. */
  outline(): Outline;
  /** Lets go of the file and its lock. Appending rejects from then on. */
  close(): void;
}

/** Entries, root first, by where their bytes are. */
export interface PathLines {
  heads: EntryHead[];
  source: ByteSource;
}

/** An entry with what hangs on it. */
export interface TreeNode {
  entry: SessionEntry;
  children: TreeNode[];
  label?: string;
}

/** The error for an id that no entry has. */
export function unknownEntry(id: string, session: string): SessionError {
  return new SessionError(
    "unknown_entry",
    `Cannot find entry ${id} in session ${session}: no entry has this id`,
  );
}
