/** The sessions of a directory in the order of their newest messages. */
import type { FileSystem } from "../file_system.ts";
import { candidatePaths } from "../session_files.ts";
import { glanceAt, type SessionGlance, type StoredFile } from "./glance.ts";

/** A session file and what it tells at first sight. */
export interface GlancedFile extends StoredFile {
  glance: SessionGlance;
}

export interface GlanceOptions {
  /** Those of this directory alone. */
  cwd?: string;
  /** What is known of a file already; undefined: look at it. */
  known?: (file: StoredFile) => SessionGlance | "no session" | undefined;
}

/**
 * Session files, newest message first; those without one come last, by the times of the files. What
 * is no session is passed over.
 */
export function glances(
  fs: FileSystem,
  sessionsDir: string,
  { cwd, known }: GlanceOptions,
): GlancedFile[] {
  const found: GlancedFile[] = [];
  for (const file of storedFiles(fs, sessionsDir, cwd)) {
    const glance = known?.(file) ?? glanceAt(fs, file);
    if (!glance || glance === "no session") continue;
    if (cwd === undefined || glance.cwd === cwd) found.push({ ...file, glance });
  }
  return found.sort((a, b) => b.glance.newest - a.glance.newest || b.mtimeMs - a.mtimeMs);
}

/** The files that may be sessions of a directory, or of any. */
export function storedFiles(
  fs: FileSystem,
  sessionsDir: string,
  cwd: string | undefined,
): StoredFile[] {
  const files: StoredFile[] = [];
  for (const path of candidatePaths(fs, sessionsDir, cwd)) {
    const stat = statOf(fs, path);
    if (!stat?.isFile || stat.size === 0) continue;
    files.push({ path, size: stat.size, mtimeMs: stat.mtimeMs, ino: stat.ino });
  }
  return files;
}

/** A file's size and times; undefined if there is none for us. */
export function statOf(fs: FileSystem, path: string): ReturnType<FileSystem["stat"]> {
  try {
    return fs.stat(path);
  } catch {
    // Not allowed to look: no session for us.
    return undefined;
  }
}
