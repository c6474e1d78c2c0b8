/** The verbs, once: for the parser, the help, the man page and the completions. Data only. */
import type { Completion } from "./options.ts";

/** What a verb works on. A session is a path, id, unique prefix or name; see `docs/cli.md`. */
export interface Operand {
  readonly name: string;
  readonly optional?: true;
  /** Takes all that is left, one at least unless it is optional. */
  readonly rest?: true;
  readonly complete?: Completion;
}

/** An option of verbs. */
export interface VerbOptionSpec {
  readonly name: string;
  readonly value?: string;
  readonly what: string;
  readonly complete?: Completion;
}

/** The options that verbs have besides those of a run. */
export const VERB_OPTIONS = [
  { name: "json", what: "Print JSON" },
  { name: "all", what: "Those of all directories" },
  { name: "limit", value: "<n>", what: "At most this many" },
  { name: "since", value: "<time>", what: "Active within this time: 7d, 12h" },
  { name: "entry", value: "<entry>", what: "Up to this entry instead of the leaf" },
  { name: "full", what: "Nothing shortened" },
  { name: "context", what: "What the model would get" },
  { name: "summarize", what: "Have the model summarize the branch that is left" },
  { name: "at", value: "<entry>", what: "Only up to this entry" },
  { name: "md", what: "Markdown (default, unless the file's name says otherwise)" },
  { name: "jsonl", what: "The branch as a session file; with --full, all branches" },
  {
    name: "role",
    value: "<user|assistant|tool>",
    what: "Only in prompts, answers or tool output",
    complete: ["user", "assistant", "tool"],
  },
  {
    name: "by",
    value: "<day|model|cwd>",
    what: "What to add up by",
    complete: ["day", "model", "cwd"],
  },
  { name: "older-than", value: "<time>", what: "Not active for this long: 90d" },
  { name: "yes", what: "Do it, instead of only showing it" },
  { name: "online", what: "Ask the provider, too" },
] as const satisfies readonly VerbOptionSpec[];

export type VerbOptionName = typeof VERB_OPTIONS[number]["name"];

export interface VerbSpec {
  /** The words that name it. */
  readonly name: string;
  readonly operands: readonly Operand[];
  readonly options: readonly VerbOptionName[];
  /** It may ask a model, so it takes the options that choose one. */
  readonly model?: true;
  readonly what: string;
}

const SESSION = { name: "session", complete: "session" } as const;
const ENTRY = { name: "entry" } as const;
const PROVIDER = { name: "provider", complete: "provider" } as const;

/** Everything but a run. */
export const VERBS = [
  {
    name: "session list",
    operands: [],
    options: ["json", "all", "limit", "since"],
    what: "List this directory's sessions, newest activity first",
  },
  {
    name: "session search",
    operands: [{ name: "words", rest: true }],
    options: ["json", "all", "limit", "role", "since"],
    what: "Search prompts, answers and tool output; a phrase stands in double quotes",
  },
  {
    name: "session show",
    operands: [SESSION],
    options: ["json", "entry", "full", "context"],
    what: "Show the active branch",
  },
  {
    name: "session tree",
    operands: [SESSION],
    options: ["json", "full"],
    what: "Draw the whole tree",
  },
  {
    name: "session move",
    operands: [SESSION, ENTRY],
    options: ["json", "summarize"],
    model: true,
    what: "Move the leaf, and keep it moved",
  },
  {
    name: "session fork",
    operands: [SESSION],
    options: ["json", "at"],
    what: "Make a new session of a branch; print its id",
  },
  {
    name: "session clone",
    operands: [SESSION],
    options: ["json"],
    what: "Make a new session of the active branch; print its id",
  },
  {
    name: "session label",
    operands: [SESSION, ENTRY, { name: "text", optional: true, rest: true }],
    options: ["json"],
    what: "Set or clear an entry's label",
  },
  {
    name: "session name",
    operands: [SESSION, { name: "text", optional: true, rest: true }],
    options: ["json"],
    what: "Set or clear the name",
  },
  {
    name: "session diff",
    operands: [SESSION, { name: "entry" }, { name: "entry" }],
    options: ["json", "full"],
    what: "Show two branches from their common ancestor on",
  },
  {
    name: "session compact",
    operands: [SESSION, { name: "instructions", optional: true, rest: true }],
    options: ["json"],
    model: true,
    what: "Compact now",
  },
  {
    name: "session drop",
    operands: [SESSION, ENTRY],
    options: ["json"],
    what: "Take an entry out of the context",
  },
  {
    name: "session export",
    operands: [SESSION, { name: "file", optional: true, complete: "file" }],
    options: ["md", "jsonl", "json", "full"],
    what: "Write the session as text or data, to a file or stdout",
  },
  {
    name: "session import",
    operands: [{ name: "file", rest: true, complete: "file" }],
    options: ["json"],
    what: "Copy session files, of Bough or Pi, in among the sessions; print their ids",
  },
  {
    name: "session verify",
    operands: [{ ...SESSION, optional: true }],
    options: ["json", "all"],
    what: "Look for damage",
  },
  {
    name: "session repair",
    operands: [SESSION],
    options: ["json"],
    what: "Repair into a new file; the old one is kept",
  },
  {
    name: "session stats",
    operands: [{ ...SESSION, optional: true }],
    options: ["json", "all", "by", "since"],
    what: "Add up tokens and cost",
  },
  { name: "session rm", operands: [SESSION], options: ["json"], what: "Delete a session" },
  {
    name: "session prune",
    operands: [],
    options: ["json", "all", "older-than", "yes"],
    what: "Show (with --yes: delete) sessions that were not used for long",
  },
  { name: "session path", operands: [SESSION], options: ["json"], what: "Print its file" },
  {
    name: "models",
    operands: [{ name: "search", optional: true, rest: true }],
    options: ["json"],
    what: "List the models that can be chosen",
  },
  {
    name: "doctor",
    operands: [],
    options: ["json", "online"],
    model: true,
    what: "Say whether a run can work here, and what is missing",
  },
  {
    name: "auth set",
    operands: [PROVIDER],
    options: [],
    what: "Store a key, read from stdin or a hidden prompt",
  },
  { name: "auth remove", operands: [PROVIDER], options: [], what: "Forget a key" },
  {
    name: "auth check",
    operands: [PROVIDER],
    options: ["json", "online"],
    what: "Say whether there is a key",
  },
  {
    name: "completions",
    operands: [{ name: "shell", complete: ["bash", "zsh", "fish"] }],
    options: [],
    what: "Print the completions of bash, zsh or fish",
  },
  {
    name: "help",
    operands: [{ name: "verb", optional: true, rest: true, complete: "verb" }],
    options: [],
    what: "Show this help, or that of a verb",
  },
  { name: "version", operands: [], options: [], what: "Show the version" },
] as const satisfies readonly VerbSpec[];

/** The words that name a verb. */
export type VerbName = typeof VERBS[number]["name"];
