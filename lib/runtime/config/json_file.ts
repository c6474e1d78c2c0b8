/** Configuration files: JSON objects that people edit and programs change. */
import { type FileSystem, isRecord, type JsonObject, nodeFileSystem } from "../../session/mod.ts";
import { ConfigError, type ConfigErrorCode } from "./errors.ts";
import { findJsonSyntaxError } from "./json_syntax.ts";
import { changeFile, type ChangeOptions } from "./guarded_change.ts";
import { readTextFile } from "./text_file.ts";

/** Which file, and how errors speak of it. */
export interface JsonFileOptions {
  readonly file: string;
  /** What it holds, for messages: "settings", "keys". */
  readonly what: string;
  /** The code of an error about its content. */
  readonly code: ConfigErrorCode;
  readonly fs?: FileSystem;
}

/** An error about what stands in a file: where, what was expected, what to do. */
export function contentError({ file, what, code }: JsonFileOptions, problem: string): ConfigError {
  const message = `Cannot read the ${what} in ${file}: ${problem}; correct or remove the file`;
  return new ConfigError(code, message, { file });
}

function parse(text: string, options: JsonFileOptions): JsonObject {
  if (text.trim() === "") {
    throw contentError(options, "it is empty, and at least {} was expected");
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const problem = findJsonSyntaxError(text);
    if (!problem) throw cause;
    const place = `line ${problem.line}, column ${problem.column}`;
    throw contentError(options, `${place}: ${problem.reason}`);
  }
  if (isRecord(value)) return value;
  throw contentError(options, `expected an object in braces, found ${describeJson(value)}`);
}

/** "a list", "a number": what a JSON value is, for messages. */
export function describeJson(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/**
 * Reads a JSON object; undefined if there is no file. Throws a `ConfigError` of the given code that
 * says where the file is wrong: an unreadable, empty or broken file is never taken for none.
 */
export function readJsonFile(options: JsonFileOptions): JsonObject | undefined {
  const read = readTextFile(options.file, { fs: options.fs ?? nodeFileSystem });
  switch (read.kind) {
    case "absent":
      return undefined;
    case "unreadable":
      throw contentError(options, read.reason);
    case "text":
      if (read.cut) throw contentError(options, "it is too long");
      return parse(read.text, options);
  }
}

/**
 * Changes a JSON file under its lock: what stands there now is read, `change` gives what is to stand
 * there, and the new text takes the old one's place in one step, readable by its owner only. A file
 * that cannot be read or parsed is left as it is, and the error says so.
 */
export async function updateJsonFile(
  options: JsonFileOptions & ChangeOptions,
  change: (value: JsonObject) => JsonObject,
): Promise<void> {
  await changeFile(options, () => {
    const value = change(readJsonFile(options) ?? {});
    return JSON.stringify(value, null, 2) + "\n";
  });
}
