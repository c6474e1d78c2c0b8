/** `--help`, made from the tables. */
import { EXIT_CODES } from "./exit_code.ts";
import { OPTION_GROUPS, OPTIONS, type OptionSpec } from "./options.ts";
import { verbOptions } from "./verb_options.ts";
import { VERBS, type VerbSpec } from "./verbs.ts";

/** What the narrowest of usual terminals shows without breaking lines. */
const WIDTH = 80;
const OPTION_LIST: readonly OptionSpec[] = OPTIONS;
const VERB_LIST: readonly VerbSpec[] = VERBS;

/** How a program is called, what with. */
export const SYNOPSIS = [
  "bough [options] [--] [@file ...] [prompt ...]",
  "bough session <verb> ...",
  "bough models | doctor | auth <verb> | completions <shell> | help | version",
] as const;

/** When it talks and when it answers. */
const USAGE =
  "With a terminal on stdin and stdout, and none of -p, --output, --mode, it is a prompt " +
  "to talk to; otherwise it answers on stdout and ends.";

/** What the words of a run mean. */
export const WORDS: readonly (readonly [string, string])[] = [
  ["prompt", "Several prompts run one after the other in the same session"],
  ["@file", "Put a text file or an image in front of the first prompt"],
  ["-", "Read stdin, however long it takes (piped data is read without it, too)"],
];

/** Calls that show what it is for; each works as it stands. */
export const EXAMPLES: readonly (readonly [string, string])[] = [
  ["bough", "Talk, on a terminal"],
  ['bough -p "Why does the build fail?"', "Answer one question and end"],
  ['git diff | bough "Review this"', "Piped data and a prompt"],
  ['bough -c "And now fix it"', "Go on with this directory's last session"],
  ['bough --session-id nightly --timeout 10m "Check the logs"', "From cron: one session goes on"],
  ["bough session list", "What there is"],
];

/** An option as it is written: `-p, --print` or `--output <text|json|events>`. */
export function optionLabel(spec: { name: string; short?: string; value?: string }): string {
  const short = spec.short === undefined ? "" : `-${spec.short}, `;
  return `${short}--${spec.name}${spec.value === undefined ? "" : ` ${spec.value}`}`;
}

/** A verb as it is written: `session show <session>`. */
export function verbLabel(spec: VerbSpec): string {
  const operands = spec.operands.map(({ name, optional, rest }) => {
    const word = `<${name}${rest ? "..." : ""}>`;
    return optional ? `[${word}]` : word;
  });
  return [spec.name, ...operands].join(" ");
}

/** Lines of whole words. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let start = 0;
  while (text.length - start > width) {
    const last = text.lastIndexOf(" ", start + width);
    // A word that is too long for any line has one of its own.
    const end = last > start ? last : text.indexOf(" ", start);
    if (end === -1) break;
    lines.push(text.slice(start, end));
    start = end + 1;
  }
  return [...lines, text.slice(start)];
}

/** Two columns; a label that is too long for the first has a line of its own. */
function rows(pairs: readonly (readonly [string, string])[], labelWidth: number): string {
  return pairs.map(([label, text]) => {
    const indent = " ".repeat(labelWidth + 4);
    const body = wrap(text, WIDTH - indent.length).join(`\n${indent}`);
    return label.length > labelWidth
      ? `  ${label}\n${indent}${body}`
      : `  ${label.padEnd(labelWidth)}  ${body}`;
  }).join("\n");
}

/** The help of everything. */
export function helpText(): string {
  const options = OPTION_GROUPS.map((group) => {
    const pairs = OPTION_LIST.filter((spec) => spec.group === group)
      .map((spec) => [optionLabel(spec), spec.what] as const);
    return `${group}:\n${rows(pairs, 26)}`;
  });
  return [
    "A coding agent whose memory is a tree in a plain JSONL file.",
    `Usage:\n${SYNOPSIS.map((line) => `  ${line}`).join("\n")}`,
    wrap(USAGE, WIDTH).join("\n"),
    rows(WORDS, 26),
    ...options,
    `Verbs (bough help <verb> shows their options):\n${
      rows(VERB_LIST.map((spec) => [verbLabel(spec), spec.what] as const), 40)
    }`,
    `Examples:\n${EXAMPLES.map(([call, what]) => `  ${call}\n      ${what}`).join("\n")}`,
    `Exit codes:\n${
      rows(Object.entries(EXIT_CODES).map(([code, what]) => [code, what] as const), 3)
    }`,
  ].join("\n\n") + "\n";
}

/**
 * The help of a verb, or of all verbs that begin with the words; undefined if there are none.
 */
export function verbHelpText(words: string): string | undefined {
  const exact = VERB_LIST.find((spec) => words === spec.name || words.startsWith(`${spec.name} `));
  if (exact) {
    const pairs = verbOptions(exact).map((spec) => [optionLabel(spec), spec.what] as const);
    return `Usage: bough ${verbLabel(exact)} [options]\n\n${exact.what}.\n\n${rows(pairs, 26)}\n`;
  }
  const group = VERB_LIST.filter((spec) => spec.name.startsWith(`${words} `));
  if (group.length === 0) return undefined;
  return `Usage: bough ${words} <verb> ...\n\n${
    rows(group.map((spec) => [verbLabel(spec), spec.what] as const), 40)
  }\n`;
}
