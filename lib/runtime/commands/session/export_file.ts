/** A session as a file of its own: in which formats, and never over another file. */
import { Buffer } from "node:buffer";
import * as path from "node:path";
import { exportLines, nodeFileSystem, type Session, writeWhole } from "../../../session/mod.ts";
import { fileErrorReason } from "../../config/text_file.ts";
import { UsageError } from "../../modes/exit_codes.ts";
import { describeSession } from "./description.ts";
import { markdownOf } from "./markdown.ts";

export type ExportFormat = "md" | "json" | "jsonl";

export const EXPORT_FORMATS: readonly ExportFormat[] = ["md", "json", "jsonl"];
/** Sessions hold what nobody else is to read. */
const FILE_MODE = 0o600;

/** Ends of names of files that Markdown may stand in. */
const TEXT_ENDS: readonly string[] = ["markdown", "text", "txt"];

/**
 * The format that the end of a file's name asks for; Markdown if it has none. Throws a `UsageError`
 * if it asks for one that there is not.
 */
export function formatByName(file: string): ExportFormat {
  const [, end] = /\.([a-z][a-z0-9]{1,7})$/i.exec(path.basename(file)) ?? [];
  if (end === undefined || TEXT_ENDS.includes(end.toLowerCase())) return "md";
  const format = EXPORT_FORMATS.find((each) => each === end.toLowerCase());
  if (format) return format;
  throw new UsageError(
    `Cannot export to ${file}: .${end} is none of the formats, which are ` +
      EXPORT_FORMATS.map((each) => `.${each}`).join(", "),
  );
}

/** Throws a `UsageError` if there is something of this name. */
export function assertFree(file: string): void {
  const stat = nodeFileSystem.stat(file);
  if (!stat) return;
  throw new UsageError(
    `Cannot export to ${file}: there is a ${stat.isDirectory ? "directory" : "file"} of this ` +
      "name, and nothing is written over; name another, or remove it",
  );
}

/** The session in a format; `isFull` keeps what is left out otherwise. */
export async function exported(
  session: Session,
  format: ExportFormat,
  isFull: boolean,
): Promise<Iterable<string | Uint8Array>> {
  switch (format) {
    case "jsonl":
      return exportLines(session, { isWhole: isFull });
    case "json": {
      const whole = await describeSession(session, session.leafId);
      return [`${JSON.stringify(whole, null, 2)}\n`];
    }
    case "md":
      return markdownOf(session, await session.getBranch(), { isFull });
  }
}

/** Writes a new file. Throws a `UsageError` if that cannot be. */
export function writeExport(file: string, pieces: Iterable<string | Uint8Array>): void {
  try {
    writeWhole(nodeFileSystem, file, { chunks: bytesOf(pieces), mode: FILE_MODE, sync: false });
  } catch (cause) {
    const place = path.dirname(file);
    const reason = nodeFileSystem.stat(place)
      ? fileErrorReason(cause)
      : `there is no directory ${place}`;
    throw new UsageError(`Cannot export to ${file}: ${reason}`, { cause });
  }
}

function* bytesOf(pieces: Iterable<string | Uint8Array>): Generator<Buffer> {
  for (const piece of pieces) {
    yield typeof piece === "string"
      ? Buffer.from(piece)
      : Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  }
}
