/** Where and why a text is not JSON. `JSON.parse` of Bun tells no place. */

/** The first thing that is wrong. `line` and `column` count from 1, `column` in characters. */
export interface JsonSyntaxError {
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

const SPACE = /[ \t\r\n]*/y;
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const WORD = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** What the grammar allows next. */
type Awaited = "value" | "value or end" | "key" | "key or end" | "colon" | "comma" | "nothing";

const NAMES: Readonly<Record<Awaited, string>> = {
  "value": "a value",
  "value or end": 'a value or "]"',
  "key": "a name in double quotes",
  "key or end": 'a name in double quotes or "}"',
  "colon": '":"',
  "comma": '"," or the end of the list or object',
  "nothing": "the end of the file",
};

/** Walks over the text as the grammar of JSON does, with a stack of its own: depth costs memory only. */
class Scanner {
  readonly #text: string;
  readonly #open: ("{" | "[")[] = [];
  #at = 0;
  #awaited: Awaited = "value";

  constructor(text: string) {
    this.#text = text;
  }

  get at(): number {
    return this.#at;
  }

  get awaited(): Awaited {
    return this.#awaited;
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (!match) return false;
    this.#at += match[0].length;
    return true;
  }

  #valueEnds(): void {
    this.#awaited = this.#open.length === 0 ? "nothing" : "comma";
  }

  #opens(bracket: "{" | "["): void {
    this.#at++;
    this.#open.push(bracket);
    this.#awaited = bracket === "{" ? "key or end" : "value or end";
  }

  #closes(bracket: "{" | "["): boolean {
    if (this.#open.at(-1) !== bracket) return false;
    this.#at++;
    this.#open.pop();
    this.#valueEnds();
    return true;
  }

  #value(next: string): boolean {
    if (next === "{" || next === "[") {
      this.#opens(next);
      return true;
    }
    if (!this.#take(STRING) && !this.#take(WORD)) return false;
    this.#valueEnds();
    return true;
  }

  #key(): boolean {
    if (!this.#take(STRING)) return false;
    this.#awaited = "colon";
    return true;
  }

  #punctuation(next: string): boolean {
    if (this.#awaited === "colon" && next === ":") {
      this.#awaited = "value";
    } else if (this.#awaited === "comma" && next === ",") {
      this.#awaited = this.#open.at(-1) === "{" ? "key" : "value";
    } else {
      return false;
    }
    this.#at++;
    return true;
  }

  /** Takes one token; false at the first one that must not stand there, and at the end. */
  step(): boolean {
    this.#take(SPACE);
    const next = this.#text[this.#at];
    if (next === undefined) return false;
    switch (this.#awaited) {
      case "value":
        return this.#value(next);
      case "value or end":
        return next === "]" ? this.#closes("[") : this.#value(next);
      case "key":
        return this.#key();
      case "key or end":
        return next === "}" ? this.#closes("{") : this.#key();
      case "colon":
        return this.#punctuation(next);
      case "comma":
        if (next === "}") return this.#closes("{");
        if (next === "]") return this.#closes("[");
        return this.#punctuation(next);
      case "nothing":
        return false;
    }
  }
}

function hint(text: string, at: number, awaited: Awaited): string {
  const next = text[at] ?? "";
  if (text.startsWith("//", at) || text.startsWith("/*", at)) return " (JSON has no comments)";
  if (next === "'") return " (JSON strings have double quotes)";
  if (next === '"' && awaited !== "colon" && awaited !== "comma" && awaited !== "nothing") {
    return " (the string does not end, or has a character that must be escaped)";
  }
  const before = text.slice(0, at).trimEnd();
  if ((next === "}" || next === "]") && before.endsWith(",")) return " (one comma too many)";
  return awaited === "comma" && /["{[\w-]/.test(next) ? " (a comma is missing)" : "";
}

/** The first syntax error of a text, or undefined if it is JSON. */
export function findJsonSyntaxError(text: string): JsonSyntaxError | undefined {
  const scanner = new Scanner(text);
  while (scanner.step());
  const { at, awaited } = scanner;
  if (at >= text.length && awaited === "nothing") return undefined;
  const before = text.slice(0, at).split("\n");
  const found = at >= text.length
    ? "the end of the file"
    : JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0));
  return {
    line: before.length,
    column: [...(before.at(-1) ?? "")].length + 1,
    reason: `expected ${NAMES[awaited]}, found ${found}${hint(text, at, awaited)}`,
  };
}
