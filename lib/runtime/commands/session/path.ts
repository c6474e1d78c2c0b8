/** `session path`: where a session's file is. */
import type { ExitCode } from "../../command_line/exit_code.ts";
import { printJson, printLine, sessionFileOf, type SessionVerb } from "./verb.ts";

export async function printPath(verb: SessionVerb): Promise<ExitCode> {
  const path = await sessionFileOf(verb);
  if (verb.json) printJson(verb, { path });
  else printLine(verb, path);
  return 0;
}
