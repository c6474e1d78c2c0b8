/** Patterns of `grep` as regular expressions of ours, with ripgrep's meaning. */
import { ToolError } from "../tool.ts";
import { reasonOf } from "../../session/mod.ts";

/** A pattern and how it is meant. */
export interface SearchPattern {
  pattern: string;
  /** Not a regular expression but the text itself. */
  literal: boolean;
  ignoreCase: boolean;
}

const WORD = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u200c\\u200d";
const SPACE = "\\p{White_Space}";
/** What ripgrep's classes mean, as parts of a class; ours mean ASCII alone. */
const CLASSES: Readonly<Record<string, string>> = {
  d: "\\p{Nd}",
  w: WORD,
  s: SPACE,
};
const EDGE = `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`;
const NO_EDGE = `(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`;
const POSIX: Readonly<Record<string, string>> = {
  alpha: "a-zA-Z",
  digit: "0-9",
  alnum: "a-zA-Z0-9",
  upper: "A-Z",
  lower: "a-z",
  space: "\\s",
  blank: " \\t",
  punct: "!-\\/:-@\\[-`\\{-~",
  xdigit: "0-9a-fA-F",
  word: "\\w",
};

/**
 * The regular expression for a pattern. Throws a ToolError if it is none, or could only match
 * across lines.
 */
export function searchExpression(query: SearchPattern): RegExp {
  if (query.pattern.includes("\n")) {
    throw new ToolError("Cannot search for this pattern: it has a line feed. Search line by line.");
  }
  if (query.literal) {
    return new RegExp(
      query.pattern.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"),
      query.ignoreCase ? "iu" : "u",
    );
  }
  const inline = /^\(\?([imsux]+)\)/.exec(query.pattern);
  const source = inline ? query.pattern.slice(inline[0].length) : query.pattern;
  const ignoreCase = query.ignoreCase || (inline?.[1]?.includes("i") ?? false);
  const flags = ignoreCase ? "i" : "";
  try {
    return new RegExp(translated(source), `${flags}u`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  try {
    // Without "u" more is forgiven, such as a brace that stands for itself.
    return new RegExp(source, flags);
  } catch (error) {
    const reason = reasonOf(error);
    throw new ToolError(
      `Cannot search for this pattern: ${reason}. With literal: true it is taken as plain text.`,
      { cause: error },
    );
  }
}

/** The pattern with ripgrep's classes and word edges written out. */
function translated(pattern: string): string {
  let depth = 0;
  return pattern.replace(
    /\\(?:[pP](?:\{[^}]*\}|.)|.)|\[:(\^?)([a-z]+):\]|\[\^?\]?|\]/gsu,
    (token: string, negated: string | undefined, name: string | undefined) => {
      if (name !== undefined && depth > 0) {
        const members = POSIX[name];
        return members === undefined || negated === "^" ? token : members;
      }
      if (token.startsWith("[")) {
        if (depth > 0) return token.replaceAll("[", "\\[");
        depth++;
        return token.endsWith("]") ? `${token.slice(0, -1)}\\]` : token;
      }
      if (token === "]") {
        depth = 0;
        return token;
      }
      return escapeMeaning(token, depth > 0);
    },
  );
}

function escapeMeaning(token: string, inClass: boolean): string {
  const letter = token[1] ?? "";
  const members = CLASSES[letter];
  if (members !== undefined) return inClass ? members : `[${members}]`;
  const others = CLASSES[letter.toLowerCase()];
  if (others !== undefined && !inClass) return `[^${others}]`;
  if (letter === "b" && !inClass) return EDGE;
  if (letter === "B" && !inClass) return NO_EDGE;
  if (letter === "A") return "^";
  if (letter === "z") return "$";
  // "u" refuses an escape that is not needed, such as \" or \-.
  const isNeedless = /[^A-Za-z0-9^$\\.*+?()[\]{}|/]/u.test(letter) && !(inClass && letter === "-");
  return isNeedless ? token.slice(1) : token;
}
