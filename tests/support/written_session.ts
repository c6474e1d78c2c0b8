/** Session files for tests, written in few words. */
import { type AssistantMessage, noUsage, type StoredMessage } from "../../lib/session/mod.ts";

/** Says who says what: a chain of messages, a second apart. */
export type Said = readonly (readonly [who: "you" | "model" | "tool", text: string])[];

export interface WrittenSession {
  id?: string;
  cwd?: string;
  /** ISO 8601, of the header; the first message is a second later. */
  start?: string;
  parentSession?: string;
  /** Begins the ids of entries, which are numbered. */
  prefix?: string;
  /** Of each answer, in US dollars; it takes 100 tokens. */
  cost?: number;
  said?: Said;
  /** Whole entries that follow: each hangs on the one before, unless it says otherwise. */
  entries?: readonly Record<string, unknown>[];
}

export const WRITTEN_ID = "0195a000-0000-7000-8000-0000000000aa";

function messageOf(who: Said[number][0], text: string, time: number, cost: number): StoredMessage {
  const content = [{ type: "text" as const, text }];
  switch (who) {
    case "you":
      return { role: "user", content: text, timestamp: time };
    case "tool":
      return {
        role: "toolResult",
        toolCallId: "call_1",
        toolName: "bash",
        content,
        isError: false,
        timestamp: time,
      };
    case "model": {
      const answer: AssistantMessage = {
        role: "assistant",
        content,
        api: "openai-completions",
        provider: "local",
        model: "m",
        usage: {
          ...noUsage(),
          input: 100,
          totalTokens: 100,
          cost: { ...noUsage().cost, input: cost, total: cost },
        },
        stopReason: "stop",
        timestamp: time,
      };
      return answer;
    }
  }
}

/** The text of a session file. Entries are `<prefix>1`, `<prefix>2`, … */
export function writtenSession(written: WrittenSession = {}): string {
  const { id = WRITTEN_ID, cwd = "/tmp", start = "2026-03-02T09:00:00.000Z", said = [] } = written;
  const { prefix = "e", cost = 0, entries = [], parentSession } = written;
  const begin = Date.parse(start);
  const header = { type: "session", version: 3, id, timestamp: start, cwd };
  const lines: unknown[] = [parentSession === undefined ? header : { ...header, parentSession }];
  const bodies = [
    ...said.map(([who, text], at) => ({
      type: "message",
      message: messageOf(who, text, begin + (at + 1) * 1000, cost),
    })),
    ...entries,
  ];
  for (const [at, body] of bodies.entries()) {
    lines.push({
      type: "",
      id: `${prefix}${at + 1}`,
      parentId: at === 0 ? null : `${prefix}${at}`,
      timestamp: new Date(begin + (at + 1) * 1000).toISOString(),
      ...body,
    });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
