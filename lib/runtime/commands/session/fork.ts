/** `session fork` and `session clone`: a new session that begins as a branch of another. */
import { nodeFileSystem } from "../../../session/mod.ts";
import type { ExitCode } from "../../command_line/exit_code.ts";
import { UsageError } from "../../modes/exit_codes.ts";
import { resolveEntry } from "../entry_ref.ts";
import { isDirectory, printJson, printLine, readSession, type SessionVerb } from "./verb.ts";

/** With `--at`, up to that entry; with `--cwd`, to go on there. The new session's id is printed. */
export async function fork(verb: SessionVerb): Promise<ExitCode> {
  const at = verb.call.values.get("at");
  const { cwd } = verb.call.run;
  if (cwd !== undefined && !isDirectory(verb.cwd)) {
    throw new UsageError(`Cannot fork into ${verb.cwd}: there is no such directory`);
  }
  const made = await readSession(verb, async (source) => {
    const session = await verb.repo.fork(source, {
      ...at === undefined ? {} : { entryId: await resolveEntry(source, at) },
      ...cwd === undefined ? {} : { cwd: verb.cwd },
    });
    const { id, file, leafId, header } = session;
    await session.close();
    if (file === undefined || !nodeFileSystem.stat(file)) {
      throw new UsageError(
        `Cannot fork session ${source.id}: nothing was said in it up to there, and a session's ` +
          "file is made with the first message",
      );
    }
    return { id, path: file, cwd: header.cwd, parentSession: source.file, leafId };
  });
  if (verb.json) printJson(verb, made);
  else printLine(verb, made.id);
  return 0;
}
