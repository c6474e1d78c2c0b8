/** What a storage needs of the world. */
import type { EntryBody, SessionEntry } from "./entry.ts";
import type { FileSystem } from "./file_system.ts";
import type { Clock, Ids, SessionLock } from "./ports.ts";

/**
 * When an append waits until its line has reached the disk: after what ends a turn's step (a user
 * or assistant message, a compaction, a move of the leaf), after every entry, or never.
 */
export type Durability = "turn" | "entry" | "none";

/** The ports of a storage in memory. */
export interface MemoryEnvironment {
  clock: Clock;
  ids: Ids;
}

/** The ports of a storage on the disk. */
export interface StorageEnvironment extends MemoryEnvironment {
  fs: FileSystem;
  lock: SessionLock;
  durability: Durability;
}

/**
 * An entry with its place in the tree.
 *
 * @param known The ids that are taken; undefined if not all are known, then the id is longer.
 */
export function makeEntry(
  body: EntryBody,
  parentId: string | null,
  environment: MemoryEnvironment,
  known: ((id: string) => boolean) | undefined,
): SessionEntry {
  let id = environment.ids.entryId(known ? 8 : 16);
  while (known?.(id)) id = environment.ids.entryId(8);
  const timestamp = new Date(environment.clock.now()).toISOString();
  return { ...body, id, parentId, timestamp };
}
