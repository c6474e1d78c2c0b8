import { Buffer } from "node:buffer";
import { expect, test } from "bun:test";
import { JsonlSessionRepo, MemorySessionRepo, type TreeNode } from "../../lib/session/mod.ts";
import { parsePrefix } from "../../lib/session/prefix.ts";
import { Random } from "../support/random.ts";
import { sampleText } from "../support/sample_session.ts";
import { TempDirectory } from "../support/temp.ts";
import { writtenSession } from "../support/written_session.ts";

/** The tree as lines of parent and child. */
function linksOf(nodes: readonly TreeNode[], parent = "-"): string[] {
  return nodes.flatMap(({ entry, children, label }) => [
    `${parent} > ${entry.id} ${label ?? ""}`,
    ...linksOf(children, entry.id),
  ]);
}

test("getOutline() has the tree's entries, links, labels and leaf", async () => {
  using temp = new TempDirectory();
  const file = temp.write("s.jsonl", sampleText());
  const repo = new JsonlSessionRepo({ sessionsDir: temp.path });
  const session = await repo.open(file, { access: "read" });
  const { entries, leaf } = await session.getOutline();
  const links = entries.map(({ excerpt, parent, label }) =>
    `${parent === undefined ? "-" : entries[parent]?.excerpt.id} > ${excerpt.id} ${label ?? ""}`
  );
  expect(links.toSorted()).toEqual(linksOf(await session.getTree()).toSorted());
  expect(entries[leaf ?? -1]?.excerpt.id).toBe(session.leafId ?? "none");
  await session.close();
});

test("getOutline() cuts long texts, and reads on where the beginning says nothing", async () => {
  using temp = new TempDirectory();
  const image = { type: "image", data: "A".repeat(220_000), mimeType: "image/png" };
  const long = "word ".repeat(1000);
  const file = temp.write(
    "s.jsonl",
    writtenSession({
      said: [["you", long], ["model", long]],
      entries: [{
        type: "message",
        message: { role: "user", content: [image, { type: "text", text: "what is it" }] },
      }],
    }),
  );
  const session = await new JsonlSessionRepo({ sessionsDir: temp.path })
    .open(file, { access: "read" });
  const { entries } = await session.getOutline();
  const texts = entries.map(({ excerpt }) => {
    if (excerpt.type !== "message" || !("content" in excerpt.message)) return "";
    const { content } = excerpt.message;
    return typeof content === "string"
      ? content
      : content.map((block) => block.type === "text" ? block.text : "").join("");
  });
  expect(texts.map((text) => [text.slice(0, 10), text.length < long.length])).toEqual([
    ["word word ", true],
    ["word word ", true],
    ["what is it", true],
  ]);
  await session.close();
});

test("getOutline() of a session in memory has the same shape", async () => {
  const session = await new MemorySessionRepo().create({ cwd: "/tmp" });
  const first = await session.appendMessage({ role: "user", content: "one", timestamp: 1 });
  await session.appendMessage({ role: "user", content: "two", timestamp: 2 });
  await session.moveTo(first);
  await session.appendMessage({ role: "user", content: "three", timestamp: 3 });
  const { entries, leaf } = await session.getOutline();
  expect([entries.map(({ parent }) => parent), leaf]).toEqual([[undefined, 0, 0], 2]);
});

const VALUE = {
  type: "message",
  id: "a1",
  parentId: null,
  list: [1, -2.5e3, true, null, [], {}, [{ a: 'q"\\uote' }]],
  text: 'é 日本 🌳 \\ "x" \n \u0001 end',
  slashes: ["\n", '\\\\\\"\\ \u0001\\u0001\\', "\\\\\\\\\\\\\\\\"],
  nested: { deep: { er: ["x", { y: "z" }] } },
};

/** Whether `part` is what is left of `whole` when something at the end is missing. */
function isPartOf(part: unknown, whole: unknown): boolean {
  if (typeof part === "string" && typeof whole === "string") {
    if (part === whole) return true;
    return part.endsWith("…") &&
      whole.startsWith(part.slice(0, -1).replace(/[\ud800-\udbff]$/, ""));
  }
  if (Array.isArray(part) && Array.isArray(whole)) {
    return part.every((value, at) => isPartOf(value, whole[at]));
  }
  if (typeof part === "object" && part !== null && typeof whole === "object" && whole !== null) {
    const known = new Map(Object.entries(whole));
    return Object.entries(part).every(([key, value]) => isPartOf(value, known.get(key)));
  }
  return Object.is(part, whole);
}

test("parsePrefix() of an object cut anywhere is a part of the object", () => {
  for (const text of [JSON.stringify(VALUE), JSON.stringify(VALUE, null, 1)]) {
    const bytes = Buffer.from(text);
    for (let end = 1; end <= bytes.length; end++) {
      const part = parsePrefix(bytes.subarray(0, end));
      expect([end, part !== undefined && isPartOf(part, VALUE)]).toEqual([end, true]);
    }
    expect(parsePrefix(bytes)).toEqual(VALUE);
  }
});

test("parsePrefix() takes any bytes", () => {
  const random = new Random(3);
  for (let round = 0; round < 2000; round++) {
    const bytes = Buffer.from(JSON.stringify(VALUE));
    for (let count = 0; count < 3; count++) {
      bytes[random.int(0, bytes.length - 1)] = random.int(0, 255);
    }
    parsePrefix(bytes.subarray(0, random.int(0, bytes.length)));
  }
  expect(parsePrefix(Buffer.from("no object"))).toBeUndefined();
});
