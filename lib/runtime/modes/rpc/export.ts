/** The session as text, in the answer or in a file. */
import * as path from "node:path";
import type { Session } from "../../../session/mod.ts";
import {
  assertFree,
  exported,
  formatByName,
  writeExport,
} from "../../commands/session/export_file.ts";
import type { CommandOf } from "./command.ts";

/** Writes the session to a file, relative to its directory, or hands it back. */
export async function exportSession(
  session: Session,
  { format, path: file }: CommandOf<"export">,
): Promise<{ path: string } | { content: string }> {
  const target = file === undefined ? undefined : path.resolve(session.cwd, file);
  if (target !== undefined) assertFree(target);
  const byDefault = file === undefined ? "jsonl" : formatByName(file);
  const pieces = await exported(session, format ?? byDefault, false);
  if (target !== undefined) {
    writeExport(target, pieces);
    return { path: target };
  }
  const decoder = new TextDecoder();
  let content = "";
  for (const piece of pieces) {
    content += typeof piece === "string" ? piece : decoder.decode(piece, { stream: true });
  }
  return { content };
}
