/** What the tools of a session work with. */
import type { IgnoreFactory } from "./ignore.ts";
import type { ProcessGroups } from "./process_group.ts";

/** Where the tools work, and the ports that they use. Only `cwd` must be given. */
export interface ToolOptions {
  /** The session's directory, absolute: what paths are relative to, and where commands run. */
  cwd: string;
  /**
   * The environment of commands, asked for at each call, so that it can name the current session
   * and model; this process's own if absent. `PATH` also says where ripgrep is looked for.
   */
  env?: () => Readonly<Record<string, string | undefined>>;
  /** A shell that takes `-c`; bash if absent, else sh. */
  shell?: string;
  /** Keeps track of running commands, so that whoever ends the program can end them. */
  processes?: ProcessGroups;
  /** Where the whole of a long output goes; the system's directory for such files if absent. */
  temporaryDirectory?: string;
  /**
   * Loads the reader of `.gitignore` rules; the npm package `ignore` fits as it is:
   * `async () => (await import("ignore")).default`. Without it, and where ripgrep is not
   * installed, `grep` and `find` leave out `.git` and `node_modules` alone.
   */
  ignore?: () => Promise<IgnoreFactory>;
}

/** The environment that the options give. */
export function environmentOf(
  options: ToolOptions,
): Readonly<Record<string, string | undefined>> {
  return options.env ? options.env() : process.env;
}
