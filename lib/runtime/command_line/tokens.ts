/**
 * Tells options from words, by the usual rules: `--name value`, `--name=value`, `-n value`, `-nvalue`,
 * `-abc` for three options, `--` before words only. `node:util` has a parser of the same; loading it
 * for a handful of words took as long as all else that is done with them.
 */

/** An option that there is. */
export interface TokenSpec {
  readonly name: string;
  readonly short?: string;
  readonly takesValue: boolean;
}

export type Token =
  | {
    readonly kind: "option";
    readonly name: string;
    /** As written, with its dashes. */
    readonly raw: string;
    readonly value?: string;
    /** The value stood in the same word. */
    readonly inline: boolean;
  }
  /** `literal`: it stands after `--`. */
  | { readonly kind: "word"; readonly word: string; readonly literal: boolean };

/** An option that is not there comes as one that takes no value. */
export function tokensOf(args: readonly string[], specs: readonly TokenSpec[]): Token[] {
  const tokens: Token[] = [];
  const waiting = [...args];
  for (let word = waiting.shift(); word !== undefined; word = waiting.shift()) {
    if (word === "--") {
      tokens.push(...waiting.map((word) => ({ kind: "word" as const, word, literal: true })));
      break;
    }
    if (word.startsWith("--")) {
      const equals = word.indexOf("=", 3);
      const raw = equals === -1 ? word : word.slice(0, equals);
      const name = raw.slice(2);
      const inline = equals === -1 ? undefined : word.slice(equals + 1);
      tokens.push(option(name, raw, inline, specs.find((spec) => spec.name === name), waiting));
    } else if (word.startsWith("-") && word !== "-") {
      tokens.push(...shortOptions(word, specs, waiting));
    } else {
      tokens.push({ kind: "word", word, literal: false });
    }
  }
  return tokens;
}

/** The options of one word; what follows one that takes a value is its value. */
function shortOptions(word: string, specs: readonly TokenSpec[], waiting: string[]): Token[] {
  const tokens: Token[] = [];
  const letters = [...word.slice(1)];
  for (let letter = letters.shift(); letter !== undefined; letter = letters.shift()) {
    const spec = specs.find(({ short }) => short === letter);
    const inline = spec?.takesValue && letters.length > 0 ? letters.splice(0).join("") : undefined;
    tokens.push(option(spec?.name ?? letter, `-${letter}`, inline, spec, waiting));
  }
  return tokens;
}

function option(
  name: string,
  raw: string,
  inline: string | undefined,
  spec: TokenSpec | undefined,
  waiting: string[],
): Token {
  if (inline !== undefined) return { kind: "option", name, raw, value: inline, inline: true };
  const value = spec?.takesValue ? waiting.shift() : undefined;
  return { kind: "option", name, raw, inline: false, ...(value === undefined ? {} : { value }) };
}
