/** What the index tells of a session file. */
import type { GlancedFile } from "./glance.ts";

/** What is known of a session file. */
export interface KnownFile extends GlancedFile {
  fileId: number;
  /** Whether the words of all of it are here. */
  hasWords: boolean;
}

/** A row of the database. */
export type Row = Record<string, unknown>;

/** Columns of the table of files, for `toFile`. */
export const KNOWN_FILE = "id, path, size, mtime, ino, session, cwd, newest, " +
  "(words_size IS size AND words_mtime IS mtime AND words_ino IS ino) AS has_words";

/** A row with the columns of `KNOWN_FILE`. */
export function toFile(row: Row): KnownFile {
  return {
    fileId: number(row["id"]),
    path: String(row["path"]),
    size: number(row["size"]),
    mtimeMs: number(row["mtime"]),
    ino: number(row["ino"]),
    glance: {
      id: String(row["session"]),
      cwd: String(row["cwd"]),
      newest: number(row["newest"]),
    },
    hasWords: row["has_words"] === 1,
  };
}

/** A number of a row; 0 where there is none. */
export function number(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
