import { expect, test } from "bun:test";
import { editByKey } from "../../../../lib/runtime/modes/repl/editor_keys.ts";
import { type Key, KeyDecoder } from "../../../../lib/runtime/modes/repl/key.ts";
import { LineEditor } from "../../../../lib/runtime/modes/repl/line_editor.ts";

/** What is left after bytes of keys; the cursor is shown as `|`. */
function typed(...keys: string[]): string {
  const editor = new LineEditor();
  const decoder = new KeyDecoder((key) => editByKey(editor, key));
  for (const each of keys) decoder.feed(new TextEncoder().encode(each));
  return `${editor.before}|${editor.after}`;
}

const LEFT = "\x1b[D";
const RIGHT = "\x1b[C";
const ctrl = (letter: string) => String.fromCharCode(letter.charCodeAt(0) & 0x1f);

const ROWS: readonly ([string, string[], string])[] = [
  ["letters go in at the cursor", ["ac", LEFT, "b"], "ab|c"],
  ["Home and End", ["abc", "\x1b[H", "x", "\x1b[F", "y"], "xabcy|"],
  ["Ctrl-A and Ctrl-E", ["abc", ctrl("a"), "x", ctrl("e"), "y"], "xabcy|"],
  ["Backspace takes a whole emoji", ["a👨‍👩‍👧", "\x7f"], "a|"],
  ["Backspace takes a letter with its accent", ["ae\u0301", "\x7f"], "a|"],
  ["Left goes over a whole emoji", ["a👨‍👩‍👧", LEFT, "b"], "ab|👨‍👩‍👧"],
  ["Delete takes what is after the cursor", ["日本", LEFT, LEFT, "\x1b[3~"], "|本"],
  ["Ctrl-W takes a word", ["one two-three", ctrl("w")], "one |"],
  ["Ctrl-U takes all before the cursor", ["one two", LEFT, ctrl("u")], "|o"],
  ["Ctrl-K takes all after it", ["one", LEFT, LEFT, ctrl("k")], "o|"],
  ["Ctrl-Y brings it back", ["one", ctrl("u"), "x", ctrl("y")], "xone|"],
  ["Alt-B and Alt-F go by words", ["one two", "\x1bb", "\x1bb", "\x1bf"], "one| two"],
  ["Ctrl-Left goes by words", ["one two", "\x1b[1;5D", "x"], "one x|two"],
  ["Alt-D takes the next word", ["one two", ctrl("a"), "\x1bd"], "| two"],
  ["Ctrl-_ undoes typing as a whole", ["one", "\x1f"], "|"],
  ["Ctrl-_ undoes a deletion", ["one", ctrl("u"), "\x1f"], "one|"],
  ["an edit after undoing forgets what was undone", ["a", ctrl("u"), "\x1f", "b", "\x1e"], "ab|"],
  ["Ctrl-^ does again what was undone", ["a", ctrl("u"), "\x1f", "\x1e"], "|"],
  ["Right at the end stays", ["a", RIGHT, "b"], "ab|"],
  ["a character may come in two pieces", ["\u00e9"], "é|"],
];

for (const [what, keys, after] of ROWS) {
  test(`editByKey(): ${what}`, () => {
    expect(typed(...keys)).toBe(after);
  });
}

test("KeyDecoder joins a character that comes in pieces", () => {
  const keys: Key[] = [];
  const decoder = new KeyDecoder((key) => keys.push(key));
  for (const byte of new TextEncoder().encode("日")) decoder.feed(new Uint8Array([byte]));
  expect(keys.map(({ text }) => text)).toEqual(["日"]);
});

const ENTERS: readonly ([string, { name: string; alt: boolean }])[] = [
  ["\r", { name: "return", alt: false }],
  ["\n", { name: "return", alt: false }],
  ["\x1b\r", { name: "return", alt: true }],
  ["\x1b[13;2u", { name: "return", alt: true }],
  ["\x1b[27;2;13~", { name: "return", alt: true }],
];

for (const [bytes, expected] of ENTERS) {
  test(`KeyDecoder reads ${JSON.stringify(bytes)} as Enter`, () => {
    const keys: Key[] = [];
    new KeyDecoder((key) => keys.push(key)).feed(new TextEncoder().encode(bytes));
    expect(keys).toHaveLength(1);
    expect(keys[0]).toMatchObject(expected);
  });
}

test("LineEditor moves between lines by characters", () => {
  const editor = new LineEditor();
  editor.reset("日本語\nab\nlonger");
  expect(editor.down()).toBe(false);
  expect(editor.up()).toBe(true);
  expect(editor.before).toBe("日本語\nab");
  expect(editor.up()).toBe(true);
  expect(editor.before).toBe("日本");
  expect(editor.up()).toBe(false);
  expect(editor.down()).toBe(true);
  expect(editor.before).toBe("日本語\nab");
});

test("LineEditor kills line by line to the start", () => {
  const editor = new LineEditor();
  editor.insert("one\ntwo");
  const left: string[] = [];
  for (let kills = 0; kills < 4; kills++) {
    editor.killToLineStart();
    left.push(editor.text);
  }
  expect(left).toEqual(["one\n", "one", "", ""]);
});

test("LineEditor keeps its cursor between characters, whatever is done", () => {
  const editor = new LineEditor();
  const edits = [
    () => editor.insert("👨‍👩‍👧"),
    () => editor.insert("a"),
    () => editor.left(),
    () => editor.right(),
    () => editor.deleteBack(),
    () => editor.undo(),
    () => editor.redo(),
    () => editor.killWordBack(),
    () => editor.yank(),
    () => editor.insert("\n"),
    () => editor.up(),
    () => editor.down(),
  ];
  let state = 1;
  for (let step = 0; step < 2_000; step++) {
    state = (state * 48271) % 2147483647;
    edits[state % edits.length]?.();
    expect(editor.text.isWellFormed()).toBe(true);
    expect(editor.before.isWellFormed()).toBe(true);
    expect(/(^|[^👧])\u200d/u.test(editor.after.slice(0, 1))).toBe(false);
  }
});
