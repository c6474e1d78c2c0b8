/**
 * The options, once: the parser, `--help`, the man page and the completions are made from this
 * table. Data only, so that importing it costs nothing.
 */
import type { ThinkingLevel } from "../../session/mod.ts";
import type { Mode } from "./run_options.ts";

/** The headings of the help, in their order. */
export const OPTION_GROUPS = [
  "Output",
  "Session",
  "Model",
  "Tools",
  "Prompts",
  "Input",
  "Limits",
  "Settings",
  "Other",
] as const;

export type OptionGroup = typeof OPTION_GROUPS[number];

/** What a shell can complete a value with. */
export type Completion =
  | "file"
  | "directory"
  | "session"
  | "model"
  | "provider"
  | "verb"
  | readonly string[];

export interface OptionSpec {
  /** Without its dashes. */
  readonly name: string;
  readonly short?: string;
  /** What stands for the value in the help; absent for a flag. */
  readonly value?: string;
  /** May be given more than once. */
  readonly repeat?: true;
  /** The modes that it means something in; absent: all of them. */
  readonly modes?: readonly Mode[];
  /** It means something with verbs, too: all, those that use sessions, or those that ask a model. */
  readonly verbs?: "all" | "place" | "session" | "model";
  readonly group: OptionGroup;
  readonly what: string;
  readonly complete?: Completion;
}

const PRINT = ["print"] as const;

const THINKING = [
  "off",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
] as const satisfies readonly ThinkingLevel[];

