/**
 * Keys, as `node:readline` decodes a terminal's bytes. The line itself is ours (`line_editor.ts`):
 * an `Interface` draws for itself, which cannot share the screen with an answer that streams, and its
 * Backspace parts an emoji.
 */
import * as readline from "node:readline";
import { PassThrough } from "node:stream";

/** One key. `text` is what it types, if it types something. */
export interface Key {
  /** As `node:readline` names it: `return`, `backspace`, `up`, `a`; empty if it has no name. */
  readonly name: string;
  readonly ctrl: boolean;
  /** Alt, or Escape before the key. */
  readonly alt: boolean;
  readonly shift: boolean;
  readonly text: string;
}

/** How long an Escape waits for what would make it the start of a sequence. */
const ESCAPE_MS = 50;

/** Enter with Shift, Alt or Ctrl, from terminals that tell it from Enter: taken as Alt and Enter. */
const NEW_LINES = /\x1b\[(?:13;[2-8]u|27;[2-8];13~)/g;
const ALT_ENTER = "\x1b\r";

/** Control characters that `node:readline` has no name for. */
const NAMES: Readonly<Record<string, string>> = { "\x1e": "^", "\x1f": "_" };

interface Keypress {
  readonly sequence?: string;
  readonly name?: string;
  readonly ctrl: boolean;
  readonly meta: boolean;
  readonly shift: boolean;
}

/** Turns bytes into keys; a character or a sequence may come in several pieces. */
export class KeyDecoder {
  readonly #stream = new PassThrough();

  constructor(onKey: (key: Key) => void) {
    // The interface reads nothing: it only carries the time that an Escape waits.
    const timing = readline.createInterface({
      input: new PassThrough(),
      escapeCodeTimeout: ESCAPE_MS,
    });
    readline.emitKeypressEvents(this.#stream, timing);
    this.#stream.on("keypress", (text: string | undefined, key: Keypress) => {
      onKey(keyOf(text, key));
    });
  }

  feed(bytes: Uint8Array): void {
    const text = Buffer.from(bytes).toString("latin1").replace(NEW_LINES, ALT_ENTER);
    this.#stream.emit("data", Buffer.from(text, "latin1"));
  }
}

function keyOf(text: string | undefined, key: Keypress): Key {
  const { sequence = "", name = "", ctrl, meta, shift } = key;
  const unnamed = NAMES[sequence];
  if (unnamed !== undefined) {
    return { name: unnamed, ctrl: true, alt: false, shift: false, text: "" };
  }
  const types = !ctrl && !meta && text !== undefined && !/[\x00-\x1f\x7f]/.test(text);
  return {
    // Terminals send LF for Enter when the line was typed before they were read key by key.
    name: name === "enter" ? "return" : name,
    ctrl,
    alt: meta,
    shift,
    text: types ? text : "",
  };
}
