/** Which options go with which verb. */
import { OPTIONS, type OptionSpec } from "./options.ts";
import { VERB_OPTIONS, type VerbOptionSpec, type VerbSpec } from "./verbs.ts";

/** Whether an option of runs means something with a verb. */
function isShared({ verbs }: OptionSpec, spec: VerbSpec): boolean {
  const usesSessions = spec.name.startsWith("session ");
  if (verbs === undefined) return false;
  switch (verbs) {
    case "all":
      return true;
    case "place":
      return usesSessions || spec.model === true;
    case "session":
      return usesSessions;
    case "model":
      return spec.model === true;
  }
}

/** The options of a verb: its own, and those that it shares with runs. */
export function verbOptions(spec: VerbSpec): (VerbOptionSpec | OptionSpec)[] {
  const own: readonly string[] = spec.options;
  const shared: OptionSpec[] = OPTIONS.filter((option) =>
    !own.includes(option.name) && isShared(option, spec)
  );
  return [...VERB_OPTIONS.filter(({ name }) => own.includes(name)), ...shared];
}
