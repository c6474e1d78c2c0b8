/** Glob patterns, with the rules of `.gitignore` lines. */
import { ToolError } from "../tool.ts";

/**
 * A test of paths (relative, with `/`) against a glob: `*` and `?` do not cross `/`, `**` does;
 * `[a-z]`, `[!a]`, `{a,b}` and `\` work as usual, a leading `!` turns the answer round. A pattern
 * without `/` is tried on the last name alone, one with `/` on the whole path. Throws a ToolError
 * if a bracket or brace is left open.
 */
export function globTest(pattern: string): (path: string) => boolean {
  const isNegated = pattern.startsWith("!");
  const plain = (isNegated ? pattern.slice(1) : pattern).replace(
    /^\.?\//,
    (start) => start === "./" ? "" : "/",
  );
  const whole = plain.endsWith("/") ? `${plain}**` : plain;
  const isAnchored = whole.includes("/");
  const source = new GlobReader(whole.startsWith("/") ? whole.slice(1) : whole).read();
  const expression = new RegExp(`^${isAnchored ? "" : "(?:.*/)?"}${source}$`, "su");
  return (path) => expression.test(path) !== isNegated;
}

const SPECIAL = /[\\^$.*+?()[\]{}|/-]/u;

/** Turns a glob into the source of a regular expression. */
class GlobReader {
  readonly #glob: string;
  #at = 0;

  constructor(glob: string) {
    this.#glob = glob;
  }

  read(): string {
    const source = this.#sequence(false);
    if (this.#at < this.#glob.length) throw this.#broken("}");
    return source;
  }

  /** Up to the end, or inside braces to the `,` or `}` that belongs to them. */
  #sequence(inBraces: boolean): string {
    let source = "";
    while (this.#at < this.#glob.length) {
      const character = String.fromCodePoint(this.#glob.codePointAt(this.#at) ?? 0);
      if (inBraces && (character === "," || character === "}")) return source;
      source += this.#stars() ?? this.#one(character);
    }
    return source;
  }

  #stars(): string | undefined {
    const stars = /^\*+/.exec(this.#glob.slice(this.#at))?.[0].length ?? 0;
    if (stars === 0) return undefined;
    const isNameStart = this.#at === 0 || this.#glob[this.#at - 1] === "/";
    this.#at += stars;
    if (stars < 2) return "[^/]*";
    if (isNameStart && this.#glob[this.#at] === "/") {
      this.#at++;
      return "(?:[^/]+/)*";
    }
    return ".*";
  }

  #one(character: string): string {
    this.#at += character.length;
    switch (character) {
      case "?":
        return "[^/]";
      case "[":
        return this.#bracket();
      case "{":
        return this.#braces();
      case "\\": {
        const next = String.fromCodePoint(this.#glob.codePointAt(this.#at) ?? 0x5c);
        this.#at += next.length;
        return escaped(next);
      }
      default:
        return escaped(character);
    }
  }

  #bracket(): string {
    const close = this.#glob.indexOf(
      "]",
      this.#at + (/^[!^]?\]/.exec(this.#glob.slice(this.#at))?.[0].length ?? 0),
    );
    if (close < 0) throw this.#broken("[");
    const inside = this.#glob.slice(this.#at, close);
    this.#at = close + 1;
    const isNegated = /^[!^]/.test(inside);
    const members = (isNegated ? inside.slice(1) : inside).replace(/[\\\]^[]/g, "\\$&");
    return `(?!/)[${isNegated ? "^" : ""}${members}]`;
  }

  #braces(): string {
    const choices = [this.#sequence(true)];
    while (this.#glob[this.#at] === ",") {
      this.#at++;
      choices.push(this.#sequence(true));
    }
    if (this.#glob[this.#at] !== "}") throw this.#broken("{");
    this.#at++;
    return `(?:${choices.join("|")})`;
  }

  #broken(mark: string): ToolError {
    return new ToolError(`Cannot use the glob ${this.#glob}: a ${mark} has no partner.`);
  }
}

function escaped(character: string): string {
  return SPECIAL.test(character) && character !== "-" ? `\\${character}` : character;
}
