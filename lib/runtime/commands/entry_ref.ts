/**
 * An entry as a person names it: by its id or the unique start of one, `leaf`, a label, and any of
 * these with `~2`: two messages up from there.
 */
import { type Session, SessionError } from "../../session/mod.ts";
import { isConversation } from "./entry_line.ts";

const UP = /^(.*)~(\d*)$/s;

/** How a person is shown the entries. */
export interface EntryRefOptions {
  /** `bough session tree` if absent. */
  readonly treeCommand?: string;
}

/** The id of the entry that is meant. @throws SessionError `unknown_entry` or `ambiguous`. */
export async function resolveEntry(
  session: Session,
  text: string,
  options: EntryRefOptions = {},
): Promise<string> {
  const exact = await baseOf(session, text);
  if (exact !== undefined) return exact;
  const [, base, count] = UP.exec(text) ?? [];
  if (base === undefined) throw unknown(session, text, options);
  const isLeaf = base === "" || base === "leaf";
  // Settings and labels behind the last message are no step on the way up.
  const from = (isLeaf ? await lastSaid(session) : undefined) ??
    await baseOf(session, isLeaf ? "leaf" : base);
  if (from === undefined) throw unknown(session, text, options);
  return await messagesUp(session, from, count === "" ? 1 : Number(count));
}

/**
 * The same for what is done to one message: `leaf` is the last entry of the conversation, as the
 * leaf itself may be a label or a setting, which nobody means.
 */
export async function resolveSaid(
  session: Session,
  text: string,
  options: EntryRefOptions = {},
): Promise<string> {
  const said = text === "leaf" ? await lastSaid(session) : undefined;
  return said ?? await resolveEntry(session, text, options);
}

/** The last entry of the conversation on the active branch: what a person sees as the end. */
export async function lastSaid(session: Session): Promise<string | undefined> {
  return (await session.getBranch()).findLast(isConversation)?.id;
}

async function baseOf(session: Session, text: string): Promise<string | undefined> {
  if (text === "leaf") {
    if (session.leafId !== null) return session.leafId;
    throw new SessionError(
      "unknown_entry",
      `Cannot find the leaf of session ${session.id}: its position is before the first entry`,
    );
  }
  if (text === "") return undefined;
  if (await session.getEntry(text)) return text;
  const labelled = [...session.labels].filter(([, label]) => label === text);
  if (labelled.length > 0) return only(labelled.map(([id]) => id), session, text);
  const { entries } = await session.getOutline();
  const started = entries.map(({ excerpt }) => excerpt.id).filter((id) => id.startsWith(text));
  return started.length > 0 ? only([...new Set(started)], session, text) : undefined;
}

function only(ids: readonly string[], session: Session, text: string): string {
  const [id, ...others] = ids;
  if (id !== undefined && others.length === 0) return id;
  throw new SessionError(
    "ambiguous",
    `Cannot tell which entry of session ${session.id} ${JSON.stringify(text)} is: ` +
      `${ids.slice(0, 5).join(", ")}${ids.length > 5 ? ", …" : ""}; give more of the id`,
  );
}

async function messagesUp(session: Session, from: string, count: number): Promise<string> {
  const path = await session.getBranch(from);
  const above = path.slice(0, -1).filter(({ type }) => type === "message");
  if (count === 0) return from;
  const found = above.at(-count);
  if (found) return found.id;
  throw new SessionError(
    "unknown_entry",
    `Cannot go ${count} messages up from ${from}: there are ${above.length} above it`,
  );
}

function unknown(
  session: Session,
  text: string,
  { treeCommand = "bough session tree" }: EntryRefOptions,
): SessionError {
  return new SessionError(
    "unknown_entry",
    `Cannot find entry ${
      JSON.stringify(text)
    } in session ${session.id}: no id, start of an id or ` +
      "label is like this; " +
      `\`${treeCommand}\` shows the entries`,
  );
}
