/** The list of sessions: choosing, renaming, deleting. */
import { SessionError, type SessionRepo, type SessionSummary } from "../../../session/mod.ts";
import type { Timer } from "../../../agent/mod.ts";
import type { AgentSession } from "../../agent_session.ts";
import { ageOf } from "../../commands/ages.ts";
import { sessionTitle } from "../../commands/session_title.ts";
import { oneLine } from "../terminal_text.ts";
import type { ReplContext } from "./context.ts";
import { type Dialog, isYes } from "./dialog.ts";
import { money } from "./numbers.ts";
import type { Item } from "./picker.ts";
import { listSessions } from "./sessions.ts";

export interface SessionListPorts {
  readonly repo: SessionRepo;
  readonly dialog: Dialog;
  readonly timer: Timer;
  readonly cwd: string;
  readonly home: string;
  /** The session that is live; it can be renamed, and not deleted. */
  readonly current?: AgentSession;
}

const TITLE_LENGTH_MAX = 200;

/** Lets the person choose a session; resolves with its path. */
export async function pickSession(ports: SessionListPorts): Promise<string | undefined> {
  const { repo, dialog, cwd, home } = ports;
  let everywhere = false;
  for (;;) {
    const sessions = await listSessions(repo, everywhere ? { home } : { home, cwd });
    if (sessions.length === 0 && !everywhere) {
      dialog.note(`There is no session of ${cwd}`);
      everywhere = true;
      continue;
    }
    if (sessions.length === 0) return undefined;
    const picked = await dialog.pick({
      title: everywhere ? "Sessions" : "Sessions of this directory",
      items: sessions.map((session) => itemOf(session, everywhere, ports.timer.now())),
      actions: [
        { key: "r", does: "renames" },
        { key: "x", does: "deletes" },
        { key: "a", does: everywhere ? "shows this directory's" : "shows all" },
      ],
    });
    const session = picked && sessions[picked.index];
    if (!session) return undefined;
    switch (picked.action) {
      case "r":
        await rename(session, ports);
        break;
      case "x":
        await remove(session, ports);
        break;
      case "a":
        everywhere = !everywhere;
        break;
      default:
        return session.path;
    }
  }
}

function itemOf(session: SessionSummary, withDirectory: boolean, now: number): Item {
  const title = oneLine(sessionTitle(session), TITLE_LENGTH_MAX) || "(nothing was said)";
  const directory = withDirectory ? ` · ${session.cwd}` : "";
  const cost = session.cost > 0 ? ` · ${money(session.cost)}` : "";
  return {
    text: `${title}${directory}`,
    note: `${session.messageCount} messages${cost} · ${ageOf(Date.parse(session.modified), now)}`,
    keywords: `${session.id} ${session.name ?? ""} ${session.firstMessage} ${session.cwd}`,
  };
}

async function rename(
  session: SessionSummary,
  { repo, dialog, current }: SessionListPorts,
): Promise<void> {
  const name = await dialog.ask("Its name; empty for none", { initial: session.name ?? "" });
  if (name === undefined) return;
  await attempt(dialog, async () => {
    if (session.path === current?.session.file) return await current.setSessionName(name.trim());
    const opened = await repo.open(session.path, { access: "write" });
    try {
      await opened.appendSessionName(name.trim());
    } finally {
      await opened.close();
    }
  });
}

async function remove(
  session: SessionSummary,
  { repo, dialog, current }: SessionListPorts,
): Promise<void> {
  if (session.path === current?.session.file) {
    return dialog.error("Cannot delete the session that you are in; go to another one first");
  }
  const title = oneLine(sessionTitle(session), 60);
  if (!isYes(await dialog.ask(`Delete "${title}" for good? y or n`))) return;
  await attempt(dialog, async () => {
    await repo.delete(session.path);
    dialog.note(`Deleted ${session.path}`);
  });
}

/** What fails is told, and the list goes on. */
async function attempt(dialog: Dialog, task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    dialog.error(error.message);
  }
}

/** Whether a session that cannot be opened as it is can be gone on with as a copy of one's own. */
export function mayBeCopied(error: unknown): error is SessionError {
  return error instanceof SessionError &&
    (error.code === "directory_gone" || error.code === "busy");
}

/**
 * Goes on with a session; if its directory is gone, or another process writes it, asks whether to go
 * on with a copy.
 */
export async function goOnElsewhere(context: ReplContext, chosen: string): Promise<void> {
  const { runtime, dialog } = context;
  const here = context.session.session.cwd;
  try {
    const outcome = await runtime.switchSession(chosen);
    if (outcome.cancelled) dialog.note("An extension stopped it; you are where you were");
  } catch (error) {
    if (!mayBeCopied(error)) throw error;
    dialog.error(error.message);
    const isGone = error.code === "directory_gone";
    const where = isGone ? ` in ${here}` : "";
    if (!isYes(await dialog.ask(`Go on with a copy of it${where}? y or n`))) return;
    const file = await context.repo.find(chosen, { cwd: here });
    const session = await context.repo.fork(file, isGone ? { cwd: here } : {});
    const path = session.file ?? session.id;
    await session.close();
    await runtime.switchSession(path);
  }
}
