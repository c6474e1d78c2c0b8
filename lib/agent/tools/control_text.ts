/** Output of programs as plain text: decoded in pieces, control sequences taken out. */

/** An escape sequence that may go on in the next piece. */
const OPEN_SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*|[ -/]+|[\]PX^_][^\x07\x1b]*\x1b?)?$/;
const OPEN_SEQUENCE_MAX = 4_096;
/** Strings for the terminal (titles, links, device control), which have an end of their own. */
const TERMINAL_STRING = /\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)/g;
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Text without control characters but tab and line feed; CR LF and a lone CR become LF. */
export function plainText(text: string): string {
  if (!CONTROL.test(text)) return text;
  // Loaded this late because most runs do without it, and it is not quickly loaded.
  const util = process.getBuiltinModule("node:util");
  return util.stripVTControlCharacters(text.replace(TERMINAL_STRING, ""))
    .replace(/\r\n?/g, "\n")
    .replace(CONTROLS, "");
}

/**
 * Turns the bytes of one stream into plain text. A character or a sequence that a piece cuts in two
 * is held until the rest is there.
 */
export class PlainTextDecoder {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #held = "";

  /** The text that is complete with these bytes. */
  push(bytes: Uint8Array): string {
    return this.#take(this.#decoder.decode(bytes, { stream: true }));
  }

  /** What was still held, at the end of the stream. */
  end(): string {
    const text = this.#held + this.#decoder.decode();
    this.#held = "";
    return plainText(text);
  }

  #take(piece: string): string {
    const text = this.#held + piece;
    this.#held = "";
    if (!CONTROL.test(text)) return text;
    const open = text.endsWith("\r")
      ? text.length - 1
      : OPEN_SEQUENCE.exec(text.slice(-OPEN_SEQUENCE_MAX))?.index;
    if (open === undefined) return plainText(text);
    const start = text.endsWith("\r") ? open : Math.max(0, text.length - OPEN_SEQUENCE_MAX) + open;
    this.#held = text.slice(start);
    return plainText(text.slice(0, start));
  }
}
