/** `session show`: the active branch, or what a model would get of it, as text. */
import type { Message, Session, SessionEntry } from "../../../session/mod.ts";
import type { ExitCode } from "../../command_line/exit_code.ts";
import { resolveEntry } from "../entry_ref.ts";
import { entryText, messageText } from "./branch_text.ts";
import { describeSession } from "./description.ts";
import { printJson, printText, readSession, type SessionVerb } from "./verb.ts";

export async function show(verb: SessionVerb): Promise<ExitCode> {
  return await readSession(verb, async (session): Promise<ExitCode> => {
    const named = verb.call.values.get("entry");
    const at = named === undefined ? session.leafId : await resolveEntry(session, named);
    if (verb.json) printJson(verb, await describeSession(session, at));
    else await printText(verb, await texts(verb, session, at));
    return 0;
  });
}

async function texts(
  { call }: SessionVerb,
  session: Session,
  at: string | null,
): Promise<Iterable<string>> {
  const isFull = call.flags.has("full");
  if (call.flags.has("context")) {
    const { messages } = await session.buildContext(at);
    return textsOf(messages, (message) => messageText(message, { isFull }));
  }
  const branch = await session.getBranch(at);
  return textsOf(branch, (entry) => entryText(entry, { isFull, labels: session.labels }));
}

function* textsOf<T extends Message | SessionEntry>(
  items: readonly T[],
  text: (item: T) => string | undefined,
): Generator<string> {
  let isFirst = true;
  for (const item of items) {
    const shown = text(item);
    if (shown === undefined) continue;
    yield isFirst ? shown : `\n${shown}`;
    isFirst = false;
  }
}
