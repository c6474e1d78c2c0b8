/** A session's tree as data. */
import type { Outline } from "../../../session/mod.ts";
import { lineOf } from "../entry_line.ts";

/** An entry of the tree, as `tree --json` tells it. */
export interface ListedNode {
  readonly id: string;
  readonly parentId: string | null;
  readonly type: string;
  readonly role: string | null;
  readonly label: string | null;
  /** Whether it is the current position. */
  readonly leaf: boolean;
  /** How it begins, on one line. */
  readonly text: string;
}

const TEXT_LENGTH_MAX = 120;

/** All entries of all branches, in the order in which they were written. */
export function treeNodes({ entries, leaf }: Outline): ListedNode[] {
  return entries.map(({ excerpt, parent, label }, at) => ({
    id: excerpt.id,
    parentId: parent === undefined ? null : entries[parent]?.excerpt.id ?? null,
    type: excerpt.type,
    role: excerpt.type === "message" ? excerpt.message.role : null,
    label: label ?? null,
    leaf: at === leaf,
    text: lineOf(excerpt, TEXT_LENGTH_MAX).text,
  }));
}
