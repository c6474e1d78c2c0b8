/** `session compact`: a summary in place of what is old, now. */
import type { ExitCode } from "../../command_line/exit_code.ts";
import { withModel } from "./live.ts";
import { printJson, printLine, restOf, type SessionVerb } from "./verb.ts";

export async function compact(verb: SessionVerb): Promise<ExitCode> {
  const entry = await withModel(verb, (live) => live.compact(restOf(verb, 1)));
  if (!entry) {
    verb.report.error("Cannot compact the session: an extension or a signal stopped it");
    return 1;
  }
  const { id, summary, firstKeptEntryId, tokensBefore, usage } = entry;
  if (verb.json) {
    printJson(verb, { entryId: id, summary, firstKeptEntryId, tokensBefore, usage: usage ?? null });
  } else printLine(verb, id);
  return 0;
}
