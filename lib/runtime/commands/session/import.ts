/** `session import`: copies of session files, of ours and of Pi, among our sessions. */
import * as path from "node:path";
import { SessionError } from "../../../session/mod.ts";
import type { ExitCode } from "../../command_line/exit_code.ts";
import { exitCodeOf } from "../../modes/exit_codes.ts";
import { printJson, type SessionVerb } from "./verb.ts";

/** What became of one file. */
interface Imported {
  file: string;
  id: string;
  path: string;
  cwd: string;
}

/** Imports each file; one that cannot be keeps none of the others. Prints the sessions' ids. */
export async function importSessions(verb: SessionVerb): Promise<ExitCode> {
  const { call, ports, repo, report } = verb;
  const imported: Imported[] = [];
  let code: ExitCode = 0;
  for (const word of call.operands) {
    if (ports.signal.aborted) break;
    const file = path.resolve(ports.cwd(), word);
    try {
      const session = await repo.importFile(
        file,
        call.run.cwd === undefined ? {} : { cwd: verb.cwd },
      );
      const { id, header } = session;
      imported.push({ file, id, path: session.file ?? "", cwd: header.cwd });
      await session.close();
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
      code ||= exitCodeOf(error);
      report.error(error.message);
    }
  }
  if (verb.json) printJson(verb, imported);
  else ports.stdout.write(imported.map(({ id }) => `${id}\n`).join(""));
  return code;
}
