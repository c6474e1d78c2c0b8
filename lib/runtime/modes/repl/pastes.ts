/** Long pastes: a short sign stands for each on the input line. */

/** A paste up to this is put on the line as it is. */
const LINES_MAX = 5;
const CHARACTERS_MAX = 800;

const SIGN_AT_END = /\[paste \d+: [^\]\n]*\]$/;

/** Keeps what was pasted until the line is sent. */
export class Pastes {
  readonly #texts = new Map<string, string>();

  /** What to put on the line for a pasted text. */
  take(text: string): string {
    const lines = text.split("\n").length;
    if (lines <= LINES_MAX && text.length <= CHARACTERS_MAX) return text;
    const size = lines > 1 ? `${lines} lines` : `${text.length} characters`;
    const sign = `[paste ${this.#texts.size + 1}: ${size}]`;
    this.#texts.set(sign, text);
    return sign;
  }

  /** The line with each sign replaced by its text. */
  expand(line: string): string {
    return line.replace(/\[paste \d+: [^\]\n]*\]/g, (sign) => this.#texts.get(sign) ?? sign);
  }

  /** How long the sign is that a text ends in; undefined if it ends in none. */
  signLengthAtEnd(text: string): number | undefined {
    const sign = SIGN_AT_END.exec(text)?.[0];
    return sign !== undefined && this.#texts.has(sign) ? sign.length : undefined;
  }
}
