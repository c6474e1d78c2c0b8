/** Paths as models write them. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { errorCode, reasonOf } from "../../session/mod.ts";
import { ToolError } from "../tool.ts";
import { environmentOf, type ToolOptions } from "./tool_options.ts";

/**
 * The absolute path that a model means: relative to the session's directory, `~` for the home
 * directory, and a leading `@`, as people write it to name a file, left out. Throws a ToolError for
 * what can be no path.
 */
export function toolPath(given: string, options: ToolOptions): string {
  if (given.trim() === "") {
    throw new ToolError("Cannot use an empty path: name a file or directory.");
  }
  if (given.includes("\0")) {
    throw new ToolError("Cannot use this path: it contains a NUL character.");
  }
  const plain = path.resolve(options.cwd, given);
  const bare = given.startsWith("@") && !fs.existsSync(plain) ? given.slice(1) : given;
  if (bare === "~" || bare.startsWith("~/")) {
    const env = environmentOf(options);
    return path.join(env["HOME"] ?? os.homedir(), bare.slice(1));
  }
  return path.resolve(options.cwd, bare === "" ? "." : bare);
}

/**
 * The path of something that is there: the one given, or the one thing whose name looks the same
 * (other blanks, quotes, or composition of letters; macOS names its screenshots so). Throws a
 * ToolError that starts with `action` if there is none.
 */
export function existingPath(given: string, action: string, options: ToolOptions): string {
  const wanted = toolPath(given, options);
  if (fs.existsSync(wanted)) return wanted;
  const alike = lookAlike(wanted);
  if (alike !== undefined) return alike;
  throw new ToolError(`Cannot ${action} ${given}: there is no such file or directory.`);
}

/** Goes down from the root, and takes a look-alike where a name is not there as it stands. */
function lookAlike(wanted: string): string | undefined {
  const { root } = path.parse(wanted);
  let current = root;
  for (const name of wanted.slice(root.length).split(path.sep)) {
    const exact = path.join(current, name);
    if (fs.existsSync(exact)) {
      current = exact;
      continue;
    }
    const alike = namesIn(current).filter((each) => nameFolded(each) === nameFolded(name));
    const [only] = alike;
    if (only === undefined || alike.length > 1) return undefined;
    current = path.join(current, only);
  }
  return current;
}

function namesIn(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch (error) {
    // A directory that cannot be listed has no look-alikes to offer.
    if (errorCode(error) !== undefined) return [];
    throw error;
  }
}

function nameFolded(name: string): string {
  return name.normalize("NFC").replace(/[\p{Zs}]/gu, " ").replace(/[‘’ʼ]/g, "'");
}

/** A path as it is shown: relative to the session's directory if it is below that, with `/`. */
export function shownPath(absolute: string, options: ToolOptions): string {
  const relative = path.relative(options.cwd, absolute);
  const isBelow = relative !== "" && !relative.startsWith("..") && !path.isAbsolute(relative);
  const shown = isBelow ? relative : relative === "" ? "." : absolute;
  return path.sep === "/" ? shown : shown.split(path.sep).join("/");
}

/** What a failed file operation means to a model. */
export function fileProblem(action: string, given: string, error: unknown): ToolError {
  const reason = REASONS[errorCode(error) ?? ""] ??
    reasonOf(error);
  return new ToolError(`Cannot ${action} ${given}: ${reason}.`, { cause: error });
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or directory",
  EACCES: "permission is denied",
  EPERM: "the operation is not permitted",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of its path is a file, not a directory",
  ENOSPC: "the disk is full",
  EROFS: "the file system is read-only",
  ENAMETOOLONG: "its name is too long",
  ELOOP: "its links go in a circle",
};
