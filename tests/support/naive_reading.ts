/**
 * A session read as `docs/session-format.md` says, the plain and slow way: every line parsed, every
 * parent looked for by hand. What the real reader finds must be the same.
 */
import { memorySource } from "../../lib/session/byte_source.ts";
import { headOf } from "../../lib/session/codec.ts";
import {
  type ContextItem,
  contextItems,
  type ContextSettings,
  isCheckpoint,
  settingsOf,
} from "../../lib/session/context.ts";
import type { SessionEntry } from "../../lib/session/entry.ts";
import { readHeader } from "../../lib/session/header.ts";
import { linesForward } from "../../lib/session/lines.ts";
import { recordsIn } from "../../lib/session/salvage.ts";
import { soundEntry } from "../../lib/session/sound.ts";

interface NaiveEntry {
  entry: SessionEntry;
  afterDamage: boolean;
  /** Undefined where a `leaf` entry names no target. */
  targetId: string | null | undefined;
}

export class NaiveReading {
  readonly #all: NaiveEntry[] = [];
  /** Per entry, the one that it hangs on; `leaf` entries hang on their target. */
  readonly #links: (number | undefined)[] = [];
  readonly #ignored = new Set<number>();

  /** Whether an entry names one as its parent that stands only further down. */
  looksAhead = false;

  constructor(bytes: Uint8Array) {
    const source = memorySource(bytes);
    const header = readHeader(source);
    if (!header) throw new Error("no header");
    let afterDamage = false;
    for (const line of linesForward(source, header.end)) {
      const { records, problem } = recordsIn(source.read(line.start, line.end));
      let damaged = problem !== undefined;
      afterDamage ||= damaged;
      for (const { value } of records) {
        const head = value["type"] === "session" ? undefined : headOf(value, 0, 0);
        const entry = head && soundEntry(value);
        if (!head || !entry) {
          damaged = afterDamage = true;
          continue;
        }
        this.#all.push({ entry, afterDamage, targetId: head.targetId });
        afterDamage = false;
      }
      afterDamage = damaged;
    }
    this.#link();
  }

  get entries(): SessionEntry[] {
    return this.#all.map(({ entry }) => entry);
  }

  get leafId(): string | null {
    const last = this.#all.findLastIndex((_, at) => !this.#ignored.has(at));
    const node = last === -1 ? undefined : this.#node(last);
    return this.#all[node ?? -1]?.entry.id ?? null;
  }

  path(leafId: string | null): SessionEntry[] {
    const path: SessionEntry[] = [];
    const start = this.#all.findLastIndex(({ entry }) => entry.id === leafId);
    let at = start === -1 ? undefined : this.#node(start);
    while (at !== undefined) {
      const found = this.#all[at];
      if (found) path.unshift(found.entry);
      const link: number | undefined = this.#links[at];
      at = link === undefined ? undefined : this.#node(link);
    }
    return path;
  }

  context(leafId: string | null): ContextItem[] {
    return contextItems(this.path(leafId));
  }

  settings(leafId: string | null): ContextSettings {
    return settingsOf(this.path(leafId));
  }

  get labels(): Record<string, string> {
    const labels: Record<string, string> = {};
    for (const { entry } of this.#all) {
      if (entry.type !== "label") continue;
      if (entry.label) labels[entry.targetId] = entry.label;
      else delete labels[entry.targetId];
    }
    return labels;
  }

  get name(): string | undefined {
    let name: string | undefined;
    for (const { entry } of this.#all) {
      if (entry.type === "session_info") name = entry.name;
      if (entry.type !== "compaction" || !isCheckpoint(entry.checkpoint)) continue;
      name = entry.checkpoint.name;
    }
    return name || undefined;
  }

  /** The parent of each node by position, as a tree view shows it. */
  get parents(): (number | undefined)[] {
    return this.#links.map((link) => link === undefined ? undefined : this.#node(link));
  }

  #node(at: number): number | undefined {
    let node: number | undefined = at;
    while (node !== undefined && this.#all[node]?.entry.type === "leaf") node = this.#links[node];
    return node;
  }

  #before(at: number, id: string | null | undefined): number | undefined {
    const found = this.#all.findLastIndex(({ entry }, other) => other < at && entry.id === id);
    return found === -1 ? undefined : found;
  }

  #after(at: number, id: string | null | undefined): number | undefined {
    const found = this.#all.findIndex(({ entry }, other) => other > at && entry.id === id);
    return found === -1 ? undefined : found;
  }

  /** Whether an entry hangs, however far down, on another. */
  #hangsOn(at: number, ancestor: number): boolean {
    for (let up: number | undefined = at; up !== undefined; up = this.#links[up]) {
      if (up === ancestor) return true;
    }
    return false;
  }

  #link(): void {
    for (const [at, { entry, targetId }] of this.#all.entries()) {
      this.#links[at] = this.#before(at, entry.type === "leaf" ? targetId : entry.parentId);
    }
    for (const [at, { entry, targetId, afterDamage }] of this.#all.entries()) {
      if (this.#links[at] !== undefined) continue;
      const isLeaf = entry.type === "leaf";
      const named = isLeaf ? targetId : entry.parentId;
      if (named === null) continue;
      const later = this.#after(at, named);
      if (later !== undefined) this.looksAhead = true;
      if (later !== undefined && !this.#hangsOn(later, at)) {
        this.#links[at] = later;
      } else if (isLeaf) {
        this.#ignored.add(at);
        const parent = this.#before(at, entry.parentId) ?? this.#after(at, entry.parentId);
        if (parent !== undefined && !this.#hangsOn(parent, at)) this.#links[at] = parent;
      } else if (afterDamage && at > 0 && !this.#hangsOn(at - 1, at)) {
        this.#links[at] = at - 1;
      }
    }
  }
}
