/**
 * Whether what a project brings along may be used: its settings, extensions, skills and templates can
 * make the program run commands, so the user decides once for each project.
 */
import * as path from "node:path";
import { type FileSystem, nodeFileSystem } from "../../session/mod.ts";
import type { ChangeOptions } from "./guarded_change.ts";
import { contentError, type JsonFileOptions, readJsonFile, updateJsonFile } from "./json_file.ts";
import { realPathOf } from "./text_file.ts";

export interface TrustDecision {
  readonly trusted: boolean;
  /** The directory that was decided on: the one asked for or one above it. */
  readonly directory: string;
}

function trustFile(home: string, fs?: FileSystem): JsonFileOptions {
  const file = path.join(home, "trust.json");
  return { file, what: "trust decisions", code: "bad_trust", ...(fs ? { fs } : {}) };
}

/** One name a directory, whatever links lead to it. */
function realDirectory(directory: string, fs: FileSystem = nodeFileSystem): string {
  return realPathOf(path.resolve(directory), fs);
}

/**
 * The decision that holds for a directory: its own, else that of the nearest directory above it;
 * undefined if there is none. Throws `ConfigError` `bad_trust` if `<home>/trust.json` is wrong.
 */
export function trustDecision(
  { home, directory, fs }: { home: string; directory: string; fs?: FileSystem },
): TrustDecision | undefined {
  const options = trustFile(home, fs);
  const decisions = readJsonFile(options) ?? {};
  for (let at = realDirectory(directory, fs);; at = path.dirname(at)) {
    if (Object.hasOwn(decisions, at)) {
      const trusted = decisions[at];
      if (typeof trusted === "boolean") return { trusted, directory: at };
      throw contentError(options, `"${at}": expected true or false`);
    }
    if (at === path.dirname(at)) return undefined;
  }
}

/** Remembers a decision for a directory and those below it; undefined forgets it. */
export async function setTrust(
  { home, directory, ...options }: { home: string; directory: string } & ChangeOptions,
  trusted: boolean | undefined,
): Promise<void> {
  const real = realDirectory(directory, options.fs);
  await updateJsonFile({ ...options, ...trustFile(home, options.fs) }, (decisions) => {
    const others = Object.entries(decisions).filter(([name]) => name !== real);
    return Object.fromEntries(trusted === undefined ? others : [...others, [real, trusted]]);
  });
}
