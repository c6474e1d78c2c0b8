/** A session's tree, as data. */
import type { Outline } from "../../../session/mod.ts";
import { lineOf } from "../../commands/entry_line.ts";

/** An entry of the tree. */
export interface ToldNode {
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

/** All entries in the order in which they were written. */
export function treeOf({ entries, leaf }: Outline): { nodes: ToldNode[] } {
  return {
    nodes: entries.map(({ excerpt, parent, label }, at) => ({
      id: excerpt.id,
      parentId: parent === undefined ? null : entries[parent]?.excerpt.id ?? null,
      type: excerpt.type,
      role: excerpt.type === "message" ? excerpt.message.role : null,
      label: label ?? null,
      leaf: at === leaf,
      text: lineOf(excerpt, TEXT_LENGTH_MAX).text,
    })),
  };
}
