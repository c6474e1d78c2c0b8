/** Completions of bash, zsh and fish, made from the tables. */
import {
  operandWords,
  OPTION_LIST,
  type Spec,
  VERB_LIST,
  verbTree,
  wordsOf,
} from "./completion_words.ts";
import type { Completion } from "./options.ts";
import { verbOptions } from "./verb_options.ts";
import type { VerbSpec } from "./verbs.ts";

/** The shells that completions can be made for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

export type Shell = typeof SHELLS[number];

/** The script that teaches a shell the completions of `bough`. */
export function completionScript(shell: Shell): string {
  switch (shell) {
    case "bash":
      return bashScript();
    case "zsh":
      return zshScript();
    case "fish":
      return fishScript();
  }
}

function flags(specs: readonly Spec[]): string {
  return specs.flatMap((spec) => {
    const short = "short" in spec && spec.short !== undefined ? [`-${spec.short}`] : [];
    return [...short, `--${spec.name}`];
  }).join(" ");
}

// --- bash

function bashValues(complete: Completion | undefined): string {
  const words = wordsOf(complete);
  if (words) return `_bough_reply -W "${words.join(" ")}" -- "$cur"`;
  return `_bough_reply ${complete === "directory" ? "-d" : "-f"} -- "$cur"`;
}

function bashScript(): string {
  const withValue = valueOptions();
  const verbs = verbTree();
  const seconds = [...verbs].filter(([, words]) => words.length > 0).map(([first, words]) =>
    `    ${first}) words="${words.join(" ")}" ;;`
  );
  const options = VERB_LIST.map((spec) =>
    `    "${spec.name}") flags="${flags(verbOptions(spec))}" ;;`
  );
  const operands = VERB_LIST.flatMap((spec) => {
    const words = operandWords(spec);
    return words === undefined ? [] : [`    "${spec.name}") operands="${words}" ;;`];
  });
  return `# bash completions of bough: source this file, or put it where bash-completion looks

# A candidate a line: one with blanks in it stays whole.
_bough_reply() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$@")
}

_bough() {
  # After help stand the words of a verb.
  if [[ \${COMP_WORDS[1]} == help && COMP_CWORD -ge 2 ]]; then
    local -a COMP_WORDS=(bough "\${COMP_WORDS[@]:2}")
    local COMP_CWORD=$((COMP_CWORD - 1))
  fi
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  # bash takes "--option=value" apart at the sign.
  if [[ $cur == "=" ]]; then
    cur=""
  elif [[ $prev == "=" && COMP_CWORD -ge 2 ]]; then
    prev="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  case "$prev" in
${
    withValue.map((spec) => `    ${bashPattern(spec)}) ${bashValues(spec.complete)}; return ;;`)
      .join("\n")
  }
  esac
  local first="\${COMP_WORDS[1]}" verb="\${COMP_WORDS[1]}" words="" operands="" flags="${
    flags(OPTION_LIST)
  }"
  case "$first" in
${seconds.join("\n")}
  esac
  [[ -n $words ]] && verb="$first \${COMP_WORDS[2]}"
  case "$verb" in
${options.join("\n")}
  esac
  case "$verb" in
${operands.join("\n")}
  esac
  if [[ $cur == -* ]]; then
    _bough_reply -W "$flags" -- "$cur"
  elif [[ COMP_CWORD -eq 1 ]]; then
    _bough_reply -W "${[...verbs.keys()].join(" ")}" -- "$cur"
  elif [[ COMP_CWORD -eq 2 && -n $words ]]; then
    _bough_reply -W "$words" -- "$cur"
  elif [[ $cur == @* ]]; then
    _bough_reply -P @ -f -- "\${cur#@}"
  elif [[ -n $operands ]]; then
    _bough_reply -W "$operands" -- "$cur"
  else
    _bough_reply -f -- "$cur"
  fi
}
complete -o filenames -o nosort -F _bough bough 2>/dev/null || complete -o filenames -F _bough bough
`;
}

function bashPattern(spec: Spec): string {
  const short = "short" in spec && spec.short !== undefined ? `-${spec.short}|` : "";
  return `${short}--${spec.name}`;
}

/** Each option that takes a value, once. */
function valueOptions(): Spec[] {
  const all: Spec[] = [...OPTION_LIST, ...VERB_LIST.flatMap(verbOptions)];
  const seen = new Set<string>();
  return all.filter((spec) => {
    if (spec.value === undefined || seen.has(spec.name)) return false;
    seen.add(spec.name);
    return true;
  });
}

// --- zsh

function zshText(text: string): string {
  return text.replace(/[[\]:\\]/g, "\\$&").replaceAll("'", "'\\''");
}

function zshAction(complete: Completion | undefined): string {
  const words = wordsOf(complete);
  if (words) return words.length === 0 ? " " : `(${words.join(" ")})`;
  return complete === "directory" ? "_files -/" : "_files";
}

