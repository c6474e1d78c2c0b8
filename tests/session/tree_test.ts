import { describe, expect, test } from "bun:test";
import type { EntryHead } from "../../lib/session/codec.ts";
import { EntryIndex } from "../../lib/session/tree.ts";

/** Heads from "id<parent", "leaf:id>target" ("-" for null), "!" before one that follows damage. */
function heads(text: string): EntryHead[] {
  return text.split(" ").map((word, at): EntryHead => {
    const afterDamage = word.startsWith("!");
    const [, leaf, id = "", sign, other = ""] = /^!?(leaf:)?(\w+)([<>])(.+)$/.exec(word) ?? [];
    const named = other === "-" ? null : other;
    const head = { id, offset: at * 10, length: 9, afterDamage };
    return leaf
      ? {
        ...head,
        type: "leaf",
        parentId: sign === "<" ? named : null,
        ...sign === ">" ? { targetId: named } : {},
      }
      : { ...head, type: "message", parentId: named };
  });
}

/** The path from the leaf to the root, by position. */
function walk(index: EntryIndex, from = index.leaf): number[] {
  const path: number[] = [];
  for (let at = from; at !== undefined; at = index.parent(at)) path.push(at);
  return path;
}

function kinds(index: EntryIndex): [number, string][] {
  return index.flaws.map(({ position, kind }) => [position, kind]);
}

describe("EntryIndex", () => {
  test("follows parents from the last entry", () => {
    const index = new EntryIndex(heads("a<- b<a c<a d<c"));
    expect(walk(index)).toEqual([3, 2, 0]);
    expect(kinds(index)).toEqual([]);
  });

  test("takes the nearest earlier parent where an id was given twice", () => {
    const index = new EntryIndex(heads("r<- x<r a<x x<r b<x"));
    expect(walk(index, 2)).toEqual([2, 1, 0]);
    expect(walk(index, 4)).toEqual([4, 3, 0]);
    expect(kinds(index)).toEqual([[3, "duplicate_id"]]);
  });

  test("takes a later parent where there is none before", () => {
    const index = new EntryIndex(heads("a<b b<- c<a"));
    expect(walk(index)).toEqual([2, 0, 1]);
    expect(kinds(index)).toEqual([]);
  });

  test("makes a root of what has no parent, and hangs it on the entry before damage", () => {
    const index = new EntryIndex(heads("a<- b<a c<gone !d<gone"));
    expect([2, 3].map((at) => index.parent(at))).toEqual([undefined, 2]);
    expect(kinds(index)).toEqual([[2, "missing_parent"], [3, "missing_parent"]]);
  });

  test("cuts a ring, whoever belongs to it", () => {
    const ring = new EntryIndex(heads("a<- b<d c<b d<c"));
    expect(walk(ring)).toEqual([3, 2, 1]);
    expect(kinds(ring)).toEqual([[1, "cycle"]]);
    const self = new EntryIndex(heads("a<- b<b"));
    expect(walk(self)).toEqual([1]);
    expect(kinds(self)).toEqual([[1, "cycle"]]);
  });

  test("an entry after damage does not hang on its own descendant", () => {
    const index = new EntryIndex(heads("a<c !b<gone c<b"));
    expect(walk(index, 0)).toEqual([0, 2, 1]);
    expect(index.parent(1)).toBe(undefined);
  });

  test("replays moves of the leaf", () => {
    expect(walk(new EntryIndex(heads("a<- b<a leaf:m>a")))).toEqual([0]);
    expect(new EntryIndex(heads("a<- leaf:m>-")).leaf).toBe(undefined);
    expect(walk(new EntryIndex(heads("a<- b<a leaf:m>a c<a")))).toEqual([3, 0]);
    expect(walk(new EntryIndex(heads("a<- b<a leaf:m>a leaf:n>m")))).toEqual([0]);
  });

  test("goes on at a leaf entry's target, as Pi hangs entries on it", () => {
    const index = new EntryIndex(heads("a<- b<a leaf:m>a c<m"));
    expect(walk(index)).toEqual([3, 0]);
    expect(index.findNode("m")).toBe(0);
    expect(walk(new EntryIndex(heads("a<- leaf:m>- c<m")))).toEqual([2]);
  });

  test("passes over a leaf entry whose target does not exist", () => {
    const index = new EntryIndex(heads("a<- b<a leaf:m>gone"));
    expect(walk(index)).toEqual([1, 0]);
    expect(kinds(index)).toEqual([[2, "missing_target"]]);
    expect(walk(new EntryIndex(heads("a<- b<a leaf:m<a")))).toEqual([1, 0]);
  });

  test("add() continues the tree", () => {
    const index = new EntryIndex(heads("a<-"));
    for (const head of heads("b<a leaf:m>a c<a")) index.add(head);
    expect(walk(index)).toEqual([3, 0]);
    expect(index.find("b")).toBe(1);
  });

  test("positionOf() finds an entry by its offset", () => {
    const index = new EntryIndex(heads("a<- b<a c<b"));
    expect([0, 10, 20, 5].map((offset) => index.positionOf(offset))).toEqual([0, 1, 2, undefined]);
  });

  test("links 200,000 entries that stand in reverse order", () => {
    const count = 200_000;
    const reversed = Array.from({ length: count }, (_, at): EntryHead => ({
      type: "x",
      id: `${at}`,
      parentId: at + 1 < count ? `${at + 1}` : null,
      offset: at,
      length: 1,
      afterDamage: false,
    }));
    expect(walk(new EntryIndex(reversed), 0).length).toBe(count);
  });
});
