/** The session files below a directory, and finding one of them. */
import * as path from "node:path";
import { fileSource } from "./byte_source.ts";
import type { SessionHeader } from "./entry.ts";
import { SessionError } from "./errors.ts";
import type { FileSystem } from "./file_system.ts";
import { headerOf } from "./catalog/glance.ts";
import { isDirectory, notASession } from "./header.ts";
import { statIfSeen, statNamed } from "./named_file.ts";
import { mayBeNamedFor, SESSION_EXTENSION, sessionDirectory } from "./paths.ts";

/** A file that is a session. */
export interface SessionFile {
  path: string;
  header: SessionHeader;
  /** When the file was changed, in ms. */
  changed: number;
}

/**
 * The sessions of a working directory, or all: those directly in the directory, and those in its
 * directories. What is no session is passed over; a session belongs where its header says.
 */
export function sessionFiles(
  fs: FileSystem,
  sessionsDir: string,
  cwd: string | undefined,
): SessionFile[] {
  return readFiles(fs, candidatePaths(fs, sessionsDir, cwd))
    .filter(({ header }) => cwd === undefined || header.cwd === cwd);
}

function readFiles(fs: FileSystem, paths: readonly string[]): SessionFile[] {
  return paths.map((file) => sessionFile(fs, file)).filter((file) => file !== undefined);
}

/** The files that may be sessions of a working directory, or of any, by their names alone. */
export function candidatePaths(
  fs: FileSystem,
  sessionsDir: string,
  cwd: string | undefined,
): string[] {
  const names = listNames(fs, sessionsDir);
  const directories = cwd === undefined
    ? names.map((name) => path.join(sessionsDir, name))
    : [sessionDirectory(sessionsDir, cwd)];
  const files = namesOfFiles(names).map((name) => path.join(sessionsDir, name));
  for (const directory of directories) {
    if (directory.endsWith(SESSION_EXTENSION) || !statIfSeen(fs, directory)?.isDirectory) continue;
    for (const name of namesOfFiles(listNames(fs, directory))) {
      files.push(directory + path.sep + name);
    }
  }
  return files;
}

function namesOfFiles(names: readonly string[]): string[] {
  return names.filter((name) => name.endsWith(SESSION_EXTENSION)).sort();
}

function listNames(fs: FileSystem, directory: string): string[] {
  try {
    return fs.list(directory);
  } catch {
    // Not allowed, or no directory any more: it has no sessions for us.
    return [];
  }
}

/** A file's header, or undefined if it is no session or cannot be read. */
export function sessionFile(fs: FileSystem, file: string): SessionFile | undefined {
  try {
    const stat = fs.stat(file);
    if (!stat?.isFile || stat.size === 0) return undefined;
    const fd = fs.open(file, "r");
    try {
      const reading = headerOf(fileSource(fs, fd, stat.size));
      return reading && { path: file, header: reading.header, changed: stat.mtimeMs };
    } finally {
      fs.close(fd);
    }
  } catch {
    // A stray file must not keep the others from being listed.
    return undefined;
  }
}

/** What sessions are told apart by. */
export interface SessionQuery<File extends ListedSession> {
  /** Whose sessions go first. */
  cwd: string;
  nameOf(file: File): string | undefined;
}

/** A session and what it is opened by. */
export interface ListedSession {
  path: string;
  header: SessionHeader;
}

/**
 * The path of the session that a path, an id, the start of an id or a name means.
 *
 * @throws SessionError `not_found`, `ambiguous`, `not_a_session`.
 */
