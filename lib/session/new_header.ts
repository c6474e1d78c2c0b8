import { SESSION_VERSION, type SessionHeader } from "./entry.ts";
import { absolutePath, assertSessionId } from "./paths.ts";
import type { NewSession } from "./session_repo.ts";
import type { MemoryEnvironment } from "./storage_env.ts";

/** The header of a new session. @throws SessionError `bad_id`. */
export function newHeader(
  { cwd, id, parentSession }: NewSession,
  { clock, ids }: MemoryEnvironment,
): SessionHeader {
  const own = id ?? ids.sessionId();
  assertSessionId(own);
  return {
    type: "session",
    version: SESSION_VERSION,
    id: own,
    timestamp: new Date(clock.now()).toISOString(),
    cwd: absolutePath(cwd),
    ...parentSession === undefined ? {} : { parentSession },
  };
}
