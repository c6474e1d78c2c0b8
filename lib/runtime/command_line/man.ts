/** The man page `bough.1`, made from the tables that `--help` is made from. */
import { EXIT_CODES } from "./exit_code.ts";
import { EXAMPLES, optionLabel, SYNOPSIS, verbLabel, WORDS } from "./help.ts";
import { OPTION_GROUPS, OPTIONS, type OptionSpec } from "./options.ts";
import { verbOptions } from "./verb_options.ts";
import { VERBS, type VerbSpec } from "./verbs.ts";

const OPTION_LIST: readonly OptionSpec[] = OPTIONS;
const VERB_LIST: readonly VerbSpec[] = VERBS;

const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ["ANTHROPIC_API_KEY, OPENAI_API_KEY", "The keys of the providers."],
  ["ANTHROPIC_BASE_URL, OPENAI_BASE_URL", "Where requests go instead of the provider's address."],
  ["BOUGH_HOME", "Where settings, keys and sessions are kept; ~/.bough without it."],
  ["NO_COLOR", "No colour, whatever the terminal can do."],
];

const FILES: readonly (readonly [string, string])[] = [
  ["~/.bough/settings.json, .bough/settings.json", "Settings of the user and of a project."],
  ["~/.bough/auth.json", "Stored keys; readable by the user alone."],
  ["~/.bough/models.json", "More models and providers."],
  ["~/.bough/sessions/", "The sessions, a JSONL file each."],
  ["AGENTS.md", "What a project or the user wants the model to know."],
];

const DESCRIPTION = [
  "A coding agent whose memory is a tree in a plain JSONL file. With a terminal on standard input " +
  "and output, and none of -p, --output and --mode, it is a prompt to talk to. Otherwise it answers " +
  "the prompts on standard output and ends.",
];

const STDIN = [
  "A terminal is never read as data. A file or a pipe is read to its end once its first byte is " +
  "there. With a prompt, a pipe that says nothing is given 30 seconds and a socket 3; then the run " +
  "goes on without. --stdin waits to the end, --no-stdin does not read. Without a prompt, standard " +
  "input is the prompt. With one, the data comes first, between <stdin> and </stdin>.",
];

/** Text as roff shows it literally. */
function escape(text: string): string {
  const escaped = text.replaceAll("\\", "\\e").replaceAll("-", "\\-");
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

function section(title: string, ...parts: string[]): string {
  return [`.SH ${title}`, ...parts].join("\n");
}

function items(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([label, text]) => `.TP\n.B ${escape(label)}\n${escape(text)}`).join("\n");
}

function sentence(text: string): string {
  return /[.)]$/.test(text) ? text : `${text}.`;
}

/** The page of a release. */
export function manPage(version: string): string {
  const options = OPTION_GROUPS.flatMap((group) => [
    `.SS ${group}`,
    items(
      OPTION_LIST.filter((spec) => spec.group === group)
        .map((spec) => [optionLabel(spec), sentence(spec.what)] as const),
    ),
  ]);
  const verbs = VERB_LIST.map((spec) => {
    const own: readonly string[] = spec.options;
    const labels = verbOptions(spec).filter(({ name }) => own.includes(name)).map(optionLabel);
    const takes = labels.length > 0 ? ` Takes ${labels.join(", ")}.` : "";
    return [verbLabel(spec), `${sentence(spec.what)}${takes}`] as const;
  });
  return [
    `.\\" Made by scripts/man.ts; do not edit.`,
    `.TH BOUGH 1 "" "bough ${version}" "User Commands"`,
    section("NAME", "bough \\- a coding agent in one binary"),
    section("SYNOPSIS", SYNOPSIS.map((line) => escape(line)).join("\n.br\n")),
    section("DESCRIPTION", ...DESCRIPTION.map(escape)),
    section("WORDS", items(WORDS.map(([word, what]) => [word, sentence(what)] as const))),
    section("OPTIONS", ...options),
    section("VERBS", items(verbs)),
    section("STANDARD INPUT", ...STDIN.map(escape)),
    section(
      "EXIT STATUS",
      items(Object.entries(EXIT_CODES).map(([c, what]) => [c, sentence(what)])),
    ),
    section("ENVIRONMENT", items(ENVIRONMENT)),
    section("FILES", items(FILES)),
    section(
      "EXAMPLES",
      EXAMPLES.map(([call, what]) =>
        `.PP\n${escape(sentence(what))}\n.PP\n.EX\n${escape(call)}\n.EE`
      )
        .join("\n"),
    ),
  ].join("\n") + "\n";
}
