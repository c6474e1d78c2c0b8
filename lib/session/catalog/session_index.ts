/** The index of sessions: what was found out about each file, and the words of its entries. */
import * as path from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { FileState, GlancedFile } from "./glance.ts";
import { KNOWN_FILE, type KnownFile, number, type Row, toFile } from "./known_file.ts";
import { SEARCHED_ROLES, type SearchedRole } from "./searched_text.ts";

/** A file as it was when its words were read. */
export interface FileWords extends FileState {
  /** The session's id; undefined: it is none. */
  session?: string;
  /** The session's name by them. */
  name?: string;
}

/** How far the words of a file are in the index. */
export interface WordsRead extends FileWords {
  /** So many bytes of it are. */
  searched: number;
  /** Tells these bytes from others. */
  mark: string;
}

/** Where the bytes of an entry are. */
export interface EntryPlace {
  fileId: number;
  offset: number;
  length: number;
}

/** An entry that the index found. */
export interface FoundEntry extends EntryPlace {
  /** Neither it nor one that is found after it is newer than this, in ms since the epoch. */
  bound: number;
}

/** So many entries share a bound. */
const RUN_LENGTH = 64;
const PAGE = 64;
/** So many rows are asked for one by one. */
const FEW = 500;

/**
 * Invariant: each method that changes something runs within `change`, so that what is known of a
 * file and the words of its entries go together.
 */
export class SessionIndex {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Changes things, all or none. @throws SQLite's error, also if another process is too long at it. */
  change<T>(work: () => T): T {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  #rollBack(): void {
    try {
      this.#database.exec("ROLLBACK");
    } catch {
      // Some errors have ended the transaction themselves; the caller throws the one that did.
    }
  }

  /** What is known of the files that lie in these directories, not deeper, by path. */
  filesIn(directories: readonly string[]): Map<string, KnownFile> {
    const isInOne = directories.map((_, at) =>
      `(substr(path, 1, length(?${at + 1})) = ?${at + 1} AND ` +
      `instr(substr(path, length(?${at + 1}) + 1), '${path.sep}') = 0)`
    );
    const condition = isInOne.join(" OR ");
    return this.#files(`session IS NOT NULL AND (${condition})`, ...directories.map(withSeparator));
  }

  /** What is known of all files below a directory, by path. */
  filesBelow(directory: string): Map<string, KnownFile> {
    const condition = "session IS NOT NULL AND substr(path, 1, length(?1)) = ?1";
    return this.#files(condition, withSeparator(directory));
  }

  /** What is known of one file. */
  file(path: string): KnownFile | undefined {
    return this.#files("session IS NOT NULL AND path = ?", path).get(path);
  }

