/**
 * Puts a new file in the place of an old one, which stays beside it. At every moment, also when the
 * process is killed or the power fails, the path leads to one whole file. The caller holds the lock.
 */
import type { Buffer } from "node:buffer";
import * as path from "node:path";
import type { ByteSource } from "./byte_source.ts";
import type { FileSystem } from "./file_system.ts";
import { writeWhole } from "./whole_file.ts";
import { errorCode } from "./thrown.ts";

/** What takes an old file's place. */
export interface Replacement {
  /** A real path: a rename would take a link's place. */
  file: string;
  /** The new file's bytes. */
  chunks: Iterable<Buffer>;
  mode: number;
  /** The old file's bytes, to copy where there are no hard links. */
  old: ByteSource;
  /** Where the old file is kept, without its ".bak"; a number is added if that is taken. */
  backup: string;
}

/** What file systems say that have no hard links. */
const NO_HARD_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);
const CHUNK_SIZE = 1024 * 1024;

/**
 * Writes the new file, and renames it over the old one once it is on the disk.
 *
 * @returns where the old file is kept.
 * @throws the file system's error; what stands under the path is whole all the same.
 */
export function replaceFile(fs: FileSystem, replacement: Replacement): string {
  const { file, chunks, mode } = replacement;
  const directory = path.dirname(file);
  const fresh = `${file}.new`;
  // Left by a process that was killed here; under the lock nobody else makes it.
  fs.remove(fresh);
  writeWhole(fs, fresh, { chunks, mode, sync: true });
  try {
    const kept = keepOld(fs, replacement);
    fs.syncDirectory(directory);
    fs.rename(fresh, file);
    fs.syncDirectory(directory);
    return kept;
  } catch (error) {
    fs.remove(fresh);
    throw error;
  }
}

/** Gives the old file a second name, or makes a copy where there are no hard links. */
function keepOld(fs: FileSystem, { file, mode, old, backup }: Replacement): string {
  const stat = fs.stat(file);
  for (let number = 1;; number++) {
    const kept = number === 1 ? `${backup}.bak` : `${backup}.${number}.bak`;
    const there = fs.stat(kept);
    // A process that was killed, or failed, got this far.
    if (there && there.ino === stat?.ino && there.dev === stat.dev) return kept;
    if (there) continue;
    try {
      fs.link(file, kept);
    } catch (error) {
      if (!NO_HARD_LINKS.has(errorCode(error) ?? "")) throw error;
      writeWhole(fs, kept, { chunks: chunksOf(old), mode, sync: true });
    }
    return kept;
  }
}

function* chunksOf(source: ByteSource): Generator<Buffer> {
  for (let at = 0; at < source.size; at += CHUNK_SIZE) yield source.read(at, at + CHUNK_SIZE);
}
