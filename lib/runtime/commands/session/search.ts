/** `session search`: full text over prompts, answers and tool output. */
import { SEARCHED_ROLES, type SearchedRole, type SearchHit } from "../../../session/mod.ts";
import type { ExitCode } from "../../command_line/exit_code.ts";
import { UsageError } from "../../modes/exit_codes.ts";
import { ageOf } from "../ages.ts";
import { textColumns } from "../text_columns.ts";
import { directoryOf, limitOf, sinceOf, withCatalog } from "./sessions.ts";
import { optionValue, printJson, printText, restOf, type SessionVerb } from "./verb.ts";

export async function search(verb: SessionVerb): Promise<ExitCode> {
  const text = restOf(verb, 0) ?? "";
  if (text.replaceAll(/["“”\s]/g, "") === "") {
    throw new UsageError("Cannot search: there are no words to look for");
  }
  const role = optionValue(verb, "role", roleOf, `it must be one of ${SEARCHED_ROLES.join(", ")}`);
  const hits = await withCatalog(
    verb,
    "Reading sessions for searching",
    (catalog) =>
      catalog.search(text, {
        ...directoryOf(verb),
        ...sinceOf(verb),
        ...limitOf(verb),
        ...role === undefined ? {} : { role },
      }),
  );
  if (verb.ports.signal.aborted) return 1;
  if (verb.json) printJson(verb, hits.map(listed));
  else {
    await printText(verb, [table(verb, hits)]);
    if (hits.length === 0) verb.report.note(nothing(verb, text));
  }
  return 0;
}

function roleOf(text: string): SearchedRole | undefined {
  return SEARCHED_ROLES.find((role) => role === text);
}

function listed({ path, id, cwd, name, entryId, role, timestamp, match, snippet }: SearchHit) {
  return {
    path,
    id,
    cwd,
    name: name ?? null,
    entryId: entryId ?? null,
    role: role ?? null,
    timestamp,
    match,
    snippet,
  };
}

function table(verb: SessionVerb, hits: readonly SearchHit[]): string {
  const now = verb.now();
  const whose: Record<SearchedRole, string> = { user: "you", assistant: "model", tool: "tool" };
  return textColumns(
    [
      { heading: "said" },
      { heading: "session", isId: true },
      { heading: "entry" },
      { heading: "by" },
      { heading: "found", givesWay: true },
    ],
    hits.map(({ id, entryId, role, timestamp, match, snippet }) => [
      ageOf(Date.parse(timestamp), now),
      id,
      entryId ?? "-",
      role ? whose[role] : match,
      snippet,
    ]),
    verb.width,
  );
}

function nothing({ call, cwd }: SessionVerb, text: string): string {
  const where = call.flags.has("all")
    ? "no session has it"
    : `no session of ${cwd} has it; --all searches those of all directories`;
  return `Nothing was found for ${text}: ${where}`;
}
