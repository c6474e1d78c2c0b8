/** A session in a JSONL file: read as far as is needed, written one line an entry. */
import { Buffer } from "node:buffer";
import { encodeEntry, type EntryHead, readBack } from "./codec.ts";
import {
  contextPart,
  type ContextSettings,
  firstKept,
  settingsOf,
  settingsOfEntry,
} from "./context.ts";
import type { Damage, EntryBody, LeafEntry, SessionEntry, SessionHeader } from "./entry.ts";
import { SessionError } from "./errors.ts";
import { contextHeads, findName, findSettings, usageTotals } from "./log_queries.ts";
import type { LogReader } from "./log_reader.ts";
import { excerpts, type Outline, outlineOf } from "./outline.ts";
import { KeptEntryError } from "./kept_entry.ts";
import type { SessionLog } from "./session_log.ts";
import { type PathLines, type SessionStorage, type TreeNode, unknownEntry } from "./storage.ts";
import { makeEntry, type StorageEnvironment } from "./storage_env.ts";
import { applyLabel, treeOf } from "./tree_view.ts";
import type { UsageTotals } from "./usage_totals.ts";

/** An open session file. */
export interface OpenLog {
  header: SessionHeader;
  log: SessionLog;
  reader: LogReader;
  /** Damage that stands before the entries. */
  damage: readonly Damage[];
  /** Why it cannot be appended to, if so. */
  readOnly?: SessionError;
  /** Brings an older file to today's version before the first append. */
  upgrade?: () => OpenLog;
}

/** The part of the leaf's path that the context needs, kept up to date by appends. */
interface KnownPath {
  leafId: string;
  entries: SessionEntry[];
  settings?: ContextSettings;
}

/** The entries of one session file. */
export class JsonlSessionStorage implements SessionStorage {
  readonly #environment: StorageEnvironment;
  #open: OpenLog;
  #leafId: string | null;
  #known: KnownPath | undefined;
  #labels: Map<string, string> | undefined;
  #name: { value: string | undefined } | undefined;
  #isClosed = false;

  constructor(open: OpenLog, environment: StorageEnvironment) {
    this.#open = open;
    this.#environment = environment;
    this.#leafId = open.reader.leafId();
  }

  get header(): SessionHeader {
    return this.#open.header;
  }

  get file(): string {
    return this.#open.log.file;
  }

  get leafId(): string | null {
    return this.#leafId;
  }

  get damage(): readonly Damage[] {
    return [...this.#open.damage, ...this.#reader.damage()];
  }

  get name(): string | undefined {
    this.#name ??= { value: this.#reader.settle(() => findName(this.#reader)) };
    return this.#name.value;
  }

  get labels(): ReadonlyMap<string, string> {
    this.#labels ??= this.#reader.settle(() => {
      const labels = new Map<string, string>();
      const heads: EntryHead[] = [];
      for (const head of this.#reader.headsBackward()) if (head.type === "label") heads.push(head);
      for (const entry of this.#reader.read(heads.reverse())) applyLabel(labels, entry);
      return labels;
    });
    return this.#labels;
  }

  append(body: EntryBody): SessionEntry {
    return this.#write(() => this.#leafId, body);
  }

  appendUnder(parentId: string | null, body: EntryBody): SessionEntry {
    return this.#write(() => this.#checked(parentId), body);
  }

  moveLeaf(targetId: string | null): LeafEntry {
    const body = { type: "leaf" as const, targetId, fromId: this.#leafId };
    const entry = this.appendUnder(targetId, body);
    if (entry.type !== "leaf") throw new Error("moveLeaf() wrote another type");
    return entry;
  }

  entry(id: string): SessionEntry | undefined {
    return this.#reader.settle(() => {
      const head = this.#find(id);
      return head && this.#reader.read([head])[0];
    });
  }

