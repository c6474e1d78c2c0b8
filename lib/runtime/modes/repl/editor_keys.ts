/** Which key does what while a text is edited: the keys of `node:readline` and of shells. */
import type { Key } from "./key.ts";
import type { LineEditor } from "./line_editor.ts";

type Edit = (editor: LineEditor) => void;

const PLAIN: Readonly<Record<string, Edit>> = {
  backspace: (editor) => editor.deleteBack(),
  delete: (editor) => editor.deleteForward(),
  left: (editor) => editor.left(),
  right: (editor) => editor.right(),
  home: (editor) => editor.lineStart(),
  end: (editor) => editor.lineEnd(),
};

const CTRL: Readonly<Record<string, Edit>> = {
  a: (editor) => editor.lineStart(),
  e: (editor) => editor.lineEnd(),
  b: (editor) => editor.left(),
  f: (editor) => editor.right(),
  h: (editor) => editor.deleteBack(),
  d: (editor) => editor.deleteForward(),
  k: (editor) => editor.killToLineEnd(),
  u: (editor) => editor.killToLineStart(),
  w: (editor) => editor.killWordBack(),
  y: (editor) => editor.yank(),
  _: (editor) => editor.undo(),
  "^": (editor) => editor.redo(),
  left: (editor) => editor.wordLeft(),
  right: (editor) => editor.wordRight(),
  home: (editor) => editor.toStart(),
  end: (editor) => editor.toEnd(),
  backspace: (editor) => editor.killWordBack(),
  delete: (editor) => editor.killWordForward(),
};

const ALT: Readonly<Record<string, Edit>> = {
  b: (editor) => editor.wordLeft(),
  f: (editor) => editor.wordRight(),
  d: (editor) => editor.killWordForward(),
  left: (editor) => editor.wordLeft(),
  right: (editor) => editor.wordRight(),
  backspace: (editor) => editor.killWordBack(),
  "<": (editor) => editor.toStart(),
  ">": (editor) => editor.toEnd(),
};

/** Does what a key says to a text; false if it says nothing to it. */
export function editByKey(editor: LineEditor, key: Key): boolean {
  const table = key.ctrl ? CTRL : key.alt ? ALT : PLAIN;
  const edit = Object.hasOwn(table, key.name) ? table[key.name] : undefined;
  if (edit) {
    edit(editor);
    return true;
  }
  if (key.text === "") return false;
  editor.insert(key.text);
  return true;
}
