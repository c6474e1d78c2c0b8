/** Where the user's own files are. The one place that asks the operating system for a home. */
import * as os from "node:os";
import * as path from "node:path";
import { ConfigError } from "./errors.ts";

/** The environment variables, as a port: nothing else in the configuration reads `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The user's home directory: `HOME` (on Windows `USERPROFILE`), else what the user database says, so
 * that a cron job without an environment finds it too.
 */
export function userHome(env: Environment): string {
  const named = env["HOME"] || (process.platform === "win32" ? env["USERPROFILE"] : undefined);
  if (named) return named;
  try {
    return os.homedir();
  } catch (cause) {
    throw new ConfigError(
      "no_home",
      "Cannot find a home directory: HOME is not set and the user database has no entry for this " +
        "user; set HOME or BOUGH_HOME",
      { cause },
    );
  }
}

/** `~` and a leading `~/` become the user's home; any other path stays as it is. */
export function expandTilde(file: string, env: Environment): string {
  if (file === "~") return userHome(env);
  return /^~[/\\]/.test(file) ? path.join(userHome(env), file.slice(2)) : file;
}

/** Bough's own directory: `BOUGH_HOME` (relative to `cwd`), else `~/.bough`. It need not exist. */
export function boughHome(env: Environment, cwd: string): string {
  const named = env["BOUGH_HOME"];
  if (named) return path.resolve(cwd, expandTilde(named, env));
  return path.resolve(userHome(env), ".bough");
}
