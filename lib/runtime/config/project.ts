/** Where a project begins, and what it brings along. */
import * as path from "node:path";
import { type FileSystem, nodeFileSystem } from "../../session/mod.ts";
import { lookAt, realPathOf } from "./text_file.ts";

const MARKS = [".bough", ".agents"];

/**
 * The directory whose `.bough` and `.agents` folders count in `cwd`: the nearest one upwards that has
 * one of them, within the repository that `cwd` is in; else `cwd` itself. Undefined where that
 * directory's `.bough` is the user's own.
 */
export function projectDirectory(
  { cwd, home, fs = nodeFileSystem }: { cwd: string; home: string; fs?: FileSystem },
): string | undefined {
  const isHome = (directory: string) =>
    realPathOf(path.join(directory, ".bough"), fs) === realPathOf(home, fs);
  const isMarked = (directory: string) =>
    MARKS.some((mark) => lookAt(path.join(directory, mark), fs)) && !isHome(directory);
  const start = path.resolve(cwd);
  const nearest = repositoryDirectories(start, fs).find(isMarked) ?? start;
  return isHome(nearest) ? undefined : nearest;
}

/** The directory and those above it up to its repository's; outside of one, what lies above may be anybody's. */
function repositoryDirectories(start: string, fs: FileSystem): string[] {
  const directories: string[] = [];
  for (let at = start;; at = path.dirname(at)) {
    directories.push(at);
    if (lookAt(path.join(at, ".git"), fs)) return directories;
    if (at === path.dirname(at)) return [start];
  }
}

/** What of a project needs trust: the places, and which of them are there. */
export interface ProjectPlaces {
  readonly settings: string;
  readonly extensions: string;
  readonly skills: readonly string[];
  readonly prompts: string;
}

export function projectPlaces(directory: string): ProjectPlaces {
  const own = path.join(directory, ".bough");
  return {
    settings: path.join(own, "settings.json"),
    extensions: path.join(own, "extensions"),
    skills: [path.join(own, "skills"), path.join(directory, ".agents", "skills")],
    prompts: path.join(own, "prompts"),
  };
}
