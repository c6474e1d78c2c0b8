/** Parts what was pasted from what was typed. */
import type { Timer } from "../../../agent/mod.ts";

const START = "\x1b[200~";
const END = "\x1b[201~";
/** Asks the terminal to mark what is pasted, and to stop that. */
export const MARK_PASTES = "\x1b[?2004h";
export const MARK_NO_PASTES = "\x1b[?2004l";

/**
 * How long the end of a paste is waited on: an end mark within the pasted text is followed by the
 * rest of it, and by another end mark, at once.
 */
const SETTLE_MS = 30;

export interface PasteListener {
  keys(bytes: Uint8Array): void;
  /** Line ends are LF; there are no marks in it. */
  paste(text: string): void;
}

/**
 * A filter in front of the key decoder. What stands between the marks is one paste, whatever is in
 * it: an end mark that another one follows, without a start mark between, was pasted itself. From a
 * terminal that does not mark, several lines in one piece are a paste, too.
 *
 * Bytes are handled as latin-1 text, one character a byte, so that nothing is lost where a piece ends
 * within a character.
 */
export class PasteFilter {
  readonly #listener: PasteListener;
  readonly #timer: Timer;
  /** Undefined outside of a paste. */
  #pasted: string | undefined;
  /** What came after an end mark that may not be the last. */
  #after: string | undefined;
  #tail = "";
  #marks = false;
  #settling: AbortController | undefined;

  constructor(listener: PasteListener, timer: Timer) {
    this.#listener = listener;
    this.#timer = timer;
  }

  feed(bytes: Uint8Array): void {
    this.#settling?.abort();
    let text = this.#tail + Buffer.from(bytes).toString("latin1");
    this.#tail = "";
    if (this.#after !== undefined) {
      text = this.#after + text;
      this.#after = undefined;
      this.#continueAfterEnd(text);
    } else if (this.#pasted !== undefined) this.#continuePaste(text);
    else this.#typed(text);
  }

  #typed(text: string): void {
    const start = text.indexOf(START);
    if (start >= 0) {
      this.#marks = true;
      this.#keys(text.slice(0, start));
      this.#pasted = "";
      return this.#continuePaste(text.slice(start + START.length));
    }
    const half = halfMark(text, START);
    const whole = text.slice(0, text.length - half.length);
    if (half !== "") this.#holdBack(half);
    const burst = this.#marks ? undefined : /^([^\x1b]*[\r\n][^\x1b\r\n][^\x1b]*?)([\r\n]*)$/
      .exec(whole);
    if (!burst) return this.#keys(whole);
    this.#listener.paste(decoded(burst[1] ?? ""));
    if (burst[2]) this.#keys("\r");
  }

  #continuePaste(text: string): void {
    const end = text.indexOf(END);
    if (end < 0) {
      const half = halfMark(text, END);
      this.#tail = half;
      this.#pasted = (this.#pasted ?? "") + text.slice(0, text.length - half.length);
      return;
    }
    this.#pasted = (this.#pasted ?? "") + text.slice(0, end);
    this.#continueAfterEnd(text.slice(end + END.length));
  }

  #continueAfterEnd(text: string): void {
    const start = text.indexOf(START);
    const end = text.indexOf(END);
    if (end >= 0 && (start < 0 || end < start)) {
      this.#pasted = (this.#pasted ?? "") + text.slice(0, end);
      return this.#continueAfterEnd(text.slice(end + END.length));
    }
    if (start >= 0) {
      this.#endPaste();
      return this.#typed(text);
    }
    this.#after = text;
    this.#whenSettled(() => {
      this.#after = undefined;
      this.#endPaste();
      this.#typed(text);
    });
  }

  /** What may be the start of a mark, or an Escape and no more. */
  #holdBack(half: string): void {
    this.#tail = half;
    this.#whenSettled(() => {
      this.#tail = "";
      this.#keys(half);
    });
  }

  #whenSettled(then: () => void): void {
    const settling = new AbortController();
    this.#settling = settling;
    this.#timer.sleep(SETTLE_MS, settling.signal).then(() => {
      if (!settling.signal.aborted) then();
    });
  }

  #endPaste(): void {
    const pasted = this.#pasted ?? "";
    this.#pasted = undefined;
    this.#listener.paste(decoded(pasted));
  }

  #keys(text: string): void {
    if (text !== "") this.#listener.keys(Buffer.from(text, "latin1"));
  }
}

/** The start of a mark that a text ends in. */
function halfMark(text: string, mark: string): string {
  for (let length = mark.length - 1; length > 0; length--) {
    const half = mark.slice(0, length);
    if (text.endsWith(half)) return half;
  }
  return "";
}

function decoded(bytes: string): string {
  const text = new TextDecoder().decode(Buffer.from(bytes, "latin1"));
  return text.replaceAll(START, "").replaceAll(END, "").replace(/\r\n?/g, "\n");
}
