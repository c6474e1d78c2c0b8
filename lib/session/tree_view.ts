/** What a whole session shows: its tree, its labels. */
import type { SessionEntry } from "./entry.ts";
import type { TreeNode } from "./storage.ts";
import type { EntryIndex } from "./tree.ts";

/** Notes what an entry says of labels. The last word on each target counts. */
export function applyLabel(labels: Map<string, string>, entry: SessionEntry): void {
  if (entry.type !== "label") return;
  if (entry.label) labels.set(entry.targetId, entry.label);
  else labels.delete(entry.targetId);
}

/** The roots of a session with all that hangs on them, in the order of the file. */
export function treeOf(
  index: EntryIndex,
  entries: readonly SessionEntry[],
  labels: ReadonlyMap<string, string>,
): TreeNode[] {
  const nodes = entries.map((entry): TreeNode => {
    const label = labels.get(entry.id);
    return label === undefined ? { entry, children: [] } : { entry, children: [], label };
  });
  const roots: TreeNode[] = [];
  for (const [position, node] of nodes.entries()) {
    if (index.head(position).type === "leaf") continue;
    const parent = index.parent(position);
    const siblings = parent === undefined ? roots : nodes[parent]?.children ?? roots;
    siblings.push(node);
  }
  return roots;
}
