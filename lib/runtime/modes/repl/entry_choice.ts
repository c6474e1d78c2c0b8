/** Finding the entry that a person means. */
import type { OutlineEntry } from "../../../session/mod.ts";
import { lineOf } from "../../commands/entry_line.ts";
import { resolveSaid } from "../../commands/entry_ref.ts";
import type { ReplContext } from "./context.ts";
import type { Item } from "./picker.ts";

/**
 * The id of the entry that is meant: a number of the last list, or what `resolveEntry` takes. Throws
 * a `SessionError` (`unknown_entry`, `ambiguous`).
 */
export async function findEntry(context: ReplContext, text: string): Promise<string> {
  const wanted = text.trim();
  const number = /^\d{1,4}$/.test(wanted) ? context.numbered[Number(wanted) - 1] : undefined;
  if (number !== undefined) return number;
  return await resolveSaid(context.session.session, wanted, { treeCommand: "/tree" });
}

/** The messages of a person, in the order of the file. */
export async function userMessages(context: ReplContext): Promise<OutlineEntry[]> {
  const { entries } = await context.session.session.getOutline();
  return entries.filter(({ excerpt }) =>
    excerpt.type === "message" && excerpt.message.role === "user"
  );
}

/** An entry as an item of a list. */
export function itemOf({ excerpt, label }: OutlineEntry): Item {
  const { who, text } = lineOf(excerpt);
  const isUser = excerpt.type === "message" && excerpt.message.role === "user";
  return {
    text: `${isUser ? "" : `${who}: `}${text}${label === undefined ? "" : ` [${label}]`}`,
    note: excerpt.id.slice(0, 8),
    keywords: excerpt.id,
  };
}
