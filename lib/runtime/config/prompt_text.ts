/** Options whose value is a text or the path of a file with the text. */
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { type FileSystem, nodeFileSystem } from "../../session/mod.ts";
import { ConfigError } from "./errors.ts";
import { fileErrorReason, lookAt, readTextFile } from "./text_file.ts";

/**
 * The text that an option's value means: the content of the file of that name, if there is one, else
 * the value itself. Throws `ConfigError` `bad_prompt` if the file cannot be read.
 */
export function promptText(
  value: string,
  { option, directory, fs = nodeFileSystem }: {
    /** Named in errors. */
    option: string;
    /** Where a relative path starts. */
    directory: string;
    fs?: FileSystem;
  },
): string {
  if (value === "" || value.includes("\n")) return value;
  const file = path.resolve(directory, value);
  const stat = lookAt(file, fs);
  if (!stat || stat.isDirectory) return value;
  const refuse = (reason: string, cause?: unknown) =>
    new ConfigError("bad_prompt", `Cannot read ${file} (${option}): ${reason}`, { file, cause });
  if (!stat.isFile) {
    // A pipe, as in `--system-prompt <(make-prompt)`: it can only be read to its end.
    try {
      return readFileSync(file, "utf8");
    } catch (cause) {
      throw refuse(fileErrorReason(cause), cause);
    }
  }
  const read = readTextFile(file, { fs });
  switch (read.kind) {
    case "text":
      if (read.cut) throw refuse("it is too long");
      return read.text;
    case "absent":
      throw refuse("it is gone");
    case "unreadable":
      throw refuse(read.reason);
  }
}
