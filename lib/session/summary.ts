/** What a list says of a session. */
import type { ModelRef, SessionEntry, SessionHeader } from "./entry.ts";
import type { LogReader } from "./log_reader.ts";
import { textOf } from "./message.ts";
import { mayHaveUsage, usageInLine, usageOf } from "./usage_totals.ts";

/** A session at a glance. */
export interface SessionSummary {
  /** Its file; in memory its id. */
  path: string;
  id: string;
  cwd: string;
  name?: string;
  parentSession?: string;
  /** ISO 8601. */
  created: string;
  /** ISO 8601, of the newest message; of the file where there is none. */
  modified: string;
  /** All messages on all branches. */
  messageCount: number;
  /** The text of the first message of a person. */
  firstMessage: string;
  model?: ModelRef;
  /** US dollars, all branches and compactions included. */
  cost: number;
}

/** What is counted over a session's entries. */
export type Tally = Pick<SessionSummary, "messageCount" | "firstMessage" | "cost"> & {
  /** ms since the epoch; 0 if there is no message. */
  newest: number;
};

function emptyTally(): Tally {
  return { messageCount: 0, firstMessage: "", cost: 0, newest: 0 };
}

/** Counts over entries in memory. */
export function tallyEntries(entries: readonly SessionEntry[]): Tally {
  const tally = emptyTally();
  for (const entry of entries) {
    if (entry.type === "message") countMessage(tally, entry);
    noteFirst(tally, entry);
    tally.cost += usageOf(entry)?.cost.total ?? 0;
  }
  return tally;
}

/** Counts over a file's entries, parsing no more of them than it must. */
export function tallyLog(reader: LogReader): Tally {
  return reader.settle(() => {
    const tally = emptyTally();
    const index = reader.index();
    for (let position = 0; position < index.size; position++) {
      const head = index.head(position);
      if (head.type === "message") countMessage(tally, head);
      if (
        head.type === "message" && tally.firstMessage === "" && (head.role ?? "user") === "user"
      ) {
        for (const entry of reader.read([head])) noteFirst(tally, entry);
      }
      if (mayHaveUsage(head)) tally.cost += usageInLine(reader.bytes(head))?.cost.total ?? 0;
    }
    return tally;
  });
}

function countMessage(tally: Tally, { timestamp }: { timestamp?: string }): void {
  tally.messageCount++;
  tally.newest = Math.max(tally.newest, Date.parse(timestamp ?? "") || 0);
}

function noteFirst(tally: Tally, entry: SessionEntry): void {
  if (tally.firstMessage !== "" || entry.type !== "message") return;
  if (entry.message.role === "user") tally.firstMessage = textOf(entry.message.content);
}

/** A summary of what was counted and looked up. `fallback` is when there is no message, in ms. */
export function summaryOf(
  path: string,
  header: SessionHeader,
  { newest, ...counted }: Tally,
  found: { name: string | undefined; model: ModelRef | null; fallback: number },
): SessionSummary {
  return {
    path,
    id: header.id,
    cwd: header.cwd,
    ...found.name === undefined ? {} : { name: found.name },
    ...header.parentSession === undefined ? {} : { parentSession: header.parentSession },
    created: header.timestamp,
    modified: new Date(newest || found.fallback).toISOString(),
    ...counted,
    ...found.model === null ? {} : { model: found.model },
  };
}

/** Orders summaries by their newest activity. */
export function byActivity(a: SessionSummary, b: SessionSummary): number {
  return a.modified < b.modified ? 1 : a.modified > b.modified ? -1 : 0;
}
