/** Brings the words of a file into the index: all of them, or those that were appended. */
import type { ByteSource } from "../byte_source.ts";
import type { FileSystem } from "../file_system.ts";
import { hash32 } from "../hash.ts";
import { isSame, type StoredFile } from "./glance.ts";
import { foldText } from "./query.ts";
import { nameIn, searchedText } from "./searched_text.ts";
import type { SessionIndex, WordsRead } from "./session_index.ts";
import { entriesIn, lookInto, type OpenedFile, sessionLines } from "./session_lines.ts";
import type { WordReader } from "./words.ts";

/** So many bytes before a place tell whether a file was added to, or is another one. */
const MARK_BYTES = 256;

/** Where words go. */
export interface IndexTarget {
  index: SessionIndex;
  reader: WordReader;
}

/**
 * Reads what the index does not have of a file yet. To be run within `index.change`.
 *
 * @returns how many bytes were read.
 */
export function indexWords(
  fs: FileSystem,
  { index, reader }: IndexTarget,
  file: StoredFile,
): number {
  const { size, mtimeMs, ino } = file;
  const known = index.wordsRead(file.path);
  if (isSame(known, file)) return 0;
  const read = lookInto(
    fs,
    file.path,
    (opened) => readOn({ index, reader }, file, opened, known),
  );
  if (read === undefined) {
    if (known) index.removeEntries(known.id);
    index.putWords(file.path, { size, mtimeMs, ino, searched: 0, mark: "" });
  }
  return read ?? 0;
}

function readOn(
  target: IndexTarget,
  { path, size, mtimeMs, ino }: StoredFile,
  opened: OpenedFile,
  known: WordsRead | undefined,
): number {
  const { index } = target;
  const { header, source, start } = opened;
  const before = known && wentOn(opened, known) ? known : undefined;
  const from = before?.searched ?? start;
  const state = { size, mtimeMs, ino, session: header.id };
  const fileId = index.putWords(path, { ...state, searched: from, mark: markAt(source, from) });
  if (!before) index.removeEntries(fileId);
  const { name, end } = addLines(target, fileId, source, from);
  const lastName = name === undefined ? before?.name : name || undefined;
  index.putWords(path, {
    ...state,
    searched: end,
    mark: markAt(source, end),
    ...lastName === undefined ? {} : { name: lastName },
  });
  return source.size - from;
}

/** Whether the file is the one that was read, with more at its end. */
function wentOn({ header, source, isUpgraded, stat }: OpenedFile, known: WordsRead): boolean {
  return !isUpgraded && known.ino === stat.ino && known.session === header.id &&
    known.searched <= source.size && known.mark === markAt(source, known.searched);
}

function markAt(source: ByteSource, end: number): string {
  const bytes = source.read(Math.max(0, end - MARK_BYTES), end);
  return `${end}:${hash32(bytes.toString("latin1"))}`;
}

function addLines(
  { index, reader }: IndexTarget,
  fileId: number,
  source: ByteSource,
  from: number,
): { name?: string; end: number } {
  let end = from;
  const found: { name?: string } = {};
  for (const { bytes, offset, isTerminated } of sessionLines(source, from)) {
    const entries = entriesIn(bytes);
    // Half a line is read again when the other half is there.
    if (!isTerminated && entries.length === 0) break;
    end = offset + bytes.length + (isTerminated ? 1 : 0);
    for (const { entry, offset: within, length } of entries) {
      const time = Date.parse(entry.timestamp) || 0;
      const name = nameIn(entry);
      if (name !== undefined) found.name = name;
      const searched = searchedText(entry);
      if (!searched) continue;
      const { words, fresh } = reader.read(foldText(searched.text));
      index.addWords(fresh);
      index.addEntry(
        { fileId, offset: offset + within, length },
        { role: searched.role, words, time },
      );
    }
  }
  return { ...found, end };
}
