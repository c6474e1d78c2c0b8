import { type Session, SessionError, type SessionRepo } from "../session/mod.ts";

/** Closes and removes a copy of a session that cannot go live; nobody else has heard of it. */
export async function discardCopy(copy: Session, repo: SessionRepo): Promise<void> {
  await copy.close();
  try {
    await repo.delete(copy.file ?? copy.id);
  } catch (error) {
    // Not written yet, or not to be removed: what kept it from going live is told.
    if (!(error instanceof SessionError)) throw error;
  }
}
