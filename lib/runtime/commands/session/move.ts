/** `session move`: another current position, kept in the file. */
import type { ExitCode } from "../../command_line/exit_code.ts";
import { resolveEntry } from "../entry_ref.ts";
import { withModel } from "./live.ts";
import { changeSession, operand, printJson, printLine, type SessionVerb } from "./verb.ts";

export async function move(verb: SessionVerb): Promise<ExitCode> {
  const target = operand(verb, 1);
  const moved = verb.call.flags.has("summarize")
    ? await withModel(verb, async (live) => {
      const id = await resolveEntry(live.session, target);
      const { cancelled, leafId, summaryEntryId } = await live.navigateTree(id, {
        summarize: true,
        exact: true,
      });
      return { cancelled, leafId, summaryEntryId: summaryEntryId ?? null };
    })
    : await changeSession(verb, async (session) => {
      await session.moveTo(await resolveEntry(session, target));
      return { cancelled: false, leafId: session.leafId, summaryEntryId: null };
    });
  if (verb.json) printJson(verb, moved);
  else if (!moved.cancelled) printLine(verb, `${moved.leafId}`);
  if (moved.cancelled) {
    verb.report.error("Cannot move the leaf: an extension or a signal stopped it");
  }
  return moved.cancelled ? 1 : 0;
}
