/** What a session is called in a list. */
import { saidIn, type SessionSummary } from "../../session/mod.ts";

/** Its name, else what was said first; empty if nothing was. */
export function sessionTitle(
  { name, firstMessage }: Pick<SessionSummary, "name" | "firstMessage">,
): string {
  if (name !== undefined) return name;
  return saidIn(firstMessage) || firstMessage.trim();
}
