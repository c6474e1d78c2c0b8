/** What there is to complete with, whatever the shell. */
import { BUILT_IN_PROVIDERS, PRESETS } from "../config/presets.ts";
import { type Completion, OPTIONS, type OptionSpec } from "./options.ts";
import { type VerbOptionSpec, VERBS, type VerbSpec } from "./verbs.ts";

/** An option of a run or of a verb. */
export type Spec = OptionSpec | VerbOptionSpec;

export const OPTION_LIST: readonly OptionSpec[] = OPTIONS;
export const VERB_LIST: readonly VerbSpec[] = VERBS;

/** The first words of verbs, and for those of two words the second ones. */
export function verbTree(): Map<string, string[]> {
  const tree = new Map<string, string[]>();
  for (const { name } of VERB_LIST) {
    const [first = "", second] = name.split(" ");
    const seconds = tree.get(first) ?? [];
    if (second !== undefined) seconds.push(second);
    tree.set(first, seconds);
  }
  return tree;
}

/** The words that a value can be completed with; undefined where it is no matter of words. */
export function wordsOf(complete: Completion | undefined): readonly string[] | undefined {
  switch (complete) {
    case "file":
    case "directory":
    case "session":
      return undefined;
    case "model":
    case undefined:
      return [];
    case "provider":
      return [...Object.keys(BUILT_IN_PROVIDERS), ...Object.keys(PRESETS)];
    case "verb":
      return [...verbTree().keys()];
  }
  return complete;
}

/** What the first operand of a verb is completed with, where that is words. */
export function operandWords({ operands }: VerbSpec): string | undefined {
  const complete = operands[0]?.complete;
  return complete === undefined ? undefined : wordsOf(complete)?.join(" ");
}
