/** `session rm` and `session prune`: what is deleted, and only that. */
import { nodeFileSystem, SessionError, type SessionSummary } from "../../../session/mod.ts";
import type { ExitCode } from "../../command_line/exit_code.ts";
import { parseDuration } from "../../command_line/values.ts";
import { exitCodeOf, UsageError } from "../../modes/exit_codes.ts";
import { ageOf } from "../ages.ts";
import { sessionTitle } from "../session_title.ts";
import { textColumns } from "../text_columns.ts";
import { directoryOf, indexFileOf, withCatalog } from "./sessions.ts";
import {
  optionValue,
  printJson,
  printLine,
  printText,
  sessionFileOf,
  type SessionVerb,
  whenFree,
} from "./verb.ts";

/** Deletes one session, and prints which file that was. */
export async function remove(verb: SessionVerb): Promise<ExitCode> {
  const path = await sessionFileOf(verb);
  await whenFree(verb, () => verb.repo.delete(path));
  await forget(verb, [path]);
  if (verb.json) printJson(verb, { path, deleted: true });
  else printLine(verb, path);
  return 0;
}

/** Shows the sessions that were not active for long; with `--yes` deletes them. */
export async function prune(verb: SessionVerb): Promise<ExitCode> {
  const age = optionValue(
    verb,
    "older-than",
    (text) => parseDuration(text) || undefined,
    "it must be a time such as 90d",
  );
  if (age === undefined) {
    throw new UsageError("Cannot prune: say how old with --older-than, such as --older-than 90d");
  }
  const before = verb.now() - age;
  const summaries = await withCatalog(
    verb,
    "Reading sessions",
    (catalog) => catalog.list(directoryOf(verb)),
  );
  if (verb.ports.signal.aborted) return 1;
  const old = summaries.filter(({ modified }) => Date.parse(modified) < before);
  return verb.call.flags.has("yes") ? await removeAll(verb, old) : await showAll(verb, old);
}

async function showAll(verb: SessionVerb, old: readonly SessionSummary[]): Promise<ExitCode> {
  if (verb.json) printJson(verb, old.map((one) => told(one, false)));
  else await printText(verb, [table(verb, old)]);
  if (old.length === 0) verb.report.note("No session is that old");
  else verb.report.note(`Nothing was deleted: --yes deletes these ${old.length}`);
  return 0;
}

/** One that cannot be deleted keeps none of the others. */
async function removeAll(verb: SessionVerb, old: readonly SessionSummary[]): Promise<ExitCode> {
  const gone: SessionSummary[] = [];
  const kept: SessionSummary[] = [];
  let code: ExitCode = 0;
  for (const one of old) {
    if (verb.ports.signal.aborted) break;
    try {
      await verb.repo.delete(one.path);
      gone.push(one);
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
      code ||= exitCodeOf(error);
      kept.push(one);
      verb.report.error(error.message);
    }
  }
  await forget(verb, gone.map(({ path }) => path));
  if (verb.json) {
    printJson(verb, [
      ...gone.map((one) => told(one, true)),
      ...kept.map((one) => told(one, false)),
    ]);
  } else await printText(verb, [table(verb, gone)]);
  return code;
}

/** Takes what was deleted out of the index, too, if there is one. */
async function forget(verb: SessionVerb, files: readonly string[]): Promise<void> {
  if (files.length === 0 || !nodeFileSystem.stat(indexFileOf(verb))) return;
  await withCatalog(verb, "Cleaning the index", (catalog) => {
    for (const file of files) catalog.forget(file);
    return Promise.resolve();
  });
}

function told({ path, id, modified }: SessionSummary, deleted: boolean) {
  return { path, id, modified, deleted };
}

function table(verb: SessionVerb, summaries: readonly SessionSummary[]): string {
  const now = verb.now();
  return textColumns(
    [{ heading: "active" }, { heading: "id", isId: true }, { heading: "session", givesWay: true }],
    summaries.map((summary) => [
      ageOf(Date.parse(summary.modified), now),
      summary.id,
      sessionTitle(summary),
    ]),
    verb.width,
  );
}
