/** Words of a command line → what is asked for (`docs/cli.md`, "Invocation"). */
import { nearestNames } from "../config/nearest.ts";
import { Given } from "./given.ts";
import { OPTIONS, type OptionSpec } from "./options.ts";
import { readRunOptions } from "./read_run_options.ts";
import type { Mode, Output, RunOptions } from "./run_options.ts";
import { verbOptions } from "./verb_options.ts";
import { type VerbName, VERBS, type VerbSpec } from "./verbs.ts";

export type { RunOptions } from "./run_options.ts";

/** Which of stdin and stdout are terminals. */
export interface Terminals {
  readonly stdin: boolean;
  readonly stdout: boolean;
}

/** One use of a verb. */
export interface VerbCall {
  readonly verb: VerbName;
  readonly operands: readonly string[];
  /** The flags of the verb that were given, such as `json`. */
  readonly flags: ReadonlySet<string>;
  /** The values of the verb's own options, such as `limit`. */
  readonly values: ReadonlyMap<string, string>;
  /** The options that it shares with runs; `session` and `prompts` say nothing. */
  readonly run: RunOptions;
}

/** What a command line asks for, or what is wrong with it. */
export type CommandLine =
  | { readonly kind: "help"; readonly verb?: string }
  | { readonly kind: "version" }
  | { readonly kind: "run"; readonly options: RunOptions }
  | { readonly kind: "verb"; readonly call: VerbCall }
  /** `see`: what `bough` shows more with, if not with `--help`. */
  | { readonly kind: "usage"; readonly problem: string; readonly see?: string };

const VERB_LIST: readonly VerbSpec[] = VERBS;
const OPTION_LIST: readonly OptionSpec[] = OPTIONS;

/** Reads the words after the program's name. Nothing is looked up and nothing is thrown. */
export function parseCommandLine(args: readonly string[], terminals: Terminals): CommandLine {
  const given = new Given(args);
  const verb = verbWords(given);
  if (given.has("help")) return { kind: "help", ...(verb ? { verb: verb.join(" ") } : {}) };
  if (given.has("version")) return { kind: "version" };
  const result = verb ? readVerb(given, verb) : readRun(given, terminals);
  const [problem] = given.problems;
  return problem === undefined ? result : { kind: "usage", problem, ...seeHelp(verb) };
}

/** The help of the verb that a call names. */
function seeHelp(words: readonly string[] | undefined): { see?: string } {
  const spec = words && verbNamed(words);
  return spec ? { see: `help ${spec.name}` } : {};
}

function verbNamed([first, second]: readonly string[]): VerbSpec | undefined {
  return VERB_LIST.find(({ name }) => name === first) ??
    VERB_LIST.find(({ name }) => name === `${first} ${second}`);
}

/**
 * The words of a verb's call, if it is one: the first word names a verb, and nothing before it
 * says that what follows are prompts.
 */
function verbWords(given: Given): string[] | undefined {
  const [first] = given.words;
  if (!first || first.literal) return undefined;
  const before = given.options.slice(0, first.optionsBefore);
  if (before.some(({ name }) => name === "print" || name === "output" || name === "mode")) {
    return undefined;
  }
  const named = VERB_LIST.some((verb) => verb.name.split(" ")[0] === first.word);
  return named ? given.words.map(({ word }) => word) : undefined;
}

function readVerb(given: Given, words: readonly string[]): CommandLine {
  const [first = "", second] = words;
  if (first === "help") {
    return { kind: "help", ...(words.length > 1 ? { verb: words.slice(1).join(" ") } : {}) };
  }
  if (first === "version") return { kind: "version" };
  const spec = verbNamed(words);
  if (!spec) return { kind: "usage", problem: noSuchVerb(first, second) };
  const operands = words.slice(spec.name.split(" ").length);
  checkVerbOptions(given, spec);
  checkOperands(given, spec, operands);
  const own: readonly string[] = spec.options;
  const ownGiven = given.options.filter(({ name }) => own.includes(name));
  return {
    kind: "verb",
    call: {
      verb: nameOf(spec),
      operands,
      flags: new Set(ownGiven.flatMap((one) => one.value === undefined ? [one.name] : [])),
      values: new Map(
        ownGiven.flatMap((one) => one.value === undefined ? [] : [[one.name, one.value]]),
      ),
      run: readRunOptions(given, { mode: "print", output: "text", words: [] }),
    },
  };
}

function nameOf(spec: VerbSpec): VerbName {
  const found = VERBS.find((verb) => verb.name === spec.name);
  if (!found) throw new Error(`no verb ${spec.name}`);
  return found.name;
}

