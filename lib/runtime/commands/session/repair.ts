/** `bough session repair`: a sound file in place of a damaged one. */
import { type RepairReport, repairSession } from "../../../session/mod.ts";
import type { ExitCode } from "../../command_line/exit_code.ts";
import { findDamaged } from "./damaged.ts";
import { operand, printJson, printText, type SessionVerb, whenFree } from "./verb.ts";

/** Repairs a session and tells what it did; a sound one is left as it is. */
export async function repair(verb: SessionVerb): Promise<ExitCode> {
  const file = await findDamaged(operand(verb, 0), verb);
  const report = await whenFree(verb, async () => repairSession(file));
  if (verb.json) printJson(verb, report);
  else await printText(verb, linesOf(report));
  return 0;
}

function* linesOf({ file, entries, backup, changes }: RepairReport): Generator<string> {
  if (changes.length === 0) {
    yield `${file}: sound, nothing to repair\n`;
    return;
  }
  yield `${file}: repaired, ${entries} ${entries === 1 ? "entry" : "entries"}\n`;
  for (const { line, entryId, did } of changes) {
    const entry = entryId === undefined ? "" : `, entry ${entryId}`;
    yield line === undefined ? `  ${did}\n` : `  line ${line}${entry}: ${did}\n`;
  }
  if (backup !== undefined) yield `The damaged file is kept as ${backup}\n`;
}
