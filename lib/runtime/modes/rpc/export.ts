/** The session as text, in the answer or in a file. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { MemorySessionRepo, type Session } from "../../../session/mod.ts";
import { systemCode } from "../output.ts";
import { CommandError } from "./answer.ts";
import type { CommandOf } from "./command.ts";

/** The active branch as a session file of its own. */
async function jsonlOf(session: Session): Promise<string> {
  const { session: branch } = await new MemorySessionRepo().fork(session);
  const lines = [branch.header, ...await branch.getEntries()];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/**
 * Writes the session to a file, relative to its directory, or hands it back. A file that is there
 * already is not overwritten.
 */
export async function exportSession(
  session: Session,
  { path: file }: CommandOf<"export">,
): Promise<{ path: string } | { content: string }> {
  const content = await jsonlOf(session);
  if (file === undefined) return { content };
  const target = path.resolve(session.cwd, file);
  try {
    await fs.writeFile(target, content, { flag: "wx", mode: 0o600 });
  } catch (error) {
    const code = systemCode(error);
    const reason = code === "EEXIST" ? "there is a file already" : code ?? String(error);
    throw new CommandError("failed", `Cannot export to ${target}: ${reason}; name another`);
  }
  return { path: target };
}