function noSuchVerb(first: string, second: string | undefined): string {
  const all = VERB_LIST.filter((verb) => verb.name.startsWith(`${first} `))
    .map((verb) => verb.name.slice(first.length + 1));
  if (second === undefined) return `Cannot run "${first}": it needs one of ${all.join(", ")}`;
  const [found] = nearestNames(second, all);
  const hint = found === undefined
    ? `it is none of ${all.join(", ")}.`
    : `did you mean "${first} ${found}"?`;
  return `Cannot run "${first} ${second}": ${hint} A prompt goes after -p or --`;
}

function checkVerbOptions(given: Given, spec: VerbSpec): void {
  const names: readonly string[] = verbOptions(spec).map(({ name }) => name);
  for (const { name, raw } of given.options) {
    if (names.includes(name)) continue;
    const takes = spec.options.map((option) => `--${option}`).join(", ");
    given.problem(
      `Cannot use ${raw} with "${spec.name}": it takes ${takes || "no option of its own"}`,
    );
  }
}

function checkOperands(given: Given, spec: VerbSpec, operands: readonly string[]): void {
  const needed = spec.operands.filter((operand) => !operand.optional);
  const open = spec.operands.some((operand) => operand.rest);
  const missing = needed[operands.length];
  if (missing) {
    given.problem(`Cannot run "${spec.name}": <${missing.name}> is missing`);
  } else if (!open && operands.length > spec.operands.length) {
    const extra = operands[spec.operands.length];
    given.problem(`Cannot run "${spec.name}": "${extra}" is one word too many`);
  }
}

/** `sesion list` is no pair of prompts. */
function checkNoVerbMeant(given: Given): void {
  const [first, second, ...more] = given.words;
  if (!first || !second || first.literal || first.optionsBefore > 0) return;
  const verb = VERB_LIST.find(({ name }) => {
    const [group = "", own] = name.split(" ");
    return own === second.word && nearestNames(first.word, [group]).length > 0;
  });
  if (!verb) return;
  const call = [verb.name, ...more.map(({ word }) => word)].join(" ");
  given.problem(
    `Cannot run "${first.word} ${second.word}": did you mean "${call}"? A prompt goes after -p or --`,
  );
}

function readRun(given: Given, terminals: Terminals): CommandLine {
  checkNoVerbMeant(given);
  const { mode, output } = readMode(given, terminals);
  for (const { name, raw } of given.options) checkFit(given, { name, raw, mode });
  given.needs("at", ["fork"]);
  const words = given.words.map(({ word }) => word);
  if (mode === "rpc" && words.length > 0) {
    given.problem(`Cannot use "${words[0]}" with --mode rpc: prompts come as commands on stdin`);
  }
  return { kind: "run", options: readRunOptions(given, { mode, output, words }) };
}

function readMode(given: Given, terminals: Terminals): { mode: Mode; output: Output } {
  given.one(["mode", "output"], "both choose the output");
  const output = given.choice("output", ["text", "json", "events"]);
  const mode = given.choice("mode", ["text", "json", "rpc"]);
  if (mode === "rpc") {
    if (given.has("print")) {
      given.problem("Cannot use --print with --mode rpc: rpc answers on stdout, too");
    }
    return { mode, output: "events" };
  }
  if (mode === "json") return { mode: "print", output: "events" };
  const printing = given.has("print") || output !== undefined || mode !== undefined ||
    !terminals.stdin || !terminals.stdout;
  return { mode: printing ? "print" : "repl", output: output ?? "text" };
}

/** What to do about an option that does not fit the mode. */
const INSTEAD: Record<Mode, string> = {
  print: "it needs a terminal and no --print; --continue or --session choose without asking",
  rpc: "--mode rpc takes it as a command on stdin, or not at all",
  repl: "it fits print mode; add -p",
};

function checkFit(given: Given, option: { name: string; raw: string; mode: Mode }): void {
  const spec = OPTION_LIST.find((candidate) => candidate.name === option.name);
  if (!spec) {
    const verbs = VERB_LIST.filter((verb) =>
      verb.options.some((verbOption) => verbOption === option.name)
    );
    const instead = option.name === "json"
      ? "--output json prints the result object"
      : `it goes with ${verbs.map((verb) => `"${verb.name}"`).join(", ")}`;
    given.problem(`Cannot use ${option.raw} here: ${instead}`);
  } else if (spec.modes && !spec.modes.includes(option.mode)) {
    given.problem(`Cannot use ${option.raw} here: ${INSTEAD[option.mode]}`);
  }
}
