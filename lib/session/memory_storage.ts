/** A session that is nowhere but in memory. */
import { Buffer } from "node:buffer";
import { memorySource } from "./byte_source.ts";
import { encodeEntry, type EntryHead, readBack } from "./codec.ts";
import { contextPart, type ContextSettings, settingsOf } from "./context.ts";
import type { EntryBody, LeafEntry, SessionEntry, SessionHeader } from "./entry.ts";
import { SessionError } from "./errors.ts";
import { type Outline, outlineOf } from "./outline.ts";
import { type PathLines, type SessionStorage, type TreeNode, unknownEntry } from "./storage.ts";
import { makeEntry, type MemoryEnvironment } from "./storage_env.ts";
import { EntryIndex } from "./tree.ts";
import { applyLabel, treeOf } from "./tree_view.ts";
import { usageOfEntries, type UsageTotals } from "./usage_totals.ts";

/** Entries as they would be in a file, without one. */
export class MemorySessionStorage implements SessionStorage {
  readonly header: SessionHeader;
  readonly file = undefined;
  readonly damage = [];
  readonly #environment: MemoryEnvironment;
  readonly #entries: SessionEntry[] = [];
  readonly #index = new EntryIndex([]);
  readonly #labels = new Map<string, string>();
  #name: string | undefined;
  #leafId: string | null = null;
  #isClosed = false;

  constructor(header: SessionHeader, environment: MemoryEnvironment) {
    this.header = header;
    this.#environment = environment;
  }

  get leafId(): string | null {
    return this.#leafId;
  }

  get name(): string | undefined {
    return this.#name;
  }

  get labels(): ReadonlyMap<string, string> {
    return this.#labels;
  }

  append(body: EntryBody): SessionEntry {
    return this.appendUnder(this.#leafId, body);
  }

  appendUnder(parentId: string | null, body: EntryBody): SessionEntry {
    if (parentId !== null) this.#position(parentId);
    const known = (id: string) => this.#index.find(id) !== undefined;
    return this.add(makeEntry(body, parentId, this.#environment, known));
  }

  moveLeaf(targetId: string | null): LeafEntry {
    const body = { type: "leaf" as const, targetId, fromId: this.#leafId };
    const entry = this.appendUnder(targetId, body);
    if (entry.type !== "leaf") throw new Error("moveLeaf() wrote another type");
    return entry;
  }

  /** Takes over an entry with its id, such as one that is copied from another session. */
  add(entry: SessionEntry): SessionEntry {
    if (this.#isClosed) {
      throw new SessionError("closed", "Cannot append to the session: it was closed");
    }
    const { copy, head } = readBack(encodeEntry(entry));
    this.#entries.push(copy);
    this.#index.add(head);
    applyLabel(this.#labels, copy);
    if (copy.type === "session_info") this.#name = copy.name || undefined;
    const { leaf } = this.#index;
    this.#leafId = leaf === undefined ? null : this.#index.head(leaf).id;
    return copy;
  }

  entry(id: string): SessionEntry | undefined {
    const position = this.#index.find(id);
    return position === undefined ? undefined : this.#entries[position];
  }

  path(leafId: string | null): SessionEntry[] {
    const path: SessionEntry[] = [];
    let at = leafId === null ? undefined : this.#position(leafId);
    for (; at !== undefined; at = this.#index.parent(at)) {
      const entry = this.#entries[at];
      if (entry) path.push(entry);
    }
    return path.reverse();
  }

  pathFromCompaction(leafId: string | null): SessionEntry[] {
    return contextPart(this.path(leafId));
  }

  settings(leafId: string | null): ContextSettings {
    return settingsOf(this.path(leafId));
  }

  usage(leafId: string | null): UsageTotals {
    return { branch: usageOfEntries(this.path(leafId)), session: usageOfEntries(this.#entries) };
  }

  lines(leafId: string | null): PathLines {
    const heads: EntryHead[] = [];
    const chunks: Buffer[] = [];
    let offset = 0;
    for (const entry of this.path(leafId)) {
      const line = encodeEntry(entry);
      const bytes = Buffer.from(line);
      const { head } = readBack(line);
      heads.push({ ...head, offset, length: bytes.length - 1 });
      chunks.push(bytes);
      offset += bytes.length;
    }
    return { heads, source: memorySource(Buffer.concat(chunks)) };
  }

  entries(): SessionEntry[] {
    return [...this.#entries];
  }

  tree(): TreeNode[] {
    return treeOf(this.#index, this.#entries, this.#labels);
  }

  outline(): Outline {
    return outlineOf(this.#index, this.#labels, (position) => this.#entries[position]);
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Takes appends again after `close`. */
  open(): void {
    this.#isClosed = false;
  }

  #position(id: string): number | undefined {
    if (this.#index.find(id) === undefined) throw unknownEntry(id, this.header.id);
    return this.#index.findNode(id);
  }
}
