/** Instructions that people keep beside their work: `AGENTS.md`, else `CLAUDE.md`. */
import * as path from "node:path";
import { type FileSystem, nodeFileSystem } from "../../session/mod.ts";
import type { ConfigWarning } from "./errors.ts";
import { lookAt, readTextFile, realPathOf } from "./text_file.ts";

export interface ContextFile {
  readonly file: string;
  readonly text: string;
}

const NAMES = ["AGENTS.md", "CLAUDE.md"];

/** About 16,000 tokens, which go into each request. */
const BYTES_MAX = 64 * 1024;

/** The directory and those above it, the root first. */
function directoriesFromRoot(directory: string): string[] {
  const above = path.dirname(directory);
  return above === directory ? [directory] : [...directoriesFromRoot(above), directory];
}

function readOne(
  directory: string,
  fs: FileSystem,
  warnings: ConfigWarning[],
): ContextFile | undefined {
  for (const name of NAMES) {
    const file = path.join(directory, name);
    if (!lookAt(file, fs)) continue;
    const read = readTextFile(file, { fs, bytesMax: BYTES_MAX });
    if (read.kind === "absent") continue;
    if (read.kind === "unreadable") {
      warnings.push({ file, message: `Cannot read ${file}: ${read.reason}; it is left out` });
      continue;
    }
    if (read.cut) {
      const message = `${file} is longer than ${BYTES_MAX / 1024} KB; only its beginning is used`;
      warnings.push({ file, message });
    }
    return { file, text: read.text };
  }
  return undefined;
}

/**
 * The context files that count in `cwd`: that of `home`, then one a directory from the root down, so
 * that the nearest has the last word. What cannot be read is left out with a warning.
 */
export function loadContextFiles(
  { home, cwd, fs = nodeFileSystem }: { home: string; cwd: string; fs?: FileSystem },
): { contextFiles: ContextFile[]; warnings: ConfigWarning[] } {
  const warnings: ConfigWarning[] = [];
  const contextFiles = new Map<string, ContextFile>();
  for (const directory of [home, ...directoriesFromRoot(path.resolve(cwd))]) {
    const found = readOne(directory, fs, warnings);
    if (!found) continue;
    // One file by two paths is said once.
    const real = realPathOf(found.file, fs);
    if (!contextFiles.has(real)) contextFiles.set(real, found);
  }
  return { contextFiles: [...contextFiles.values()].filter(({ text }) => text.trim()), warnings };
}
