/**
 * An entry as a person names it: by its id or the unique start of one, `leaf`, a label, and any of
 * these with `~2`: two messages up from there.
 */
import { type Session, SessionError } from "../../session/mod.ts";

const UP = /^(.*)~(\d*)$/s;

/** The id of the entry that is meant. @throws SessionError `unknown_entry` or `ambiguous`. */
export async function resolveEntry(session: Session, text: string): Promise<string> {
  const exact = await baseOf(session, text);
  if (exact !== undefined) return exact;
  const [, base, count] = UP.exec(text) ?? [];
  if (base === undefined) throw unknown(session, text);
  const from = await baseOf(session, base === "" ? "leaf" : base);
  if (from === undefined) throw unknown(session, text);
  return await messagesUp(session, from, count === "" ? 1 : Number(count));
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

function unknown(session: Session, text: string): SessionError {
  return new SessionError(
    "unknown_entry",
    `Cannot find entry ${
      JSON.stringify(text)
    } in session ${session.id}: no id, start of an id or ` +
      "label is like this; `bough session tree` shows the entries",
  );
}
