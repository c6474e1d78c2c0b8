/** Draws a tree of entries as lines: a chain goes straight down, branches are indented. */

/** An entry to be drawn. */
export interface DrawnEntry {
  /** Where its parent stands in the list; undefined for a root. */
  readonly parent: number | undefined;
}

/** One line of a drawing. */
export interface TreeLine<E extends DrawnEntry> {
  readonly entry: E;
  /** What leads to it, such as `│  ├─ `; empty on a straight chain from the root. */
  readonly rails: string;
  /** Whether it is on the way from the root to the leaf. */
  readonly isActive: boolean;
  readonly isLeaf: boolean;
  /** Whether more than one entry hangs on it, of those that are shown. */
  readonly isBranchPoint: boolean;
}

export interface TreeDrawingOptions<E> {
  /** Where the leaf stands in the list. If it is not shown, what is shown above it stands for it. */
  readonly leaf: number | undefined;
  /** Which entries are shown, all by default; what hangs on others hangs on what is above them. */
  readonly show?: (entry: E) => boolean;
}

/** The lines of a tree whose entries stand in any order. Takes time in proportion to their number. */
export function drawTree<E extends DrawnEntry>(
  entries: readonly E[],
  { leaf, show = () => true }: TreeDrawingOptions<E>,
): TreeLine<E>[] {
  const isShown = entries.map(show);
  const above = shownAbove(entries, isShown);
  const hanging = new Hanging(above, isShown);
  const shownLeaf = leaf === undefined || isShown[leaf] ? leaf : above[leaf];
  const active = new Uint8Array(entries.length);
  for (let at = shownLeaf; at !== undefined; at = above[at]) active[at] = 1;

  const lines: TreeLine<E>[] = [];
  const waiting = [{
    at: hanging.first(undefined),
    start: "",
    isAlone: !hanging.areMany(undefined),
  }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { at, start, isAlone } = next;
    const entry = at === undefined ? undefined : entries[at];
    if (at === undefined || !entry) continue;
    const sibling = hanging.next(at);
    if (sibling !== undefined) waiting.push({ at: sibling, start, isAlone });
    const isLast = sibling === undefined;
    const isBranchPoint = hanging.areMany(at);
    lines.push({
      entry,
      rails: isAlone ? start : `${start}${isLast ? "└─ " : "├─ "}`,
      isActive: active[at] === 1,
      isLeaf: at === shownLeaf,
      isBranchPoint,
    });
    const below = isAlone ? start : `${start}${isLast ? "   " : "│  "}`;
    waiting.push({ at: hanging.first(at), start: below, isAlone: !isBranchPoint });
  }
  return lines;
}

/** For each entry the nearest one above it that is shown. */
function shownAbove(
  entries: readonly DrawnEntry[],
  isShown: readonly boolean[],
): (number | undefined)[] {
  const above: (number | undefined)[] = [];
  const known = new Uint8Array(entries.length);
  const passed: number[] = [];
  for (let start = 0; start < entries.length; start++) {
    let at = start;
    let found: number | undefined;
    for (;;) {
      if (known[at]) {
        found = above[at];
        break;
      }
      passed.push(at);
      found = entries[at]?.parent;
      if (found === undefined || isShown[found]) break;
      at = found;
    }
    for (let one = passed.pop(); one !== undefined; one = passed.pop()) {
      above[one] = found;
      known[one] = 1;
    }
  }
  return above;
}

const NONE = -1;

/** What hangs on each entry (or on nothing: the roots), of those that are shown, in their order. */
class Hanging {
  readonly #first: Int32Array;
  readonly #next: Int32Array;

  constructor(above: readonly (number | undefined)[], isShown: readonly boolean[]) {
    const count = above.length;
    // The roots stand where another entry would.
    this.#first = new Int32Array(count + 1).fill(NONE);
    this.#next = new Int32Array(count).fill(NONE);
    for (let at = count - 1; at >= 0; at--) {
      if (!isShown[at]) continue;
      const parent = above[at] ?? count;
      this.#next[at] = this.#first[parent] ?? NONE;
      this.#first[parent] = at;
    }
  }

  first(parent: number | undefined): number | undefined {
    const at = this.#first[parent ?? this.#next.length] ?? NONE;
    return at === NONE ? undefined : at;
  }

  /** The one that hangs on the same entry. */
  next(sibling: number): number | undefined {
    const at = this.#next[sibling] ?? NONE;
    return at === NONE ? undefined : at;
  }

  areMany(parent: number | undefined): boolean {
    const first = this.first(parent);
    return first !== undefined && this.next(first) !== undefined;
  }
}
