/** `session list`: what there is, newest activity first. */
import * as fs from "node:fs";
import * as path from "node:path";
import { errorCode, FileLock, type SessionSummary } from "../../../session/mod.ts";
import type { ExitCode } from "../../command_line/exit_code.ts";
import { ageOf } from "../ages.ts";
import { sessionTitle } from "../session_title.ts";
import { textColumns } from "../text_columns.ts";
import { directoryOf, limitOf, sinceOf, withCatalog } from "./sessions.ts";
import { printJson, printText, type SessionVerb } from "./verb.ts";

/** A session, as `--json` tells it. */
interface ListedSession {
  path: string;
  id: string;
  cwd: string;
  name: string | null;
  parentSession: string | null;
  created: string;
  modified: string;
  messageCount: number;
  firstMessage: string;
  model: SessionSummary["model"] | null;
  cost: number;
  /** Another process is writing it. */
  busy: boolean;
}

/** A person reads no more than this at once; for programs there is no end but the one they name. */
const SHOWN_MAX = 50;

export async function list(verb: SessionVerb): Promise<ExitCode> {
  const named = limitOf(verb).limit;
  const limit = named ?? (verb.width === undefined || verb.json ? Infinity : SHOWN_MAX + 1);
  const summaries = await withCatalog(
    verb,
    "Reading sessions",
    (catalog) => catalog.list({ ...directoryOf(verb), ...sinceOf(verb), limit }),
  );
  if (verb.ports.signal.aborted) return 1;
  if (verb.json) {
    const isBusy = busyTest(summaries);
    printJson(verb, summaries.map((summary) => listed(summary, isBusy(summary.path))));
    return 0;
  }
  const shown = named === undefined && verb.width !== undefined
    ? summaries.slice(0, SHOWN_MAX)
    : summaries;
  await printText(verb, [table(verb, shown)]);
  if (shown.length < summaries.length) {
    verb.report.note(`The newest ${SHOWN_MAX} are shown; --limit <n> shows more`);
  }
  if (summaries.length === 0) verb.report.note(nothing(verb));
  return 0;
}

function listed(summary: SessionSummary, busy: boolean): ListedSession {
  const { path, id, cwd, created, modified, messageCount, firstMessage, cost } = summary;
  return {
    path,
    id,
    cwd,
    name: summary.name ?? null,
    parentSession: summary.parentSession ?? null,
    created,
    modified,
    messageCount,
    firstMessage,
    model: summary.model ?? null,
    cost,
    busy,
  };
}

/** Whoever writes a session has a lock file beside it; without one nobody needs to be asked. */
function busyTest(summaries: readonly SessionSummary[]): (file: string) => boolean {
  const directories = new Set(summaries.map((summary) => path.dirname(summary.path)));
  const locks = new Set<string>();
  for (const directory of directories) {
    for (const name of namesIn(directory)) {
      if (name.endsWith(".lock")) locks.add(path.join(directory, name));
    }
  }
  const lock = new FileLock();
  return (file) => {
    if (!locks.has(`${file}.lock`)) return false;
    const { state } = lock.inspect(file);
    return state === "held" || state === "elsewhere";
  };
}

/** Nothing of a directory that went with its last session since it was listed. */
function namesIn(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

function table(verb: SessionVerb, summaries: readonly SessionSummary[]): string {
  const isAll = verb.call.flags.has("all");
  const isBusy = busyTest(summaries);
  const now = verb.now();
  return textColumns(
    [
      { heading: "active" },
      { heading: "messages", align: "right" },
      { heading: "cost", align: "right" },
      { heading: "id", isId: true },
      ...isAll ? [{ heading: "directory" }] : [],
      { heading: "session", givesWay: true },
    ],
    summaries.map((summary) => [
      isBusy(summary.path) ? "now (busy)" : ageOf(Date.parse(summary.modified), now),
      String(summary.messageCount),
      costText(summary.cost),
      summary.id,
      ...isAll ? [summary.cwd] : [],
      sessionTitle(summary) || "(nothing was said)",
    ]),
    verb.width,
  );
}

/** Dollars, to the cent, or to the first digit that says something. */
export function costText(dollars: number): string {
  if (dollars === 0) return "-";
  return dollars >= 0.01 ? `$${dollars.toFixed(2)}` : `$${dollars.toPrecision(1)}`;
}

function nothing({ call, cwd }: SessionVerb): string {
  if (call.values.has("since")) return "No session was active in this time";
  return call.flags.has("all")
    ? "There are no sessions yet"
    : `There are no sessions of ${cwd}; --all lists those of all directories`;
}
