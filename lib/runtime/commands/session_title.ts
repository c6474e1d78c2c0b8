/** What a session is called in a list. */
import type { SessionSummary } from "../../session/mod.ts";

/** Data and files that stand in front of what was said (`docs/cli.md`, "stdin"). */
const IN_FRONT = /^(?:<(stdin|file)(?: path="[^"\n]*")?>\n[^]*?\n<\/\1>\s*)+/;

/** Its name, else what was said first; empty if nothing was. */
export function sessionTitle(
  { name, firstMessage }: Pick<SessionSummary, "name" | "firstMessage">,
): string {
  if (name !== undefined) return name;
  const said = firstMessage.replace(IN_FRONT, "").trim();
  return said === "" ? firstMessage.trim() : said;
}
