/**
 * What was given: the options and operands of a command line, each checked by what the option is.
 * What is wrong is collected, not thrown.
 */
import { nearestNames } from "../config/nearest.ts";
import { OPTIONS, type OptionSpec } from "./options.ts";
import { type OptionLookup, tokensOf } from "./tokens.ts";
import { VERB_OPTIONS, type VerbOptionSpec } from "./verbs.ts";

type Spec = OptionSpec | VerbOptionSpec;

/** An option as it was written. */
interface GivenOption {
  readonly name: string;
  /** As written, with its dashes. */
  readonly raw: string;
  readonly value?: string;
}

/** A word that is no option. */
interface GivenWord {
  readonly word: string;
  /** How many options stand before it. */
  readonly optionsBefore: number;
  /** Stands after `--`, so it can be nothing but a prompt. */
  readonly literal: boolean;
}

const SPECS: readonly Spec[] = [...OPTIONS, ...VERB_OPTIONS];

function isShort(spec: Spec): spec is OptionSpec & { short: string } {
  return "short" in spec && spec.short !== undefined;
}

function repeats(spec: Spec): boolean {
  return "repeat" in spec && spec.repeat === true;
}

const LOOKUP: OptionLookup = {
  nameOf: (letter) => SPECS.find((spec) => isShort(spec) && spec.short === letter)?.name,
  takesValue: (name) => SPECS.find((spec) => spec.name === name)?.value !== undefined,
};

/** Whether a word is an option that there is, so that it cannot be meant as another's value. */
function isOptionName(word: string): boolean {
  const [name] = word.split("=", 1);
  return SPECS.some((spec) =>
    name === `--${spec.name}` || (isShort(spec) && word === `-${spec.short}`)
  );
}

/** The options and words of a command line, in their order, and what is wrong with them. */
export class Given {
  readonly #options: GivenOption[] = [];
  readonly #words: GivenWord[] = [];
  readonly #problems: string[] = [];

  constructor(args: readonly string[]) {
    for (const token of tokensOf(args, LOOKUP)) {
      if (token.kind === "option") {
        this.#addOption(token.name, token.raw, token.value, token.inline);
      } else {
        const { word, literal } = token;
        this.#words.push({ word, optionsBefore: this.#options.length, literal });
      }
    }
  }

  #addOption(name: string, raw: string, value: string | undefined, inline: boolean): void {
    const spec = SPECS.find((candidate) => candidate.name === name);
    if (!spec) {
      this.problem(`Cannot use ${raw}: there is no such option${this.#meant(name)}`);
      return;
    }
    if (spec.value === undefined && inline) {
      this.problem(`Cannot use ${raw}=${value}: ${raw} takes no value`);
      return;
    }
    if (spec.value !== undefined) {
      const missing = value === undefined || (!inline && isOptionName(value));
      if (missing) {
        this.problem(
          `Cannot use ${raw}: it needs a value (${raw} ${spec.value})` +
            (value === undefined ? "" : `; if ${value} is meant, write ${raw}=${value}`),
        );
        return;
      }
      if (value.trim() === "" && !name.endsWith("system-prompt")) {
        this.problem(`Cannot use ${raw}: its value is empty`);
        return;
      }
      if (this.has(name) && !repeats(spec)) {
        this.problem(`Cannot use ${raw} twice: only one value can count`);
        return;
      }
    }
    this.#options.push({ name, raw, ...(value === undefined ? {} : { value }) });
  }

  #meant(name: string): string {
    const [found] = nearestNames(
      name,
      SPECS.filter((spec) => spec.name.length > 1).map((s) => s.name),
    );
    return found === undefined
      ? "; a prompt that begins with a dash goes after --"
      : `; did you mean --${found}?`;
  }

  /** Notes what is wrong; "Cannot <do> <thing>: <reason>". */
  problem(text: string): void {
    this.#problems.push(text);
  }

  /** What is wrong, first things first. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  get options(): readonly GivenOption[] {
    return this.#options;
  }

  get words(): readonly GivenWord[] {
    return this.#words;
  }

  has(name: string): boolean {
    return this.#options.some((option) => option.name === name);
  }

  value(name: string): string | undefined {
    return this.values(name)[0];
  }

  values(name: string): string[] {
    return this.#options.flatMap((option) =>
      option.name === name && option.value !== undefined ? [option.value] : []
    );
  }

  /** The value as `parse` reads it; a problem and undefined if it cannot. */
  read<T>(
    name: string,
    parse: (text: string) => T | undefined,
    wanted: string | ((text: string) => string),
  ): T | undefined {
    const text = this.value(name);
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) {
      const reason = typeof wanted === "string" ? wanted : wanted(text);
      this.problem(`Cannot use --${name} ${text}: ${reason}`);
    }
    return value;
  }

  /** The value if it is one of `choices`; a problem that names the nearest and undefined if not. */
  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    return this.read(
      name,
      (text) => choices.find((choice) => choice === text),
      (text) => this.#choiceWanted(text, choices),
    );
  }

  #choiceWanted(text: string, choices: readonly string[]): string {
    const [found] = nearestNames(text, choices);
    return `it must be one of ${choices.join(", ")}` +
      (found === undefined ? "" : `; did you mean ${found}?`);
  }

  /** At most one of these options may be given; a problem if more are. Returns the first. */
  one<T extends string>(names: readonly T[], why: string): T | undefined {
    const given = names.filter((name) => this.has(name));
    if (given.length > 1) {
      this.problem(`Cannot use --${given[0]} with --${given[1]}: ${why}`);
    }
    return given[0];
  }

  /** `name` means nothing without one of `others`; a problem if it stands alone. */
  needs(name: string, others: readonly string[]): void {
    if (!this.has(name) || others.some((other) => this.has(other))) return;
    const wanted = others.map((other) => `--${other}`).join(" or ");
    this.problem(`Cannot use --${name} alone: it goes with ${wanted}`);
  }
}
