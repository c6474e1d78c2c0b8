/** `session label`, `session name`, `session drop`: one entry more that says something of others. */
import type { ExitCode } from "../../command_line/exit_code.ts";
import { UsageError } from "../../modes/exit_codes.ts";
import { resolveSaid } from "../entry_ref.ts";
import { changeSession, operand, printJson, printLine, restOf, type SessionVerb } from "./verb.ts";

/** Sets a label, or takes it off if no text is given. A label names one entry at a time. */
export async function label(verb: SessionVerb): Promise<ExitCode> {
  const text = restOf(verb, 2)?.trim() || undefined;
  if (text === "leaf" || /~\d*$/.test(text ?? "")) {
    throw new UsageError(
      `Cannot use "${text}" as a label: "leaf" and "~" with a number name entries already`,
    );
  }
  const entryId = await changeSession(verb, async (session) => {
    const id = await resolveSaid(session, operand(verb, 1));
    if (session.labels.get(id) !== text) await session.appendLabel(id, text);
    return id;
  });
  return tell(verb, entryId, { entryId, label: text ?? null });
}

/** Names the session, or takes the name off if no text is given. */
export async function name(verb: SessionVerb): Promise<ExitCode> {
  const text = restOf(verb, 1)?.trim() ?? "";
  const id = await changeSession(verb, async (session) => {
    if ((session.name ?? "") !== text) await session.appendSessionName(text);
    return session.id;
  });
  return tell(verb, id, { id, name: text || null });
}

/** Takes an entry out of what the model gets. */
export async function drop(verb: SessionVerb): Promise<ExitCode> {
  const told = await changeSession(verb, async (session) => {
    const targetId = await resolveSaid(session, operand(verb, 1));
    const items = await session.contextItems();
    if (!items.some(({ entry }) => entry.id === targetId)) {
      throw new UsageError(
        `Cannot drop entry ${targetId}: it is not in the context of the active branch ` +
          "(dropped or summarized already, or on another branch); " +
          "`bough session show --context` shows what is",
      );
    }
    return { entryId: await session.appendContextEdit(targetId, null), targetId };
  });
  return tell(verb, told.targetId, told);
}

function tell(verb: SessionVerb, id: string, value: object): ExitCode {
  if (verb.json) printJson(verb, value);
  else printLine(verb, id);
  return 0;
}
