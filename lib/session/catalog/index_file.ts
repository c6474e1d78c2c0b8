/**
 * The file of the index: a SQLite database that can be thrown away at any time. Whatever goes wrong
 * with it, the sessions are there, and are read instead.
 */
import type { DatabaseSync } from "node:sqlite";
import type { FileSystem } from "../file_system.ts";
import { errorCode } from "../thrown.ts";

/** Changes with the tables; an index of another number is made anew. */
const SCHEMA_VERSION = 7;
const BUSY_TIMEOUT_MS = 5000;
const FILE_MODE = 0o600;

const SCHEMA = `
CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  size INTEGER,
  mtime REAL,
  ino INTEGER,
  session TEXT,
  cwd TEXT,
  newest INTEGER,
  words_size INTEGER,
  words_mtime REAL,
  words_ino INTEGER,
  words_session TEXT,
  searched INTEGER,
  mark TEXT,
  name TEXT
);
CREATE INDEX files_with_names ON files (path) WHERE name IS NOT NULL;
CREATE TABLE summaries (file INTEGER PRIMARY KEY, summary TEXT NOT NULL);
CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  time INTEGER NOT NULL,
  role INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL
);
CREATE INDEX entries_by_file ON entries (file);
CREATE TABLE runs (first INTEGER PRIMARY KEY, newest INTEGER NOT NULL);
CREATE VIRTUAL TABLE texts USING fts5(
  words, tokenize = 'ascii', detail = none, content = '', contentless_delete = 1
);
INSERT INTO texts (texts, rank) VALUES ('hashsize', 33554432);
INSERT INTO texts (texts, rank) VALUES ('automerge', 8);
CREATE TABLE words (word TEXT PRIMARY KEY) WITHOUT ROWID;
PRAGMA user_version = ${SCHEMA_VERSION};
`;

/**
 * Opens the index, makes it if it is not there, and makes it anew if it is broken or of another
 * version. Undefined where there is no SQLite, or no place to write.
 */
export async function openIndexFile(
  fs: FileSystem,
  file: string,
): Promise<DatabaseSync | undefined> {
  const sqlite = await loadSqlite();
  if (!sqlite) return undefined;
  for (const isLastTry of [false, true]) {
    let database: DatabaseSync | undefined;
    try {
      makePrivate(fs, file);
      database = new sqlite.DatabaseSync(file);
      database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA journal_mode = WAL;`);
      database.exec("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768;");
      if (versionOf(database) !== SCHEMA_VERSION) makeAnew(database);
      return database;
    } catch (error) {
      database?.close();
      if (isLastTry || !isBroken(error)) return undefined;
      removeIndex(fs, file);
    }
  }
  return undefined;
}

async function loadSqlite(): Promise<typeof import("node:sqlite") | undefined> {
  try {
    return await import("node:sqlite");
  } catch {
    // An older Node without it.
    return undefined;
  }
}

/** SQLite would make it readable for others; what it makes beside it has the same permissions. */
function makePrivate(fs: FileSystem, file: string): void {
  const stat = fs.stat(file);
  if (stat) {
    if ((stat.mode & 0o077) !== 0) fs.changeMode(file, FILE_MODE);
    return;
  }
  try {
    fs.close(fs.open(file, "ax", FILE_MODE));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

function versionOf(database: DatabaseSync): number {
  const version = database.prepare("PRAGMA user_version").get()?.["user_version"];
  return typeof version === "number" ? version : 0;
}

/** Replaces all tables in one transaction: another process sees the old ones or the new. */
function makeAnew(database: DatabaseSync): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have been first.
    if (versionOf(database) !== SCHEMA_VERSION) {
      for (const table of ["words", "texts", "runs", "entries", "summaries", "files"]) {
        database.exec(`DROP TABLE IF EXISTS ${table}`);
      }
      database.exec(SCHEMA);
    }
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

/** Takes the index away. */
export function removeIndex(fs: FileSystem, file: string): void {
  for (const end of ["", "-wal", "-shm"]) fs.remove(`${file}${end}`);
}

/** What SQLite says of a file that is none of its own, broken, or without our tables. */
const BROKEN = /not a database|malformed|corrupt|no such (?:table|column)/;

/** Whether an error says that the index is broken, and not just busy or out of reach. */
export function isBroken(error: unknown): boolean {
  return isDatabaseError(error) && BROKEN.test(error.message);
}

/** Whether an error came from SQLite. */
export function isDatabaseError(error: unknown): error is Error {
  return error instanceof Error && errorCode(error) === "ERR_SQLITE_ERROR";
}
