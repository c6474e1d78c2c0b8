/**
 * The tree of a session, from the heads of its entries in file order: who is whose parent, which
 * entry is the leaf, what hangs on nothing. No input makes a walk endless: the links are a forest.
 */
import type { EntryHead } from "./codec.ts";
import type { Damage } from "./entry.ts";

/** A flaw in the tree, by the position of the entry that has it. */
export interface TreeFlaw {
  position: number;
  kind: Damage["kind"];
  reason: string;
}

const NONE = -1;
const UNKNOWN = -2;

/**
 * An index of entries by position (0 is the first in the file). A `leaf` entry has a position but
 * is no node: a walk that comes to one goes on at its target.
 */
export class EntryIndex {
  readonly #heads: EntryHead[];
  /** The entry that each one hangs on, `leaf` entries included; NONE for a root. */
  readonly #links: number[] = [];
  /** `leaf` entries that set nothing, since their target does not exist. */
  readonly #ignored = new Set<number>();
  readonly #lastById = new Map<string, number>();
  readonly #flaws: TreeFlaw[] = [];
  #looksAhead = false;
  /** Where a walk goes from a `leaf` entry, once it was asked for. */
  readonly #nodeOfLeaf = new Map<number, number>();

  /** @param heads In file order; the index goes on to own the list. */
  constructor(heads: EntryHead[]) {
    this.#heads = heads;
    const unresolved: number[] = [];
    for (let position = 0; position < heads.length; position++) {
      this.#link(position);
      if (this.#links[position] === UNKNOWN) unresolved.push(position);
    }
    if (unresolved.length > 0) this.#linkForward(unresolved);
  }

  get size(): number {
    return this.#heads.length;
  }

  /** What is wrong with the tree, in no particular order. */
  get flaws(): readonly TreeFlaw[] {
    return this.#flaws;
  }

  /** Whether an entry names a later one as its parent, as no sane writer makes it do. */
  get looksAhead(): boolean {
    return this.#looksAhead;
  }

  /** The position of the leaf, or undefined before the first entry. */
  get leaf(): number | undefined {
    for (let position = this.#heads.length - 1; position >= 0; position--) {
      if (!this.#ignored.has(position)) return this.nodeAt(position);
    }
    return undefined;
  }

  /** The head at a position of this index. */
  head(position: number): EntryHead {
    const head = this.#heads[position];
    if (!head) throw new RangeError(`no entry at position ${position}`);
    return head;
  }

  /** The position of the entry whose bytes begin at an offset. */
  positionOf(offset: number): number | undefined {
    let low = 0;
    let high = this.#heads.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = this.head(middle).offset;
      if (found === offset) return middle;
      if (found < offset) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  /** The position of the last entry with this id (`leaf` entries included). */
  find(id: string): number | undefined {
    return this.#lastById.get(id);
  }

  /** The node that an id stands for: itself, or what a `leaf` entry leads to. */
  findNode(id: string): number | undefined {
    const position = this.#lastById.get(id);
    return position === undefined ? undefined : this.nodeAt(position);
  }

  /** The parent node of an entry, or undefined for a root. */
  parent(position: number): number | undefined {
    const link = this.#links[position] ?? NONE;
    return link < 0 ? undefined : this.nodeAt(link);
  }

  /** Adds an entry that was appended. Its parent is known. */
  add(head: EntryHead): void {
    const position = this.#heads.length;
    this.#heads.push(head);
    this.#link(position);
    if (this.#links[position] === UNKNOWN) this.#linkForward([position]);
  }

  /** The entry at a position, or the one that a `leaf` entry there leads to. */
  nodeAt(position: number): number | undefined {
    if (this.#heads[position]?.type !== "leaf") return position < 0 ? undefined : position;
    const passed: number[] = [];
    let at = position;
    while (at >= 0 && this.#heads[at]?.type === "leaf") {
      const known = this.#nodeOfLeaf.get(at);
      if (known !== undefined) {
        at = known;
        break;
      }
      passed.push(at);
      at = this.#links[at] ?? NONE;
    }
    for (const leaf of passed) this.#nodeOfLeaf.set(leaf, at);
    return at < 0 ? undefined : at;
  }

  /** Links an entry to the nearest earlier one that it names; UNKNOWN if there is none. */
  #link(position: number): void {
    const head = this.head(position);
    const named = head.type === "leaf" ? head.targetId : head.parentId;
    this.#links[position] = named === null
      ? NONE
      : named === undefined
      ? UNKNOWN
      : this.#lastById.get(named) ?? UNKNOWN;
    if (this.#lastById.has(head.id)) {
      this.#flaw(position, "duplicate_id", `the id ${head.id} is taken by an earlier entry`);
    }
    this.#lastById.set(head.id, position);
  }

  /** Links what names no earlier entry: to a later one, or to what damage cut it off from. */
  #linkForward(unresolved: readonly number[]): void {
    const places = this.#positionsOf(unresolved);
    const forest = new Forest(this.#links);
    for (const position of unresolved) {
      const head = this.head(position);
      this.#links[position] = NONE;
      const link = head.type === "leaf"
        ? this.#linkOfStrayLeaf(position, places, forest)
        : this.#linkOfOrphan(position, places, forest);
      if (link !== undefined) this.#links[position] = link;
    }
  }

  #linkOfOrphan(position: number, places: Places, forest: Forest): number | undefined {
    const { parentId, afterDamage, id } = this.head(position);
    const later = firstAfter(places, parentId, position);
    if (later !== undefined) this.#looksAhead = true;
    if (later !== undefined && forest.join(position, later)) return later;
    const closesCycle = later !== undefined || parentId === id;
    const before = position - 1;
    const linked = afterDamage && before >= 0 && forest.join(position, before);
    const outcome = linked ? "it hangs on the entry before the damage" : "it is a root";
    this.#flaw(
      position,
      closesCycle ? "cycle" : "missing_parent",
      closesCycle
        ? `its parent ${parentId} descends from it; ${outcome}`
        : `its parent ${parentId} does not exist; ${outcome}`,
    );
    return linked ? before : undefined;
  }

  /** A `leaf` entry whose target is not before it. */
  #linkOfStrayLeaf(position: number, places: Places, forest: Forest): number | undefined {
    const { parentId, targetId } = this.head(position);
    const later = firstAfter(places, targetId, position);
    if (later !== undefined) this.#looksAhead = true;
    if (later !== undefined && forest.join(position, later)) return later;
    this.#ignored.add(position);
    this.#flaw(position, "missing_target", `its target ${targetId} does not exist`);
    const parent = lastBefore(places, parentId, position) ?? firstAfter(places, parentId, position);
    return parent !== undefined && forest.join(position, parent) ? parent : undefined;
  }

  /** Where the ids that these entries name are in the file. */
  #positionsOf(unresolved: readonly number[]): Places {
    const places = new Map<string, number[]>();
    for (const position of unresolved) {
      const { parentId, targetId } = this.head(position);
      for (const id of [parentId, targetId]) if (id) places.set(id, []);
    }
    for (const [position, head] of this.#heads.entries()) places.get(head.id)?.push(position);
    return places;
  }

  #flaw(position: number, kind: Damage["kind"], reason: string): void {
    this.#flaws.push({ position, kind, reason });
  }
}

