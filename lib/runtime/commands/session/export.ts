/** `session export`: a session as text or as data, to a file or to stdout. */
import * as path from "node:path";
import type { ExitCode } from "../../command_line/exit_code.ts";
import { UsageError } from "../../modes/exit_codes.ts";
import {
  assertFree,
  EXPORT_FORMATS,
  exported,
  type ExportFormat,
  formatByName,
  writeExport,
} from "./export_file.ts";
import { readSession, type SessionVerb } from "./verb.ts";

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
    else writeExport(file, pieces);
  });
  return 0;
}

/** What the options say, else the file's name, else Markdown. */
function formatOf({ call }: SessionVerb, file: string | undefined): ExportFormat {
  const [first, ...others] = EXPORT_FORMATS.filter((format) => call.flags.has(format));
  if (others.length > 0) {
    throw new UsageError(`Cannot use --${first} with --${others[0]}: a file has one format`);
  }
  const format = first ?? formatByName(file ?? "");
  if (call.flags.has("full") && format === "json") {
    throw new UsageError("Cannot use --full with --json: all entries are in it");
  }
  return format;
}

/** As it stands, for programs and for being kept; on a terminal harmlessly. */
async function writeOut(
  { ports }: SessionVerb,
  pieces: Iterable<string | Uint8Array>,
): Promise<void> {
  const { stdout, signal } = ports;
  const decoder = new TextDecoder();
  for (const piece of pieces) {
    if (signal.aborted || stdout.error) return;
    stdout.show(typeof piece === "string" ? piece : decoder.decode(piece, { stream: true }));
    await stdout.ready(signal);
  }
  stdout.show(decoder.decode());
}
