/** `session import`: copies of session files, of ours and of Pi, among our sessions. */
import * as path from "node:path";
import { SessionError } from "../../../session/mod.ts";
import type { ExitCode } from "../../command_line/exit_code.ts";
import { exitCodeOf } from "../../modes/exit_codes.ts";
import { printJson, printLine, type SessionVerb } from "./verb.ts";

/** What became of one file. */
interface Imported {
  file: string;
  id: string;
  path: string;
  cwd: string;
}

/** Imports each file; one that cannot be keeps none of the others. Prints the sessions' ids. */
export async function importSessions(verb: SessionVerb): Promise<ExitCode> {
  const { call, ports, report } = verb;
  const imported: Imported[] = [];
  let code: ExitCode = 0;
  try {
    for (const word of call.operands) {
      if (ports.signal.aborted) break;
      try {
        imported.push(await importOne(verb, path.resolve(verb.startDirectory, word)));
      } catch (error) {
        if (!(error instanceof SessionError)) throw error;
        code ||= exitCodeOf(error);
        report.error(error.message);
      }
    }
  } finally {
    // Also if the rest fails: these are there now.
    tell(verb, imported);
  }
  return code;
}

async function importOne(verb: SessionVerb, file: string): Promise<Imported> {
  const { call, repo, report } = verb;
  const wanted = await idOf(verb, file);
  const session = await repo.importFile(
    file,
    call.run.cwd === undefined ? {} : { cwd: verb.cwd },
  );
  const { id, header } = session;
  await session.close();
  if (id !== wanted) report.note(`The id ${wanted} of ${file} is taken: the copy is ${id}`);
  return { file, id, path: session.file ?? "", cwd: header.cwd };
}

async function idOf({ repo }: SessionVerb, file: string): Promise<string> {
  const source = await repo.open(file, { access: "read" });
  await source.close();
  return source.id;
}

function tell(verb: SessionVerb, imported: readonly Imported[]): void {
  const { call, report } = verb;
  if (verb.json) printJson(verb, imported);
  else for (const { id } of imported) printLine(verb, id);
  const { length } = call.operands;
  if (length > 1) report.note(`Imported ${imported.length} of ${length} files`);
}