  path(leafId: string | null): SessionEntry[] {
    if (leafId === null) return [];
    return this.#reader.settle(() => {
      const heads = [...this.#reader.ancestors(leafId)];
      if (heads.length === 0) this.#checked(leafId);
      return this.#reader.read(heads.reverse());
    });
  }

  pathFromCompaction(leafId: string | null): SessionEntry[] {
    return leafId === null ? [] : [...this.#contextPath(leafId).entries];
  }

  settings(leafId: string | null): ContextSettings {
    if (leafId === null) return settingsOf([]);
    const known = this.#contextPath(leafId);
    known.settings ??= this.#reader.settle(() => findSettings(this.#reader, known));
    return { ...known.settings };
  }

  usage(leafId: string | null): UsageTotals {
    return this.#reader.settle(() => usageTotals(this.#reader, leafId, this.header.id));
  }

  lines(leafId: string | null): PathLines {
    const { log } = this.#open;
    if (leafId === null) return { heads: [], source: log.source() };
    const heads = this.#reader.settle(() => [...this.#reader.ancestors(leafId)]).reverse();
    if (heads.length === 0) this.#checked(leafId);
    return { heads, source: this.#reader.source };
  }

  entries(): SessionEntry[] {
    return this.#reader.settle(() => this.#reader.read(this.#heads()));
  }

  tree(): TreeNode[] {
    const labels = this.labels;
    return this.#reader.settle(() => {
      const entries = this.#reader.read(this.#heads());
      return treeOf(this.#reader.index(), entries, labels);
    });
  }

  outline(): Outline {
    const labels = this.labels;
    return this.#reader.settle(() => {
      const excerpt = excerpts(this.#reader.source);
      const index = this.#reader.index();
      return outlineOf(index, labels, (position) => excerpt(index.head(position)));
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#open.log.close();
  }

  get #reader(): LogReader {
    return this.#open.reader;
  }

  /** All heads in the order of the file. */
  #heads(): EntryHead[] {
    const index = this.#reader.index();
    return Array.from({ length: index.size }, (_, position) => index.head(position));
  }

  #find(id: string): EntryHead | undefined {
    if (!this.#reader.complete) {
      for (const head of this.#reader.headsBackward()) if (head.id === id) return head;
    }
    const index = this.#reader.index();
    const position = index.find(id);
    return position === undefined ? undefined : index.head(position);
  }

  #checked(id: string | null): string | null {
    if (id !== null && id !== this.#leafId && !this.entry(id)) throw unknownEntry(id, this.file);
    return id;
  }

  #contextPath(leafId: string): KnownPath {
    if (this.#known?.leafId === leafId) return this.#known;
    const entries = this.#reader.settle(() => {
      const heads = contextHeads(this.#reader, leafId);
      if (heads.length === 0) this.#checked(leafId);
      return this.#reader.read(heads.reverse());
    });
    const known = { leafId, entries };
    if (leafId === this.#leafId) this.#known = known;
    return known;
  }

  #assertWritable(): void {
    if (this.#isClosed) {
      throw new SessionError("closed", `Cannot append to session ${this.file}: it was closed`);
    }
    if (this.#open.readOnly) throw this.#open.readOnly;
  }

  /** Checks, writes, applies, in this order. */
  #write(parent: () => string | null, body: EntryBody): SessionEntry {
    this.#assertWritable();
    this.#prepare();
    const parentId = parent();
    const { complete } = this.#reader;
    const known = (id: string) => this.#reader.index().find(id) !== undefined;
    const entry = makeEntry(body, parentId, this.#environment, complete ? known : undefined);
    const line = encodeEntry(entry);
    const { copy, head } = readBack(line);
    const bytes = Buffer.from(line);
    head.length = bytes.length - 1;
    try {
      head.offset = this.#put(bytes, entry);
    } catch (error) {
      if (!(error instanceof KeptEntryError)) throw error;
      head.offset = error.offset;
      this.#apply(copy, head);
      throw error.error;
    }
    this.#apply(copy, head);
    return copy;
  }

  #put(line: Buffer, entry: SessionEntry): number {
    const { log } = this.#open;
    if (log.isWaiting && !isSaid(entry)) return log.hold(line);
    const { durability } = this.#environment;
    return log.append(line, durability === "entry" || (durability === "turn" && isStep(entry)));
  }

  /** Brings the log up to what is on the disk, so that it can be appended to. */
  #prepare(): void {
    if (this.#open.upgrade) this.#open = this.#open.upgrade();
    const { log, reader } = this.#open;
    if (!log.prepare()) return;
    // Others have added lines without our lock. They join the tree; our leaf stays where it is.
    reader.restart(log.source());
    this.#known = undefined;
    this.#labels = undefined;
    this.#name = undefined;
  }

  #apply(entry: SessionEntry, head: EntryHead): void {
    this.#reader.add([head], this.#open.log.source());
    if (this.#labels) applyLabel(this.#labels, entry);
    if (entry.type === "session_info") this.#name = { value: entry.name || undefined };
    this.#leafId = entry.type === "leaf" ? entry.targetId : entry.id;
    const known = this.#known;
    if (!known || known.leafId === this.#leafId) return;
    this.#known = entry.type === "leaf" || known.leafId !== entry.parentId
      ? undefined
      : extended(known, entry);
  }
}

/** A known path with one more entry, or undefined if it has to be read anew. */
function extended(known: KnownPath, entry: SessionEntry): KnownPath | undefined {
  known.leafId = entry.id;
  known.entries.push(entry);
  if (known.settings) Object.assign(known.settings, settingsOfEntry(entry));
  if (entry.type === "compaction") {
    const kept = firstKept(entry);
    // It may keep entries from further up than what was read.
    if (kept !== undefined && !known.entries.some(({ id }) => id === kept)) return undefined;
    known.entries = contextPart(known.entries);
  }
  return known;
}

/** A message of a person or a model: what a session's file is made for. */
function isSaid(entry: SessionEntry): boolean {
  return entry.type === "message" &&
    (entry.message.role === "user" || entry.message.role === "assistant");
}

/** What must have reached the disk before a run goes on. */
function isStep(entry: SessionEntry): boolean {
  return isSaid(entry) || entry.type === "compaction" || entry.type === "leaf" ||
    entry.type === "branch_summary";
}