function zshSpec(spec: Spec): string {
  const value = spec.value === undefined
    ? ""
    : `:${zshText(spec.name)}:${zshAction(spec.complete)}`;
  const text = `[${zshText(spec.what)}]${value}`;
  const repeat = "repeat" in spec && spec.repeat ? "*" : "";
  const long = `--${spec.name}${spec.value === undefined ? "" : "="}`;
  if (!("short" in spec) || spec.short === undefined) return `'${repeat}${long}${text}'`;
  const short = `-${spec.short}${spec.value === undefined ? "" : "+"}`;
  const exclusive = repeat || `(-${spec.short} --${spec.name})`;
  return `'${exclusive}'{${short},${long}}'${text}'`;
}

function zshArguments(specs: readonly Spec[], words: string): string {
  return `_arguments -s ${specs.map(zshSpec).join(" ")} '${words}'`;
}

function zshOperands(spec: VerbSpec): string {
  const words = operandWords(spec);
  return words === undefined ? "*: :_files" : `*:${spec.operands[0]?.name}:(${words})`;
}

function zshScript(): string {
  const verbs = verbTree();
  const seconds = [...verbs].filter(([, words]) => words.length > 0).map(([first, words]) => {
    const described = words.map((second) => {
      const what = VERB_LIST.find((spec) => spec.name === `${first} ${second}`)?.what ?? "";
      return `'${second}:${zshText(what)}'`;
    });
    return `    ${first})
      if (( CURRENT == 3 )); then
        local -a verbs=(${described.join(" ")})
        _describe verb verbs
        return
      fi
      verb="$verb \${words[3]}" ;;`;
  });
  const firsts = [...verbs.keys()].map((first) => {
    const what = VERB_LIST.find((spec) => spec.name === first)?.what ?? `Verbs of ${first}`;
    return `'${first}:${zshText(what)}'`;
  });
  const options = VERB_LIST.map((spec) =>
    `    '${spec.name}') ${
      zshArguments(
        verbOptions(spec),
        zshOperands(spec),
      )
    } ;;`
  );
  return `#compdef bough
# zsh completions of bough: put this into a directory of $fpath as _bough
_bough() {
  # After help stand the words of a verb.
  if [[ \${words[2]} == help ]] && (( CURRENT > 2 )); then
    words[2]=()
    (( CURRENT-- ))
  fi
  local verb="\${words[2]}"
  if (( CURRENT == 2 )) && [[ $PREFIX != [-@]* ]]; then
    local -a verbs=(${firsts.join(" ")})
    _describe verb verbs
    return
  fi
  case "$verb" in
${seconds.join("\n")}
  esac
  if compset -P '@'; then
    _files
    return
  fi
  case "$verb" in
${options.join("\n")}
    *) ${zshArguments(OPTION_LIST, "*: :_files")} ;;
  esac
}
if [[ $funcstack[1] == _bough ]]; then _bough "$@"; else compdef _bough bough; fi
`;
}

// --- fish

function fishText(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

function fishLine(spec: Spec, condition: string): string {
  const short = "short" in spec && spec.short !== undefined ? ` -s ${spec.short}` : "";
  return `complete -c bough -n ${fishText(condition)}${short} -l ${spec.name}` +
    `${fishValue(spec)} -d ${fishText(spec.what)}`;
}

function fishValue(spec: Spec): string {
  if (spec.value === undefined) return "";
  const words = wordsOf(spec.complete);
  if (words) return words.length === 0 ? " -x" : ` -x -a ${fishText(words.join(" "))}`;
  return spec.complete === "directory" ? " -x -a '(__fish_complete_directories)'" : " -r -F";
}

function fishScript(): string {
  const verbs = verbTree();
  const isVerb = `__fish_seen_subcommand_from ${[...verbs.keys()].join(" ")}`;
  const lines = [
    "# fish completions of bough: put this into ~/.config/fish/completions/bough.fish",
    ...[...verbs.keys()].map((first) => {
      const what = VERB_LIST.find((spec) => spec.name === first)?.what ?? `Verbs of ${first}`;
      return `complete -c bough -n __fish_is_first_token -a ${first} -d ${fishText(what)}`;
    }),
    ...OPTION_LIST.map((spec) => fishLine(spec, `not ${isVerb}`)),
  ];
  for (const spec of VERB_LIST) {
    const [first = "", second] = spec.name.split(" ");
    const inFirst = `__fish_seen_subcommand_from ${first}`;
    if (second !== undefined) {
      const others = verbs.get(first)?.join(" ") ?? "";
      lines.push(
        `complete -c bough -f -n ${
          fishText(`${inFirst}; and not __fish_seen_subcommand_from ${others}`)
        } -a ${second} -d ${fishText(spec.what)}`,
      );
    }
    const condition = second === undefined
      ? inFirst
      : `${inFirst}; and __fish_seen_subcommand_from ${second}`;
    lines.push(...verbOptions(spec).map((option) => fishLine(option, condition)));
    const words = operandWords(spec);
    if (words === undefined) continue;
    // After help stand the words of a verb: of the second one the verb itself tells.
    const isFirst = first === "help" ? "; and test (count (commandline -opc)) -eq 2" : "";
    lines.push(
      `complete -c bough -f -n ${fishText(condition + isFirst)} -a ${fishText(words)}`,
    );
  }
  return `${lines.join("\n")}\n`;
}
