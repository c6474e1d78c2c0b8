/** `session diff`: two branches, from where they part. */
import type { SessionEntry } from "../../../session/mod.ts";
import type { ExitCode } from "../../command_line/exit_code.ts";
import { isConversation, lineOf } from "../entry_line.ts";
import { resolveEntry } from "../entry_ref.ts";
import { cutTo } from "../text_columns.ts";
import { operand, printJson, printText, readSession, type SessionVerb } from "./verb.ts";

export async function diff(verb: SessionVerb): Promise<ExitCode> {
  const found = await readSession(verb, async (session) => {
    const left = await session.getBranch(await resolveEntry(session, operand(verb, 1)));
    const right = await session.getBranch(await resolveEntry(session, operand(verb, 2)));
    return part(left, right);
  });
  if (verb.json) {
    const { ancestor, left, right } = found;
    printJson(verb, { ancestorId: ancestor?.id ?? null, left, right });
  } else await printText(verb, lines(verb, found));
  return 0;
}

interface Parted {
  /** The last entry that both have; absent if they part before the first. */
  ancestor?: SessionEntry;
  left: SessionEntry[];
  right: SessionEntry[];
}

function part(left: readonly SessionEntry[], right: readonly SessionEntry[]): Parted {
  let shared = 0;
  while (shared < left.length && left[shared]?.id === right[shared]?.id) shared++;
  const ancestor = left[shared - 1];
  return {
    left: left.slice(shared),
    right: right.slice(shared),
    ...ancestor ? { ancestor } : {},
  };
}

function* lines(verb: SessionVerb, { ancestor, left, right }: Parted): Generator<string> {
  const isFull = verb.call.flags.has("full");
  const line = (sign: string, entry: SessionEntry) => {
    const { who, text } = lineOf(entry, isFull ? Infinity : undefined);
    const whole = `${sign} ${entry.id} ${text === "" ? who : `${who}: ${text}`}`;
    return `${verb.width === undefined || isFull ? whole : cutTo(whole, verb.width)}\n`;
  };
  const shown = (entry: SessionEntry) => isFull || isConversation(entry);
  yield ancestor ? line(" ", ancestor) : "  (they have nothing in common)\n";
  for (const entry of left.filter(shown)) yield line("-", entry);
  for (const entry of right.filter(shown)) yield line("+", entry);
}
