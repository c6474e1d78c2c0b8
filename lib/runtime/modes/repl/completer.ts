/** What can be typed next: commands, what they take, `@paths`. */
import * as fs from "node:fs";
import * as path from "node:path";
import { THINKING_LEVELS } from "../../../session/mod.ts";
import { lineOf } from "../../commands/entry_line.ts";
import { sessionTitle } from "../../commands/session_title.ts";
import { expandTilde } from "../../config/mod.ts";
import { oneLine } from "../terminal_text.ts";
import { type Candidate, type Completion, matching } from "./completion.ts";
import type { ArgumentKind, ReplContext } from "./context.ts";
import { COMMANDS } from "./commands/table.ts";
import { otherCommands } from "./commands/help.ts";
import { listSessions } from "./sessions.ts";
import { TREE_FILTERS } from "./tree_rows.ts";

const HINT_LENGTH_MAX = 60;
const CANDIDATES_MAX = 200;

type Sources = Pick<ReplContext, "runtime" | "repo" | "session" | "env">;

/** Completes the text before the cursor; undefined if nothing is known that fits. */
export async function complete(
  before: string,
  sources: Sources,
): Promise<Completion | undefined> {
  const command = /^\/([^\s/]*)$/.exec(before);
  if (command) return completion(0, before, commandCandidates(sources));
  const call = /^\/(\S+)\s+([^]*)$/.exec(before);
  const kind = call && COMMANDS.find(({ name }) => name === call[1])?.completes;
  if (call && kind) {
    const word = call[2] ?? "";
    return completion(before.length - word.length, word, await candidatesOf(kind, word, sources));
  }
  const at = /(?:^|\s)@(\S*)$/.exec(before);
  if (!at) return undefined;
  const typed = at[1] ?? "";
  return completion(before.length - typed.length, typed, pathCandidates(typed, sources));
}

function completion(
  from: number,
  typed: string,
  candidates: Iterable<Candidate>,
): Completion | undefined {
  const found = matching(typed, candidates).slice(0, CANDIDATES_MAX);
  return found.length === 0 ? undefined : { from, candidates: found };
}

function commandCandidates(sources: Sources): Candidate[] {
  return [...COMMANDS, ...otherCommands(sources)].map(({ name, does }) => ({
    value: `/${name}`,
    hint: oneLine(does, HINT_LENGTH_MAX),
  }));
}

async function candidatesOf(
  kind: ArgumentKind,
  word: string,
  sources: Sources,
): Promise<Candidate[]> {
  switch (kind) {
    case "command":
      return [...COMMANDS, ...otherCommands(sources)].map(({ name }) => ({ value: name }));
    case "model":
      return (await sources.runtime.services.models.list())
        .filter(({ provider }) => sources.runtime.services.models.usable(provider))
        .map(({ provider, id, name }) => ({ value: `${provider}/${id}`, hint: name }));
    case "session":
      return await sessionCandidates(sources);
    case "entry":
      return await entryCandidates(sources);
    case "tree":
      return [
        ...TREE_FILTERS.map((value) => ({ value })),
        ...await entryCandidates(sources),
      ];
    case "level":
      return THINKING_LEVELS.map((value) => ({ value }));
    case "tool":
      return toolCandidates(word, sources);
    case "path":
      return pathCandidates(word, sources);
    case "trust":
      return ["yes", "no", "forget"].map((value) => ({ value }));
  }
}

async function sessionCandidates({ repo, session, runtime }: Sources): Promise<Candidate[]> {
  const { home } = runtime.services;
  const sessions = await listSessions(repo, { home, cwd: session.session.cwd });
  return sessions.map(({ id, name, firstMessage }) => ({
    value: name ?? id,
    hint: oneLine(sessionTitle({ firstMessage }), HINT_LENGTH_MAX),
  }));
}

/** Labels first, then the entries from the newest on. */
async function entryCandidates({ session }: Sources): Promise<Candidate[]> {
  const { entries } = await session.session.getOutline();
  const newestFirst = entries.toReversed();
  const hint = (entry: typeof entries[number]) => {
    const { who, text } = lineOf(entry.excerpt, HINT_LENGTH_MAX);
    return `${who}: ${text}`;
  };
  return [
    ...newestFirst.flatMap((entry) =>
      entry.label === undefined ? [] : [{ value: entry.label, hint: hint(entry) }]
    ),
    { value: "leaf" },
    ...newestFirst.filter(({ excerpt }) => excerpt.type === "message")
      .map((entry) => ({ value: entry.excerpt.id, hint: hint(entry) })),
  ];
}

/** The last of the names that stand there already. */
function toolCandidates(word: string, { session }: Sources): Candidate[] {
  const before = /^(?:.*[\s,])?[+-]?/.exec(word)?.[0] ?? "";
  return session.allTools.map(({ name }) => ({ value: before + name }));
}

function pathCandidates(typed: string, { session, env }: Sources): Candidate[] {
  const slash = typed.lastIndexOf("/") + 1;
  const folder = typed.slice(0, slash);
  const start = typed.slice(slash);
  const directory = path.resolve(session.session.cwd, expandTilde(folder || ".", env));
  return listed(directory)
    // Hidden files are for those who begin with the dot.
    .filter(({ name }) => start.startsWith(".") || !name.startsWith("."))
    .filter(({ name }) => name.startsWith(start))
    .map((entry) =>
      entry.isDirectory()
        ? { value: `${folder}${entry.name}/`, goesOn: true }
        : { value: `${folder}${entry.name}` }
    );
}

/** Nothing for a folder that cannot be read: there is nothing to complete then. */
function listed(directory: string): fs.Dirent[] {
  try {
    return fs.readdirSync(directory, { withFileTypes: true })
      .sort((a, b) => a.name < b.name ? -1 : 1);
  } catch {
    return [];
  }
}