  #files(condition: string, ...values: string[]): Map<string, KnownFile> {
    const files = new Map<string, KnownFile>();
    const rows = this.#prepare(`SELECT ${KNOWN_FILE} FROM files WHERE ${condition}`)
      .all(...values);
    for (const row of rows) {
      const file = toFile(row);
      files.set(file.path, file);
    }
    return files;
  }

  /** The names that sessions have by their words, by path. */
  names(): Map<string, string> {
    const rows = this.#prepare("SELECT path, name FROM files WHERE name IS NOT NULL").all();
    return new Map(rows.map(({ path, name }) => [String(path), String(name)]));
  }

  /** What was noted of sessions with their looks, by path; of others, too, if they are many. */
  summaries(paths: readonly string[]): Map<string, string> {
    const all = "SELECT path, summary FROM files JOIN summaries ON file = id";
    const one = this.#prepare(`${all} WHERE path = ?`);
    const rows = paths.length > FEW ? this.#prepare(all).all() : paths.map((path) => one.get(path));
    const summaries = new Map<string, string>();
    for (const row of rows) if (row) summaries.set(String(row["path"]), String(row["summary"]));
    return summaries;
  }

  /** How far the words of a file were read; undefined if they were not. */
  wordsRead(path: string): WordsRead & { id: number } | undefined {
    const row = this.#prepare(
      `SELECT id, words_size, words_mtime, words_ino, words_session, name, searched, mark
       FROM files WHERE path = ?`,
    ).get(path);
    const words = row && toWords(row);
    return words &&
      {
        ...words,
        id: number(row["id"]),
        searched: number(row["searched"]),
        mark: `${row["mark"]}`,
      };
  }

  /** Notes what a look at a file told; `summary`: a `SessionSummary` as JSON. */
  putLook({ path, size, mtimeMs, ino, glance }: GlancedFile, summary?: string): void {
    const row = this.#prepare(
      `INSERT INTO files (path, size, mtime, ino, session, cwd, newest) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (path) DO UPDATE SET size = excluded.size, mtime = excluded.mtime,
         ino = excluded.ino, session = excluded.session, cwd = excluded.cwd,
         newest = excluded.newest
       RETURNING id`,
    ).get(path, size, mtimeMs, ino, glance.id, glance.cwd, glance.newest);
    const id = number(row?.["id"]);
    if (summary === undefined) this.#prepare("DELETE FROM summaries WHERE file = ?").run(id);
    else this.#prepare("REPLACE INTO summaries (file, summary) VALUES (?, ?)").run(id, summary);
  }

  /** Notes how far the words of a file are here. @returns the id of the file. */
  putWords(path: string, { size, mtimeMs, ino, session, searched, mark, name }: WordsRead): number {
    this.#prepare(
      `INSERT INTO files
         (path, words_size, words_mtime, words_ino, words_session, searched, mark, name)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (path) DO UPDATE SET words_size = excluded.words_size,
         words_mtime = excluded.words_mtime, words_ino = excluded.words_ino,
         words_session = excluded.words_session, searched = excluded.searched,
         mark = excluded.mark, name = excluded.name`,
    ).run(path, size, mtimeMs, ino, session ?? null, searched, mark, name ?? null);
    return number(this.#prepare("SELECT id FROM files WHERE path = ?").get(path)?.["id"]);
  }

  /** Forgets a file with its entries. */
  removeFile(path: string): void {
    const id = this.#prepare("SELECT id FROM files WHERE path = ?").get(path)?.["id"];
    if (typeof id !== "number") return;
    this.removeEntries(id);
    this.#prepare("DELETE FROM summaries WHERE file = ?").run(id);
    this.#prepare("DELETE FROM files WHERE id = ?").run(id);
  }

  /** Forgets the words of a file. */
  removeEntries(fileId: number): void {
    this.#prepare("DELETE FROM texts WHERE rowid IN (SELECT id FROM entries WHERE file = ?)")
      .run(fileId);
    this.#prepare("DELETE FROM entries WHERE file = ?").run(fileId);
  }

  /** Adds an entry with its words; `time` in ms since the epoch. Older ones should come first. */
  addEntry(
    { fileId, offset, length }: EntryPlace,
    { role, words, time }: { role: SearchedRole; words: string; time: number },
  ): void {
    const id = number(this.#prepare("SELECT max(id) AS id FROM entries").get()?.["id"]) + 1;
    this.#prepare(
      "INSERT INTO entries (id, file, time, role, offset, length) VALUES (?, ?, ?, ?, ?, ?)",
    ).run(id, fileId, time, SEARCHED_ROLES.indexOf(role), offset, length);
    this.#prepare("INSERT INTO texts (rowid, words) VALUES (?, ?)").run(id, words);
    this.#bound(id, time);
  }

  /**
   * Keeps the bounds: no entry of a run, or of one before it, is newer than the run's `newest`.
   * Entries come about in the order of their times, so a search that goes back through the runs
   * knows soon that nothing newer is left.
   */
  #bound(id: number, time: number): void {
    const run = this.#prepare("SELECT first, newest FROM runs ORDER BY first DESC LIMIT 1").get();
    const first = number(run?.["first"]);
    const newest = Math.max(number(run?.["newest"]), time);
    if (!run || id >= first + RUN_LENGTH) {
      this.#prepare("INSERT INTO runs (first, newest) VALUES (?, ?)").run(id, newest);
    } else if (newest > number(run["newest"])) {
      this.#prepare("UPDATE runs SET newest = ? WHERE first = ?").run(newest, first);
    }
  }

  /** Entries whose words fit an FTS5 expression, the last added first; see `FoundEntry.bound`. */
  *find(
    expression: string,
    { role, since = 0 }: { role?: SearchedRole; since?: number },
  ): Generator<FoundEntry> {
    const roles = role === undefined ? -1 : SEARCHED_ROLES.indexOf(role);
    const statement = this.#prepare(
      `SELECT e.id, e.file, e.offset, e.length FROM texts t JOIN entries e ON e.id = t.rowid
       WHERE t.texts MATCH ?1 AND t.rowid < ?2 AND e.time >= ?3 AND (e.role = ?4 OR ?4 < 0)
       ORDER BY t.rowid DESC LIMIT ${PAGE}`,
    );
    const runOf = this.#prepare(
      "SELECT first, newest FROM runs WHERE first <= ? ORDER BY first DESC LIMIT 1",
    );
    let before = Number.MAX_SAFE_INTEGER;
    let run = { first: before, newest: before };
    for (;;) {
      const rows = statement.all(expression, before, since, roles);
      for (const row of rows) {
        before = number(row["id"]);
        if (before < run.first) {
          const found = runOf.get(before);
          run = { first: number(found?.["first"]), newest: number(found?.["newest"]) };
          if (run.newest < since) return;
        }
        yield {
          bound: run.newest,
          fileId: number(row["file"]),
          offset: number(row["offset"]),
          length: number(row["length"]),
        };
      }
      if (rows.length < PAGE) return;
    }
  }

  /** Adds words to those that `wordsLike` looks through. */
  addWords(words: readonly string[]): void {
    const insert = this.#prepare("INSERT OR IGNORE INTO words (word) VALUES (?)");
    for (const word of words) insert.run(word);
  }

  /** Words of the index that contain, or end with, a text; no more than `limit`. */
  wordsLike(how: "contain" | "end", text: string, limit: number): string[] {
    const condition = how === "contain"
      ? "instr(word, ?1) > 0"
      : "instr(word, ?1) > 0 AND substr(word, -length(?1)) = ?1";
    return this.#prepare(`SELECT word FROM words WHERE ${condition} LIMIT ?2`).all(text, limit)
      .map((row) => String(row["word"]));
  }

  close(): void {
    this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

function withSeparator(directory: string): string {
  return directory.endsWith(path.sep) ? directory : directory + path.sep;
}

function toWords(row: Row): FileWords | undefined {
  const { words_size: size, words_session: session, name } = row;
  if (typeof size !== "number") return undefined;
  return {
    size,
    mtimeMs: number(row["words_mtime"]),
    ino: number(row["words_ino"]),
    ...typeof session === "string" ? { session } : {},
    ...typeof name === "string" ? { name } : {},
  };
}
