/** Writes the file of a fork or of an imported session. */
import { Buffer } from "node:buffer";
import * as path from "node:path";
import { encodeEntry, encodeHeader } from "./codec.ts";
import { SESSION_VERSION, type SessionEntry, type SessionHeader } from "./entry.ts";
import { SessionError } from "./errors.ts";
import type { ForkPlan } from "./fork.ts";
import type { Session } from "./session.ts";
import type { StorageEnvironment } from "./storage_env.ts";
import { directoriesToSync, syncDirectories } from "./synced_directories.ts";
import { writeWhole } from "./whole_file.ts";
import { reasonOf } from "./thrown.ts";

/** @throws SessionError `newer_version` for a session that this program could only write wrongly. */
export function assertCopyable({ file, id, header }: Session, action: "fork" | "import"): void {
  if (header.version <= SESSION_VERSION) return;
  throw new SessionError(
    "newer_version",
    `Cannot ${action} session ${file ?? id}: its format is version ${header.version}, and this ` +
      `program writes version ${SESSION_VERSION}`,
  );
}

/** Writes a session with all of another's entries. @throws SessionError `write_failed`. */
export function writeImport(
  file: string,
  header: SessionHeader,
  entries: readonly SessionEntry[],
  environment: StorageEnvironment,
): void {
  writeFork(file, header, { chunks: () => encoded(entries) }, environment);
}

function* encoded(entries: readonly SessionEntry[]): Generator<Buffer> {
  for (const entry of entries) yield Buffer.from(encodeEntry(entry));
}

/**
 * Writes it under a name of its own first, so that it is there whole or not at all.
 *
 * @throws SessionError `write_failed`.
 */
export function writeFork(
  file: string,
  header: SessionHeader,
  plan: Pick<ForkPlan, "chunks">,
  { fs, durability }: StorageEnvironment,
): void {
  const directory = path.dirname(file);
  const temporary = `${file}.part`;
  const sync = durability !== "none";
  try {
    const named = sync ? directoriesToSync(fs, directory) : [];
    fs.makeDirectory(directory, 0o700);
    if (fs.stat(file)) throw new Error("there is a file of this name");
    writeWhole(fs, temporary, { chunks: lines(header, plan), mode: 0o600, sync });
    try {
      fs.rename(temporary, file);
    } catch (error) {
      fs.remove(temporary);
      throw error;
    }
    syncDirectories(fs, named);
  } catch (cause) {
    const reason = reasonOf(cause);
    throw new SessionError("write_failed", `Cannot write the new session ${file}: ${reason}`, {
      file,
      cause,
    });
  }
}

function* lines(header: SessionHeader, plan: Pick<ForkPlan, "chunks">): Generator<Buffer> {
  yield Buffer.from(encodeHeader(header));
  yield* plan.chunks({ isPassing: true });
}