/** The options of a run. */
export const OPTIONS = [
  {
    name: "print",
    short: "p",
    modes: PRINT,
    group: "Output",
    what: "Answer on stdout and end, also on a terminal",
  },
  {
    name: "output",
    value: "<text|json|events>",
    modes: PRINT,
    group: "Output",
    what: "The answer alone (text), one result object (json), or every event as a line of JSON",
    complete: ["text", "json", "events"],
  },
  {
    name: "mode",
    value: "<text|json|rpc>",
    modes: ["print", "rpc"],
    group: "Output",
    what: "As in Pi: json is --output events; rpc takes JSONL commands on stdin",
    complete: ["text", "json", "rpc"],
  },
  {
    name: "stream",
    modes: PRINT,
    group: "Output",
    what: "Write the text as it comes, also where stdout is no terminal",
  },
  {
    name: "result-file",
    value: "<path>",
    modes: PRINT,
    group: "Output",
    what: "Write the result object to this file as well, whatever the output",
    complete: "file",
  },
  {
    name: "schema",
    value: "<path>",
    modes: PRINT,
    group: "Output",
    what: "Ask for a final answer that fits the JSON Schema in this file",
    complete: "file",
  },
  {
    name: "quiet",
    modes: ["print", "rpc"],
    verbs: "all",
    group: "Output",
    what: "Only errors on stderr",
  },
  {
    name: "plain",
    group: "Output",
    what: "No colour and no cursor movement; NO_COLOR and TERM=dumb do the same",
  },

  {
    name: "continue",
    short: "c",
    group: "Session",
    what: "Go on with the newest session of this directory",
  },
  {
    name: "resume",
    short: "r",
    modes: ["repl"],
    group: "Session",
    what: "Pick a session from a list",
  },
  {
    name: "session",
    value: "<session>",
    group: "Session",
    what: "Go on with this session: a path, an id, a unique prefix of one, or a name",
    complete: "session",
  },
  {
    name: "session-id",
    value: "<key>",
    group: "Session",
    what: "Go on with the session of exactly this id in this directory, or start it",
  },
  {
    name: "fork",
    value: "<session>",
    group: "Session",
    what: "Start a new session with another one's branch",
    complete: "session",
  },
  {
    name: "at",
    value: "<entry>",
    group: "Session",
    what: "With --fork: only up to this entry",
  },
  { name: "no-session", group: "Session", what: "Keep nothing on disk" },
  {
    name: "strict",
    group: "Session",
    what: "With --continue or --session-id: fail when there is nothing to go on with",
  },
  {
    name: "cwd",
    value: "<dir>",
    verbs: "place",
    group: "Session",
    what: "Work in this directory instead of the session's own",
    complete: "directory",
  },
  {
    name: "session-dir",
    value: "<dir>",
    verbs: "place",
    group: "Session",
    what: "Keep the session files in this directory",
    complete: "directory",
  },
  {
    name: "name",
    value: "<text>",
    group: "Session",
    what: "Name the session",
  },
  {
    name: "busy",
    value: "<fail|wait[:30s]|fork>",
    verbs: "session",
    group: "Session",
    what: "When another process writes the session: fail (default), wait (30s), or fork it",
    complete: ["fail", "wait", "fork"],
  },

  {
    name: "model",
    value: "<model[:thinking]>",
    verbs: "model",
    group: "Model",
    what: "provider/id, an id, or a unique part of one; replay:FILE answers from a session",
    complete: "model",
  },
  {
    name: "provider",
    value: "<name>",
    verbs: "model",
    group: "Model",
    what: "Look for the model at this provider",
  },
  {
    name: "thinking",
    value: "<level>",
    verbs: "model",
    group: "Model",
    what: "off, minimal, low, medium, high, xhigh or max",
    complete: THINKING,
  },
  {
    name: "base-url",
    value: "<url>",
    verbs: "model",
    group: "Model",
    what: "Send requests there instead of the provider's own address",
  },
  {
    name: "api-key",
    value: "<key>",
    verbs: "model",
    group: "Model",
    what: "Use this key; it is never stored (other users may see it in the process list)",
  },
  {
    name: "fallback-model",
    value: "<model>",
    repeat: true,
    verbs: "model",
    group: "Model",
    what: "Ask this model when the first keeps failing (repeatable, in order)",
    complete: "model",
  },

  {
    name: "tools",
    value: "<a,b>",
    group: "Tools",
    what: "Only these tools",
  },
  {
    name: "exclude-tools",
    value: "<a,b>",
    group: "Tools",
    what: "All tools but these",
  },
  { name: "no-tools", group: "Tools", what: "No tools" },
  {
    name: "read-only",
    group: "Tools",
    what: "Only tools that change nothing: read, grep, find, ls",
  },

  {
    name: "system-prompt",
    value: "<text|file>",
    group: "Prompts",
    what: "Use this instead of the built-in system prompt",
    complete: "file",
  },
  {
    name: "append-system-prompt",
    value: "<text|file>",
    repeat: true,
    group: "Prompts",
    what: "Add this to the system prompt (repeatable)",
    complete: "file",
  },

  {
    name: "stdin",
    modes: PRINT,
    group: "Input",
    what: "Wait for stdin to its end, however long that takes",
  },
  { name: "no-stdin", modes: PRINT, group: "Input", what: "Do not read stdin" },
  {
    name: "stdin-max",
    value: "<size>",
    modes: PRINT,
    group: "Input",
    what: "Refuse more than this on stdin: 10MB (default), 500KB, ...",
  },

  {
    name: "timeout",
    value: "<time>",
    modes: PRINT,
    group: "Limits",
    what: "Stop after this long: 90s, 5m, 1h30m",
  },
  {
    name: "max-turns",
    value: "<n>",
    modes: PRINT,
    group: "Limits",
    what: "Stop after this many answers of the model",
  },
  {
    name: "max-cost",
    value: "<usd>",
    modes: PRINT,
    group: "Limits",
    what: "Stop when this many US dollars are spent",
  },

  {
    name: "bare",
    verbs: "model",
    group: "Settings",
    what: "Ignore settings, context files, skills, templates and extensions",
  },
  {
    name: "trust",
    verbs: "model",
    group: "Settings",
    what: "Use this project's own settings, extensions, skills and templates",
  },
  {
    name: "extension",
    short: "e",
    value: "<path>",
    repeat: true,
    verbs: "model",
    group: "Settings",
    what: "Load this extension, too (repeatable)",
    complete: "file",
  },

  { name: "help", short: "h", verbs: "all", group: "Other", what: "Show this help" },
  {
    name: "version",
    short: "v",
    verbs: "all",
    group: "Other",
    what: "Show the version",
  },
] as const satisfies readonly OptionSpec[];
