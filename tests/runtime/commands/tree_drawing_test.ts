import { expect, test } from "bun:test";
import { drawTree } from "../../../lib/runtime/commands/tree_drawing.ts";

interface Node {
  name: string;
  parent: number | undefined;
}

/** `a` a root, `b:0` hangs on the first. */
function nodes(...texts: string[]): Node[] {
  return texts.map((text) => {
    const [name = "", parent] = text.split(":");
    return { name, parent: parent === undefined ? undefined : Number(parent) };
  });
}

function draw(
  entries: Node[],
  options: { leaf?: number; show?: (node: Node) => boolean } = {},
): string[] {
  return drawTree(entries, { leaf: options.leaf, ...options.show ? { show: options.show } : {} })
    .map(({ entry, rails, isActive, isLeaf, isBranchPoint }) =>
      `${rails}${entry.name}${isActive ? "*" : ""}${isLeaf ? "@" : ""}${isBranchPoint ? "<" : ""}`
    );
}

test("drawTree() draws a chain straight down", () => {
  expect(draw(nodes("a", "b:0", "c:1"), { leaf: 1 })).toEqual(["a*", "b*@", "c"]);
});

test("drawTree() indents the branches of an entry, and what hangs on each", () => {
  expect(draw(nodes("a", "b:0", "c:1", "d:0", "e:3", "f:3", "g:5"), { leaf: 6 })).toEqual([
    "a*<",
    "├─ b",
    "│  c",
    "└─ d*<",
    "   ├─ e",
    "   └─ f*",
    "      g*@",
  ]);
});

test("drawTree() draws several roots as branches of nothing", () => {
  expect(draw(nodes("a", "b", "c:1"), { leaf: 2 })).toEqual(["├─ a", "└─ b*", "   c*@"]);
});

test("drawTree() hangs what is under a hidden entry on what is above it", () => {
  const entries = nodes("a", "x:0", "b:1", "c:1", "y:3");
  const show = ({ name }: Node) => !"xy".includes(name);
  expect(draw(entries, { leaf: 4, show })).toEqual(["a*<", "├─ b", "└─ c*@"]);
});

test("drawTree() takes parents that stand after their children", () => {
  expect(draw(nodes("b:1", "a", "c:0"), { leaf: 2 })).toEqual(["a*", "b*", "c*@"]);
});

test("drawTree() draws nothing of nothing", () => {
  expect(draw([])).toEqual([]);
});

test("drawTree() draws a chain of 100,000 entries, hidden ones among them, without trouble", () => {
  const entries = Array.from({ length: 100_000 }, (_, at): Node => ({
    name: String(at),
    parent: at === 0 ? undefined : at - 1,
  }));
  const lines = draw(entries, { leaf: 99_999, show: ({ name }) => name.endsWith("0") });
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([10_000, "0*", "99990*@"]);
});
