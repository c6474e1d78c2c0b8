/** The sessions of a directory in the order of their newest messages. */
import type { FileSystem } from "../file_system.ts";
import { statIfSeen } from "../named_file.ts";
import { candidatePaths } from "../session_files.ts";
import { glanceAt, type GlancedFile, isSame } from "./glance.ts";

/** Session files, newest message first; those without one come last, by the times of the files. */
export function glances(
  fs: FileSystem,
  sessionsDir: string,
  { cwd }: { cwd?: string } = {},
): GlancedFile[] {
  return glanceFiles(fs, sessionsDir, cwd, new Map()).fresh.sort(byActivity);
}

/** Puts the newest message first; files without one come last, by their own times. */
export function byActivity(a: GlancedFile, b: GlancedFile): number {
  return b.glance.newest - a.glance.newest || b.mtimeMs - a.mtimeMs;
}

/** The sessions of a directory, compared with what is known of them. */
export interface GlancedFiles<Known extends GlancedFile> {
  /** Those that are as they were. */
  same: Known[];
  /** Those that are new, or have changed. */
  fresh: GlancedFile[];
  /** What is known of files that are not there any more. */
  gone: Known[];
}

/**
 * Looks at the sessions of a directory, or at all; what is no session is passed over.
 *
 * @param known By path, of the files that may be sessions of the directory.
 */
export function glanceFiles<Known extends GlancedFile>(
  fs: FileSystem,
  sessionsDir: string,
  cwd: string | undefined,
  known: ReadonlyMap<string, Known>,
): GlancedFiles<Known> {
  const same: Known[] = [];
  const fresh: GlancedFile[] = [];
  const paths = candidatePaths(fs, sessionsDir, cwd);
  let seen = 0;
  for (const path of paths) {
    const before = known.get(path);
    if (before) seen++;
    const stat = statIfSeen(fs, path);
    if (!stat?.isFile || stat.size === 0) continue;
    if (before && isSame(before, stat)) {
      if (cwd === undefined || before.glance.cwd === cwd) same.push(before);
      continue;
    }
    const file = { path, size: stat.size, mtimeMs: stat.mtimeMs, ino: stat.ino };
    const glance = glanceAt(fs, file);
    if (glance && (cwd === undefined || glance.cwd === cwd)) fresh.push({ ...file, glance });
  }
  return { same, fresh, gone: seen === known.size ? [] : missing(fs, known, paths) };
}

function missing<Known extends GlancedFile>(
  fs: FileSystem,
  known: ReadonlyMap<string, Known>,
  paths: readonly string[],
): Known[] {
  const listed = new Set(paths);
  return [...known.values()].filter(({ path }) => !listed.has(path) && !statIfSeen(fs, path));
}