export function findSession(
  fs: FileSystem,
  text: string,
  query: SessionQuery<SessionFile> & {
    sessionsDir: string;
    /** Where relative paths begin; `cwd` if absent. */
    pathsFrom?: string;
  },
): string {
  if (!isText(text)) throw sessionNotFound(text);
  const file = path.resolve(query.pathsFrom ?? query.cwd, text);
  if (looksLikePath(text)) return checkedPath(fs, file);
  const paths = candidatePaths(fs, query.sessionsDir, undefined);
  // To read the beginnings of all files takes time. A file that was given the name of another
  // session is found by its own id only if no name fits.
  const likely = paths.filter((one) => mayBeNamedFor(path.basename(one), text));
  const match = matchId(readFiles(fs, likely), text, query.cwd) ??
    matchSession(readFiles(fs, paths), text, query);
  if (match) return match.path;
  if (text !== "" && statIfSeen(fs, file)) return checkedPath(fs, file);
  throw sessionNotFound(text);
}

/**
 * The session that an id, the start of an id or a name means, if there is one.
 *
 * @throws SessionError `ambiguous`.
 */
export function matchSession<File extends ListedSession>(
  all: readonly File[],
  text: string,
  { cwd, nameOf }: SessionQuery<File>,
): File | undefined {
  // What is no text must not match the sessions that have no name.
  if (!isText(text) || text === "") return undefined;
  const byId = matchId(all, text, cwd);
  if (byId) return byId;
  const matches = firstMatches([
    () => all.filter(({ header }) => header.id === text),
    () => all.filter((one) => nameOf(one) === text),
    () => all.filter(({ header }) => header.id.startsWith(text)),
  ]);
  const [match, ...others] = narrowed(matches, cwd);
  if (match && others.length > 0) throw ambiguous(text, [match, ...others]);
  return match;
}

/** The session that an id, or the start of one, means by itself. */
function matchId<File extends ListedSession>(
  all: readonly File[],
  text: string,
  cwd: string,
): File | undefined {
  if (text === "") return undefined;
  const started = all.filter(({ header }) => header.id.startsWith(text));
  const exact = started.filter(({ header }) => header.id === text);
  const [match, ...others] = narrowed(exact.length > 0 ? exact : started, cwd);
  return others.length === 0 ? match : undefined;
}

/** Asked for the sake of programs that no compiler looked at. */
function isText(text: unknown): text is string {
  return typeof text === "string";
}

/** The error for a text that means no session. */
export function sessionNotFound(text: string): SessionError {
  return new SessionError(
    "not_found",
    `Cannot find session ${JSON.stringify(text)}: no path, id, start of an id or name is like ` +
      "this; list the sessions to see what there is",
  );
}

/** Whether a text names a session by its path, not by an id or a name. */
export function looksLikePath(text: string): boolean {
  return /[/\\]/.test(text) || text.endsWith(SESSION_EXTENSION);
}

/** A path that can be opened: a session, or an empty file, which can become one. */
function checkedPath(fs: FileSystem, file: string): string {
  const stat = statNamed(fs, file, "find session");
  if (stat.isFile && (stat.size === 0 || sessionFile(fs, file))) return file;
  if (stat.isDirectory) throw isDirectory(file);
  throw notASession(file);
}

function firstMatches<File>(attempts: readonly (() => File[])[]): File[] {
  for (const attempt of attempts) {
    const found = attempt();
    if (found.length > 0) return found;
  }
  return [];
}

/** The only match of the working directory, if there is one; else all. */
function narrowed<File extends ListedSession>(matches: File[], cwd: string): File[] {
  const here = matches.filter(({ header }) => header.cwd === cwd);
  return here.length === 1 ? here : matches;
}

const SHOWN_MAX = 5;

function ambiguous(text: string, matches: readonly ListedSession[]): SessionError {
  const ids = matches.map(({ header }) => header.id).sort();
  // Sessions of two directories may have one id, which then tells nothing.
  const areDistinct = new Set(ids).size === ids.length;
  const names = areDistinct ? ids : matches.map(({ path }) => path).sort();
  const shown = names.slice(0, SHOWN_MAX).join(", ");
  const more = names.length > SHOWN_MAX ? `, and ${names.length - SHOWN_MAX} more` : "";
  const advice = areDistinct ? "give more of the id, or the path" : "give the path";
  return new SessionError(
    "ambiguous",
    `Cannot tell which session ${JSON.stringify(text)} is: ${shown}${more}; ${advice}`,
  );
}
