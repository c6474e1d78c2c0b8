/**
 * Tells options from words, by the usual rules: `--name value`, `--name=value`, `-n value`, `-nvalue`,
 * `-abc` for three options, `--` before words only. `node:util` has a parser of the same; loading it
 * for a handful of words took as long as all else that is done with them.
 */

/** Finds out about options. */
export interface OptionLookup {
  /** The name of the option that has this letter. */
  nameOf(letter: string): string | undefined;
  /** Whether the option of this name takes a value; one that is not there takes none. */
  takesValue(name: string): boolean;
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
export function tokensOf(args: readonly string[], options: OptionLookup): Token[] {
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
      tokens.push(option({ name, raw, inline }, options, waiting));
    } else if (word.startsWith("-") && word !== "-") {
      tokens.push(...shortOptions(word, options, waiting));
    } else {
      tokens.push({ kind: "word", word, literal: false });
    }
  }
  return tokens;
}

/** The options of one word; what follows one that takes a value is its value. */
function shortOptions(word: string, options: OptionLookup, waiting: string[]): Token[] {
  const tokens: Token[] = [];
  const letters = [...word.slice(1)];
  for (let letter = letters.shift(); letter !== undefined; letter = letters.shift()) {
    const raw = `-${letter}`;
    const name = options.nameOf(letter);
    if (name === undefined) {
      // It is not the long option of that name, either.
      tokens.push({ kind: "option", name: letter, raw, inline: false });
      continue;
    }
    const holdsValue = options.takesValue(name) && letters.length > 0;
    const inline = holdsValue ? letters.splice(0).join("") : undefined;
    tokens.push(option({ name, raw, inline }, options, waiting));
  }
  return tokens;
}

function option(
  { name, raw, inline }: { name: string; raw: string; inline: string | undefined },
  options: OptionLookup,
  waiting: string[],
): Token {
  if (inline !== undefined) return { kind: "option", name, raw, value: inline, inline: true };
  const value = options.takesValue(name) ? waiting.shift() : undefined;
  return { kind: "option", name, raw, inline: false, ...(value === undefined ? {} : { value }) };
}
