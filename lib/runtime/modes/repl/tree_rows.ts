/** The tree of a session, drawn and numbered. */
import type { Outline, OutlineEntry } from "../../../session/mod.ts";
import { isConversation, lineOf } from "../../commands/entry_line.ts";
import { drawTree, type TreeLine } from "../../commands/tree_drawing.ts";
import { cutRow, type Row, row, span } from "./styled.ts";

/** Which entries are drawn: the conversation, or part of it, or all. */
export type TreeFilter = "conversation" | "users" | "labels" | "all";

export const TREE_FILTERS: readonly TreeFilter[] = ["users", "labels", "all"];

/** How many lines are drawn; the newest ones. */
const ROWS_MAX = 400;

export interface NumberedTree {
  readonly rows: readonly Row[];
  /** The entries' ids, by their numbers from 1 on. */
  readonly ids: readonly string[];
}

function isShown(filter: TreeFilter, { excerpt, label }: OutlineEntry): boolean {
  switch (filter) {
    case "all":
      return true;
    case "labels":
      return label !== undefined;
    case "users":
      return excerpt.type === "message" && excerpt.message.role === "user";
    case "conversation": {
      if (label !== undefined) return true;
      const isResult = excerpt.type === "message" && excerpt.message.role === "toolResult";
      return isConversation(excerpt) && !isResult;
    }
  }
}

/** Draws an outline: numbers, rails, who says what; the active branch and the leaf are marked. */
export function treeRows(outline: Outline, filter: TreeFilter, columns: number): NumberedTree {
  const lines = drawTree(outline.entries, {
    leaf: outline.leaf,
    show: (entry) => isShown(filter, entry),
  });
  const hidden = Math.max(0, lines.length - ROWS_MAX);
  const shown = lines.slice(hidden);
  const width = String(shown.length).length;
  const rows = shown.map((line, index) => treeRow(line, index + 1, { width, columns }));
  return {
    rows: hidden === 0 ? rows : [row(`… ${hidden} lines before`, { dim: true }), ...rows],
    ids: shown.map(({ entry }) => entry.excerpt.id),
  };
}

function treeRow(
  { entry, rails, isActive, isLeaf }: TreeLine<OutlineEntry>,
  number: number,
  { width, columns }: { width: number; columns: number },
): Row {
  const { who, text } = lineOf(entry.excerpt, columns);
  const isUser = entry.excerpt.type === "message" && entry.excerpt.message.role === "user";
  const mark = isLeaf ? "* " : isActive ? "• " : "  ";
  return cutRow([
    span(`${String(number).padStart(width)} `, { dim: true }),
    span(mark, { bold: true, colour: "green" }),
    span(railsWithin(rails, columns), { dim: true }),
    ...(entry.label === undefined ? [] : [span(`[${entry.label}] `, { colour: "yellow" })]),
    span(`${who}: `, { dim: true }),
    span(text, isUser ? { bold: true } : isActive ? {} : { dim: true }),
  ], columns);
}

/** Rails take half of a row at most; where there are more, their end counts. */
function railsWithin(rails: string, columns: number): string {
  const max = Math.floor(columns / 2);
  return rails.length <= max ? rails : `…${rails.slice(1 - max)}`;
}
