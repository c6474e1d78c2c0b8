/** Keys, as a terminal's bytes are read by `node:readline`. */
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

/** Its type knows only one of the options' holders, an `Interface`. */
const decoder: { emitKeypressEvents(stream: NodeJS.ReadableStream, options: object): void } =
  readline;

/** Enter with Shift or Alt, as terminals report it that tell it from Enter. */
const NEW_LINE_SEQUENCES = new Set(["\x1b[13;2u", "\x1b[27;2;13~", "\x1b[13;3u"]);

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
    decoder.emitKeypressEvents(this.#stream, { escapeCodeTimeout: ESCAPE_MS });
    this.#stream.on("keypress", (text: string | undefined, key: Keypress) => {
      onKey(keyOf(text, key));
    });
  }

  feed(bytes: Uint8Array): void {
    this.#stream.emit("data", bytes);
  }
}

function keyOf(text: string | undefined, key: Keypress): Key {
  const { sequence = "", name = "", ctrl, meta, shift } = key;
  if (NEW_LINE_SEQUENCES.has(sequence)) {
    return { name: "return", ctrl: false, alt: true, shift: false, text: "" };
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
