import { describe, expect, test } from "bun:test";
import {
  encodeEntry,
  type LineReading,
  parseEntry,
  readBack,
  readLine,
} from "../../lib/session/codec.ts";
import { recordsIn } from "../../lib/session/salvage.ts";
import type { SessionEntry } from "../../lib/session/mod.ts";

function read(text: string | Buffer): LineReading {
  const bytes = Buffer.from(text);
  return readLine({
    offset: 0,
    length: bytes.length,
    slice: (start, end) => bytes.subarray(start, end),
  });
}

/** What was read: the heads' ids with where they stand, and the kind of problem. */
function found(text: string | Buffer) {
  const { heads, problem } = read(text);
  return {
    ids: heads.map(({ id }) => id),
    at: heads.map(({ offset, length }) => [offset, length]),
    problem: problem?.kind,
  };
}

function line(id: string, more = ""): string {
  return `{"type":"message","id":"${id}","parentId":"p","timestamp":"t","message":{"role":"user"` +
    `,"content":"ü ${more}"}}`;
}

const USER: SessionEntry = {
  type: "message",
  message: { role: "user", content: "line\u2028end \0 \n", timestamp: 1 },
  timestamp: "2026-01-01T00:00:00.000Z",
  parentId: null,
  id: "a",
};

describe("encodeEntry()", () => {
  test("puts an entry's place first, and no control character in its line", () => {
    const text = encodeEntry(USER);
    expect(text).toStartWith(
      '{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message"',
    );
    expect(text.slice(0, -1)).not.toMatch(/[\0-\x1f]/);
    expect(text.at(-1)).toBe("\n");
    expect(parseEntry(Buffer.from(text))).toEqual(USER);
    expect(readBack(text).copy).toEqual(USER);
  });

  test("makes lone surrogates well-formed text", () => {
    const lone: SessionEntry = {
      ...USER,
      message: { role: "user", content: "\ud83c", timestamp: 1 },
    };
    const text = encodeEntry(lone);
    expect(Buffer.from(text).toString()).toBe(text);
    expect(parseEntry(Buffer.from(text))).toEqual(lone);
  });
});

describe("readLine()", () => {
  test("finds the place in a line's first bytes, whatever follows", () => {
    const length = Buffer.byteLength(line("a"));
    expect(read(line("a"))).toEqual({
      heads: [{
        type: "message",
        id: "a",
        parentId: "p",
        timestamp: "t",
        role: "user",
        offset: 0,
        length,
        afterDamage: false,
      }],
    });
  });

  test.each([
    ['{"id":"a","parentId":null,"type":"custom","timestamp":""}'],
    ['{ "type":"custom", "id":"a" }'],
    ['{"type":"custom","customType":"x","data":{"id":"no"},"id":"a","parentId":null}'],
    ['{"type":"caf\u00e9","id":"a","parentId":null}'],
    ['{"type":"x","id":"a","parentId":null}\r'],
    ['\ufeff{"type":"x","id":"a","parentId":null}'],
  ])("reads %s, whatever the order of its fields", (text: string) => {
    expect(found(text)).toMatchObject({ ids: ["a"], problem: undefined });
  });

  test.each([
    ["", undefined],
    ["  \t\r", undefined],
    ["\0\0\0", "unreadable"],
    ["not json", "unreadable"],
    ["[1]", "unreadable"],
    ["17", "unreadable"],
    ["null", "unreadable"],
    ['{"id":"a"}', "unreadable"],
    ['{"type":"message","id":7,"parentId":null}', "unreadable"],
    ['{"type":"message","id":"a","parentId":null,"timest', "unreadable"],
    ['{"type":"session","id":"a","version":3,"timestamp":"","cwd":"/"}', "header"],
  ])("finds no entry in %j", (text: string, problem: string | undefined) => {
    expect(found(text)).toEqual({ ids: [], at: [], problem: problem as never });
  });

  test("drops zero bytes around a record", () => {
    const text = line("a");
    const length = Buffer.byteLength(text);
    expect(found(`\0\0\0${text}`)).toEqual({ ids: ["a"], at: [[3, length]], problem: "salvaged" });
    expect(found(`${text}\0\0`)).toEqual({ ids: ["a"], at: [[0, length]], problem: "salvaged" });
  });

  test("salvages the whole record after a broken one on the same line", () => {
    const torn = line("torn", "half").slice(0, 60);
    const bytes = Buffer.byteLength(line("whole"));
    for (const broken of [torn, `${torn}\0\0\0`, '{"ty', "x", '{"type":"message","id":"b']) {
      const { ids, at, problem } = found(broken + line("whole"));
      expect(ids).toEqual(["whole"]);
      expect(at).toEqual([[Buffer.byteLength(broken), bytes]]);
      expect(problem).toBe("salvaged");
    }
  });

  test("keeps both of two records whose line end was lost, and a whole one before a broken one", () => {
    expect(found(line("a") + line("b"))).toMatchObject({ ids: ["a", "b"], problem: "salvaged" });
    expect(found(line("a") + line("b").slice(0, 70))).toMatchObject({
      ids: ["a"],
      problem: "salvaged",
    });
  });

  test("takes no part of a broken record for a record", () => {
    const call = '{"type":"toolCall","id":"call_1","name":"x","arguments":{}}';
    const torn = '{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":' +
      `"assistant","content":[${call}`;
    expect(recordsIn(Buffer.from(torn))).toMatchObject({
      records: [],
      problem: { kind: "unreadable" },
    });
  });

  test("looks through a hopeless line without end of it", () => {
    const hopeless = '{"type":"x","a":"'.repeat(200_000);
    const started = performance.now();
    expect(found(hopeless)).toMatchObject({ ids: [], problem: "unreadable" });
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe("recordsIn()", () => {
  test("says where each record stands, in bytes", () => {
    const text = `日本${line("a")}${line("b")}`;
    const bytes = Buffer.from(text);
    for (const { value, offset, length } of recordsIn(bytes).records) {
      expect(JSON.parse(bytes.subarray(offset, offset + length).toString())).toEqual(value);
    }
  });
});

describe("parseEntry()", () => {
  function parsed(value: object): unknown {
    return parseEntry(
      Buffer.from(JSON.stringify({ id: "a", parentId: null, timestamp: "t", ...value })),
    );
  }

  test.each([null, undefined, 7])("reads a content of %p as empty", (content: unknown) => {
    for (const role of ["user", "assistant", "toolResult", "custom"]) {
      expect(parsed({ type: "message", message: { role, content } })).toMatchObject({
        message: { role, content: [] },
      });
    }
    expect(parsed({ type: "message", message: { role: "system", content } })).toMatchObject({
      message: { role: "system", content: "" },
    });
    expect(parsed({ type: "custom_message", content })).toMatchObject({ content: [] });
  });

  test("gives an answer the usage that it lacks, and a call its arguments", () => {
    const content = [{ type: "toolCall", id: "c", name: "n" }, null, "x", { type: "text" }];
    expect(parsed({ type: "message", message: { role: "assistant", content } })).toMatchObject({
      message: {
        content: [{ type: "toolCall", id: "c", name: "n", arguments: {} }],
        usage: { input: 0, totalTokens: 0, cost: { total: 0 } },
        stopReason: "stop",
      },
    });
  });

  test("reads a message entry without a message as one that says nothing", () => {
    expect(parsed({ type: "message" })).toMatchObject({ message: { role: "system", content: "" } });
  });

  test("keeps fields and types that it does not know", () => {
    const value = { type: "of_the_future", id: "a", parentId: null, timestamp: "t", x: { y: [1] } };
    expect(parsed(value)).toEqual(value);
  });
});