/** The positions at which an id occurs, in file order. */
type Places = ReadonlyMap<string, readonly number[]>;

/** How many of the sorted positions lie before `position`. */
function countBefore(positions: readonly number[], position: number): number {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

function firstAfter(
  places: Places,
  id: string | null | undefined,
  position: number,
): number | undefined {
  const positions = places.get(id ?? "") ?? [];
  return positions[countBefore(positions, position + 1)];
}

function lastBefore(places: Places, id: string | null, position: number): number | undefined {
  const positions = places.get(id ?? "") ?? [];
  return positions[countBefore(positions, position) - 1];
}

/** Disjoint sets over the links, to see in about constant time whether one more closes a cycle. */
class Forest {
  readonly #up: number[];

  constructor(links: readonly number[]) {
    this.#up = links.map((link, position) => link < 0 ? position : link);
  }

  /** Hangs a root under another entry, or refuses if that entry hangs on it. */
  join(root: number, under: number): boolean {
    const top = this.#find(under);
    if (top === root) return false;
    this.#up[root] = top;
    return true;
  }

  #find(position: number): number {
    let top = position;
    while (this.#up[top] !== top) top = this.#up[top] ?? top;
    let at = position;
    while (this.#up[at] !== top && at !== top) {
      const next = this.#up[at] ?? top;
      this.#up[at] = top;
      at = next;
    }
    return top;
  }
}
