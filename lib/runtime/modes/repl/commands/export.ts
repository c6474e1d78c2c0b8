/** Writes the session into a file. */
import * as fs from "node:fs";
import * as path from "node:path";
import { expandTilde } from "../../../config/mod.ts";
import { systemCode } from "../../output.ts";
import type { Command } from "../context.ts";

export const exportFile: Command = {
  name: "export",
  parameters: "[file]",
  does: "Writes the session into a file",
  help:
    "As it is stored. Without a name the file is called after the session's id. A file that is " +
    "there already is not overwritten.",
  anytime: true,
  completes: "path",
  run({ dialog, session: { session }, env }, argument) {
    const target = path.resolve(
      session.cwd,
      argument === "" ? `${session.id}.jsonl` : expandTilde(argument, env),
    );
    if (session.file === undefined || !fs.existsSync(session.file)) {
      throw new Error("Cannot export the session: it has no file yet");
    }
    try {
      fs.copyFileSync(session.file, target, fs.constants.COPYFILE_EXCL);
    } catch (cause) {
      if (systemCode(cause) !== "EEXIST") throw cause;
      throw new Error(`Cannot export to ${target}: there is a file already; name another`, {
        cause,
      });
    }
    dialog.note(`Exported to ${target}`);
  },
};
