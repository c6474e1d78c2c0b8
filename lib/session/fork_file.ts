/** Writes the file of a fork or of an imported session. */
import { Buffer } from "node:buffer";
import * as path from "node:path";
import { encodeHeader } from "./codec.ts";
import type { SessionHeader } from "./entry.ts";
import { SessionError } from "./errors.ts";
import type { ForkPlan } from "./fork.ts";
import type { StorageEnvironment } from "./storage_env.ts";
import { writeWhole } from "./whole_file.ts";

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
    fs.makeDirectory(directory, 0o700);
    if (fs.stat(file)) throw new Error("there is a file of this name");
    writeWhole(fs, temporary, { chunks: lines(header, plan), mode: 0o600, sync });
    fs.rename(temporary, file);
    if (sync) fs.syncDirectory(directory);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
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
