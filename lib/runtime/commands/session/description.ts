/** A whole session as one JSON value. */
import type {
  Damage,
  Message,
  ModelRef,
  Session,
  SessionEntry,
  ThinkingLevel,
} from "../../../session/mod.ts";

/** What `show --json` and `export --json` tell. */
export interface SessionDescription {
  id: string;
  file: string | null;
  cwd: string;
  name: string | null;
  /** The entry that `branch` and `context` end with. */
  leafId: string | null;
  /** By the id of the entry that has it. */
  labels: Record<string, string>;
  model: ModelRef | null;
  thinkingLevel: ThinkingLevel;
  /** Ids, root first. */
  branch: string[];
  /** All of them, in the order of the file. */
  entries: SessionEntry[];
  context: Message[];
  damage: readonly Damage[];
}

/** Describes a session as of an entry, usually its leaf. */
export async function describeSession(
  session: Session,
  leafId: string | null,
): Promise<SessionDescription> {
  const { messages, model, thinkingLevel } = await session.buildContext(leafId);
  const branch = await session.getBranch(leafId);
  return {
    id: session.id,
    file: session.file ?? null,
    cwd: session.header.cwd,
    name: session.name ?? null,
    leafId,
    labels: Object.fromEntries(session.labels),
    model,
    thinkingLevel,
    branch: branch.map(({ id }) => id),
    entries: await session.getEntries(),
    context: messages,
    damage: session.damage,
  };
}
