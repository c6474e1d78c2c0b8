/** Writes the session into a file. */
import * as path from "node:path";
import {
  assertFree,
  exported,
  formatByName,
  writeExport,
} from "../../../commands/session/export_file.ts";
import { expandTilde } from "../../../config/mod.ts";
import type { Command } from "../context.ts";

export const exportFile: Command = {
  name: "export",
  parameters: "[file]",
  does: "Writes the session into a file",
  help: "The end of its name says how: .md (this branch, to be read; without such an end, too), " +
    ".json (this branch, for programs) or .jsonl (this branch as a session). Without a name the " +
    "file is called after the session. Nothing is written over.",
  anytime: true,
  completes: "path",
  async run({ dialog, session: { session }, env }, argument) {
    const name = argument === "" ? `${session.id}.md` : expandTilde(argument, env);
    const file = path.resolve(session.cwd, name);
    const format = formatByName(file);
    assertFree(file);
    writeExport(file, await exported(session, format, false));
    dialog.note(`Exported to ${file}`);
  },
};
