/** The index of sessions: what was found out about each file, and the words of its entries. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { SessionGlance } from "./glance.ts";
import type { SearchedRole } from "./searched_text.ts";

/** How a file was when it was looked at. */
export interface FileState {
  size: number;
  mtimeMs: number;
  ino: number;
}

/** What a look at a file told. */
export interface FileLook extends FileState {
  glance: SessionGlance;
  /** A `SessionSummary` as JSON: there are many, and few are wanted. */
  summary?: string;
}

/** How far the words of a file are in the index. */
export interface FileWords extends FileState {
  /** The session's id; undefined: it is none. */
  session?: string;
  /** So many bytes of it are. */
  searched: number;
  /** Tells these bytes from others. */
  mark: string;
  /** The session's name by them. */
  name?: string;
}

/** What is known of a file. */
export interface KnownFile {
  id: number;
  path: string;
  look?: FileLook;
  words?: FileWords;
}

/** Where the bytes of an entry are. */
export interface EntryPlace {
  fileId: number;
  offset: number;
  length: number;
}

/** An entry that the index found. */
export interface FoundEntry extends EntryPlace {
  /** When it was written, in s since the epoch. */
  second: number;
}

/** The order of entries: their second, and a number within it. Both fit in a safe integer. */
const WITHIN_SECOND = 2 ** 21;
const SECONDS_MAX = 2 ** 32 - 1;
const PAGE = 64;

type Row = Record<string, unknown>;

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
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  /** All that is known, by path. */
  files(): Map<string, KnownFile> {
    const rows = this.#prepare("SELECT * FROM files").all();
    return new Map(rows.map((row) => {
      const file = toFile(row);
      return [file.path, file];
    }));
  }

  file(path: string): KnownFile | undefined {
    const row = this.#prepare("SELECT * FROM files WHERE path = ?").get(path);
    return row && toFile(row);
  }

  /** Notes what a look at a file told. */
  putLook(path: string, { size, mtimeMs, ino, glance, summary }: FileLook): void {
    this.#prepare(
      `INSERT INTO files (path, size, mtime, ino, session, cwd, newest, summary)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (path) DO UPDATE SET size = excluded.size, mtime = excluded.mtime,
         ino = excluded.ino, session = excluded.session, cwd = excluded.cwd,
         newest = excluded.newest, summary = excluded.summary`,
    ).run(path, size, mtimeMs, ino, glance.id, glance.cwd, glance.newest, summary ?? null);
  }

  /** Notes how far the words of a file are here. @returns the id of the file. */
  putWords(path: string, { size, mtimeMs, ino, session, searched, mark, name }: FileWords): number {
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
  removeFile({ id }: KnownFile): void {
    this.removeEntries(id);
    this.#prepare("DELETE FROM files WHERE id = ?").run(id);
  }

  /** Forgets the words of a file. */
  removeEntries(fileId: number): void {
    this.#prepare("DELETE FROM texts WHERE rowid IN (SELECT id FROM entries WHERE file = ?)")
      .run(fileId);
    this.#prepare("DELETE FROM entries WHERE file = ?").run(fileId);
  }

  /** Adds an entry. `text` is as `indexedText` makes it; `time` in ms since the epoch. */
  addEntry(
    { fileId, offset, length }: EntryPlace,
    { role, text, time }: { role: SearchedRole; text: string; time: number },
  ): void {
    const first = firstIdOf(time);
    const taken = this.#prepare("SELECT max(id) AS id FROM entries WHERE id >= ? AND id < ?")
      .get(first, first + WITHIN_SECOND)?.["id"];
    const id = typeof taken === "number" ? taken + 1 : first;
    this.#prepare("INSERT INTO entries (id, file, offset, length) VALUES (?, ?, ?, ?)")
      .run(id, fileId, offset, length);
    const columns = { user: null, assistant: null, tool: null, [role]: text };
    this.#prepare("INSERT INTO texts (rowid, user, assistant, tool) VALUES (?, ?, ?, ?)")
      .run(id, columns.user, columns.assistant, columns.tool);
  }

  /** Entries whose words fit an FTS5 expression, newest first (to the second). */
  *find(
    expression: string,
    { role, since }: { role?: SearchedRole; since?: number },
  ): Generator<FoundEntry> {
    const match = role === undefined ? expression : `{${role}} : (${expression})`;
    const from = since === undefined ? 0 : firstIdOf(since);
    const statement = this.#prepare(
      `SELECT e.id, e.file, e.offset, e.length FROM texts t JOIN entries e ON e.id = t.rowid
       WHERE t.texts MATCH ? AND t.rowid >= ? AND t.rowid < ? ORDER BY t.rowid DESC LIMIT ${PAGE}`,
    );
    let before = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const rows = statement.all(match, from, before);
      for (const row of rows) {
        before = number(row["id"]);
        yield {
          second: Math.floor(before / WITHIN_SECOND),
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

function firstIdOf(time: number): number {
  const seconds = Math.floor(time / 1000);
  return Math.min(SECONDS_MAX, Math.max(0, Number.isFinite(seconds) ? seconds : 0)) * WITHIN_SECOND;
}

function number(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function toFile(row: Row): KnownFile {
  const look = toLook(row);
  const words = toWords(row);
  return {
    id: number(row["id"]),
    path: String(row["path"]),
    ...look ? { look } : {},
    ...words ? { words } : {},
  };
}

function toLook(row: Row): FileLook | undefined {
  const { session, cwd, summary } = row;
  if (typeof session !== "string" || typeof cwd !== "string") return undefined;
  return {
    size: number(row["size"]),
    mtimeMs: number(row["mtime"]),
    ino: number(row["ino"]),
    glance: { id: session, cwd, newest: number(row["newest"]) },
    ...typeof summary === "string" ? { summary } : {},
  };
}

function toWords(row: Row): FileWords | undefined {
  const { mark, name, words_session: session } = row;
  if (typeof mark !== "string") return undefined;
  return {
    size: number(row["words_size"]),
    mtimeMs: number(row["words_mtime"]),
    ino: number(row["words_ino"]),
    searched: number(row["searched"]),
    mark,
    ...typeof session === "string" ? { session } : {},
    ...typeof name === "string" ? { name } : {},
  };
}
