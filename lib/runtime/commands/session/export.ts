/** `session export`: a session as text or as data, to a file or to stdout. */
import { Buffer } from "node:buffer";
import * as path from "node:path";
import { exportLines, nodeFileSystem, type Session, writeWhole } from "../../../session/mod.ts";
import type { ExitCode } from "../../command_line/exit_code.ts";
import { UsageError } from "../../modes/exit_codes.ts";
import { describeSession } from "./description.ts";
import { markdownOf } from "./markdown.ts";
import { readSession, type SessionVerb } from "./verb.ts";

type Format = "md" | "json" | "jsonl";

const FORMATS: readonly Format[] = ["md", "json", "jsonl"];
/** Sessions hold what nobody else is to read. */
const FILE_MODE = 0o600;

export async function exportSession(verb: SessionVerb): Promise<ExitCode> {
  const named = verb.call.operands[1];
  const file = named === undefined || named === "-"
    ? undefined
    : path.resolve(verb.ports.cwd(), named);
  const format = formatOf(verb, file);
  if (file !== undefined) assertFree(file);
  await readSession(verb, async (session) => {
    const pieces = await exported(session, format, verb.call.flags.has("full"));
    if (file === undefined) await writeOut(verb, pieces);
    else writeFile(file, pieces);
  });
  return 0;
}

/** What the options say, else the file's name, else Markdown. */
function formatOf({ call }: SessionVerb, file: string | undefined): Format {
  const [first, ...others] = FORMATS.filter((format) => call.flags.has(format));
  if (others.length > 0) {
    throw new UsageError(`Cannot use --${first} with --${others[0]}: a file has one format`);
  }
  const format = first ?? FORMATS.find((one) => file?.toLowerCase().endsWith(`.${one}`)) ?? "md";
  if (call.flags.has("full") && format === "json") {
    throw new UsageError("Cannot use --full with --json: all entries are in it");
  }
  return format;
}

function assertFree(file: string): void {
  const stat = nodeFileSystem.stat(file);
  if (!stat) return;
  throw new UsageError(
    `Cannot export to ${file}: there is a ${stat.isDirectory ? "directory" : "file"} of this ` +
      "name, and nothing is written over; name another, or remove it",
  );
}

async function exported(
  session: Session,
  format: Format,
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

/** As it stands: an export is for programs, and for being kept. */
async function writeOut(
  { ports }: SessionVerb,
  pieces: Iterable<string | Uint8Array>,
): Promise<void> {
  const { stdout, signal } = ports;
  const decoder = new TextDecoder();
  for (const piece of pieces) {
    if (signal.aborted || stdout.error) return;
    stdout.write(typeof piece === "string" ? piece : decoder.decode(piece, { stream: true }));
    await stdout.ready(signal);
  }
  stdout.write(decoder.decode());
}

function writeFile(file: string, pieces: Iterable<string | Uint8Array>): void {
  try {
    writeWhole(nodeFileSystem, file, { chunks: bytesOf(pieces), mode: FILE_MODE, sync: false });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
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
