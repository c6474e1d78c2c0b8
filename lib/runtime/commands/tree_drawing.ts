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
  const children = new Map<number | undefined, number[]>();
  for (let at = 0; at < entries.length; at++) {
    if (!isShown[at]) continue;
    const siblings = children.get(above[at]);
    if (siblings) siblings.push(at);
    else children.set(above[at], [at]);
  }
  const shownLeaf = leaf === undefined || isShown[leaf] ? leaf : above[leaf];
  const active = new Set<number>();
  for (let at = shownLeaf; at !== undefined; at = above[at]) active.add(at);

  const lines: TreeLine<E>[] = [];
  const waiting = hanging(children.get(undefined) ?? [], "");
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { at, rails, below } = next;
    const entry = entries[at];
    if (!entry) continue;
    const on = children.get(at) ?? [];
    lines.push({
      entry,
      rails,
      isActive: active.has(at),
      isLeaf: at === shownLeaf,
      isBranchPoint: on.length > 1,
    });
    waiting.push(...hanging(on, below));
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
  for (let start = 0; start < entries.length; start++) {
    const passed: number[] = [];
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
    for (const one of passed) {
      above[one] = found;
      known[one] = 1;
    }
  }
  return above;
}

interface Hanging {
  at: number;
  rails: string;
  /** The rails of what hangs on it. */
  below: string;
}

/** What hangs on one entry, last first. */
function hanging(children: readonly number[], rails: string): Hanging[] {
  if (children.length === 1) return children.map((at) => ({ at, rails, below: rails }));
  return children.map((at, number) =>
    number === children.length - 1
      ? { at, rails: `${rails}└─ `, below: `${rails}   ` }
      : { at, rails: `${rails}├─ `, below: `${rails}│  ` }
  ).reverse();
}
