/** What a command line asks for, as plain data (`docs/cli.md`, "Invocation"). */
import type { ThinkingLevel } from "../../session/mod.ts";

/** How a run shows itself. */
export type Mode = "print" | "rpc" | "repl";

/** What print mode writes to stdout. */
export type Output = "text" | "json" | "events";

/** Which session a run goes on with; exactly one. */
export type SessionChoice =
  /** A new session. */
  | { readonly kind: "new" }
  /** Nothing on disk. */
  | { readonly kind: "none" }
  /** The newest of this directory; a new one if there is none, unless `strict`. */
  | { readonly kind: "continue" }
  /** Picked from a list; REPL only. */
  | { readonly kind: "resume" }
  /** A path, an id, a unique prefix of one, or a name. */
  | { readonly kind: "open"; readonly session: string }
  /** The session with exactly this id here; made if there is none, unless `strict`. */
  | { readonly kind: "key"; readonly id: string }
  /** A new session with the path to `at` (the leaf if absent) of another. */
  | { readonly kind: "fork"; readonly session: string; readonly at?: string };

/** What to do when another process is writing the session. */
export type BusyChoice =
  | { readonly kind: "fail" }
  | { readonly kind: "wait"; readonly ms?: number }
  | { readonly kind: "fork" };

/** Whether to read stdin: by the rules of what it is, to its end, or not at all. */
export type StdinChoice = "auto" | "read" | "skip";

/** Where a run has to stop. Each is absent where there is no limit. */
export interface Limits {
  readonly timeoutMs?: number;
  readonly maxTurns?: number;
  readonly maxCostUsd?: number;
}

/**
 * One run's options, checked for form and for fitting together; nothing has been looked up yet, so
 * paths, models and sessions stand as they were written.
 */
export interface RunOptions {
  readonly mode: Mode;
  readonly output: Output;
  /** Run one after the other in the same session. */
  readonly prompts: readonly string[];
  /** `@path` arguments, without the `@`; they go in front of the first prompt. */
  readonly files: readonly string[];
  readonly stdin: StdinChoice;
  readonly stdinMaxBytes: number;

  readonly session: SessionChoice;
  /** `--continue` and `--session-id` fail when there is nothing to open. */
  readonly strict: boolean;
  readonly busy: BusyChoice;
  /** Stands in for the session's own directory, or for the process's with a new one. */
  readonly cwd?: string;
  /** The folder that session files stand in. */
  readonly sessionDir?: string;
  /** The session is given this name. */
  readonly name?: string;

  /** `provider/id`, an id, or a unique part of one; may end in `:<thinking level>`. */
  readonly model?: string;
  readonly provider?: string;
  readonly thinking?: ThinkingLevel;
  readonly baseUrl?: string;
  /** Never stored, never printed. */
  readonly apiKey?: string;
  /** In the order in which they are tried; written like `model`. */
  readonly fallbackModels: readonly string[];

  /** Only these tools; absent: the default ones. Empty: none (`--no-tools`). */
  readonly tools?: readonly string[];
  readonly excludeTools: readonly string[];
  readonly readOnly: boolean;

  /** Text, or the path of an existing file. */
  readonly systemPrompt?: string;
  /** Each is text, or the path of an existing file. */
  readonly appendSystemPrompts: readonly string[];

  readonly limits: Limits;
  /** A file with a JSON Schema that the final answer has to fit. */
  readonly schema?: string;
  readonly resultFile?: string;

  /** No user or project settings, context files, skills, templates and extensions. */
  readonly bare: boolean;
  /** The project's own settings and extensions may be used in this run. */
  readonly trust: boolean;
  /** Files of extensions to load besides those that are found. */
  readonly extensions: readonly string[];

  /** Only errors on stderr. */
  readonly quiet: boolean;
  /** Text output is written as it comes, also where stdout is no terminal. */
  readonly stream: boolean;
  /** No colour and no cursor movement, whatever the terminal can do. */
  readonly plain: boolean;
}
