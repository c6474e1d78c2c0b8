/** Where the older part of a context ends and the kept part begins. */
import type { ContextItem, Message } from "../session/mod.ts";
import { estimateMessage } from "./tokens.ts";

/**
 * Whether the kept part may begin at each item (and, last, after all of them). It may begin at
 * everything but a tool result, never between a call and its result, and never inside the retained
 * tail of an earlier compaction, whose messages have no entries of their own to name.
 */
function possibleCuts(items: readonly ContextItem[]): boolean[] {
  const possible = items.map(({ message }) => mayBegin(message));
  const inTail = items.map(isRetained);
  possible.push(inTail.at(-1) ?? false);
  for (let index = 0; index < items.length; index++) {
    if (inTail[index]) possible[index] = false;
  }
  // Call ids are not unique in every file: a result belongs to the nearest call before it.
  const calls = new Map<string, number>();
  items.forEach(({ message }, index) => {
    for (const id of callIds(message)) calls.set(id, index);
    if (message.role !== "toolResult") return;
    const call = calls.get(message.toolCallId);
    if (call !== undefined) possible.fill(false, call + 1, index + 1);
  });
  return possible;
}

/**
 * The first item of the longest end of `items` that fits `keepTokens`; where not even the shortest
 * one fits, that one. `undefined` if there is no place to cut after `start`.
 */
export function findCut(
  items: readonly ContextItem[],
  start: number,
  keepTokens: number,
): number | undefined {
  const possible = possibleCuts(items);
  let cut: number | undefined = possible[items.length] ? items.length : undefined;
  let tokens = 0;
  for (let index = items.length - 1; index >= start; index--) {
    const item = items[index];
    if (!item) break;
    tokens += estimateMessage(item.message);
    if (cut !== undefined && tokens > keepTokens) break;
    // What is not sent (a failed answer) is no end to keep.
    if (possible[index] && tokens > 0) cut = index;
  }
  return cut;
}

/**
 * The first item of the turn that a cut falls into; the cut itself where it falls between turns, or
 * leaves nothing of the turn behind but its question. A turn is over with an answer that calls no
 * tools.
 */
export function turnStart(items: readonly ContextItem[], start: number, cut: number): number {
  if (items[cut]?.message.role !== "assistant") return cut;
  const ended = items.slice(start, cut).findLastIndex(({ message }) => endsTurn(message));
  const first = start + ended + 1;
  const isAnswered = items.slice(first, cut).some(({ message }) => message.role === "assistant");
  return isAnswered ? first : cut;
}

/** Whether a message came with the retained tail of a compaction. */
function isRetained({ entry, message }: ContextItem): boolean {
  return entry.type === "compaction" && message.role !== "compactionSummary";
}

function mayBegin(message: Message): boolean {
  switch (message.role) {
    case "user":
    case "assistant":
    case "bashExecution":
    case "custom":
    case "branchSummary":
      return true;
    case "toolResult":
    case "compactionSummary":
    case "system":
      return false;
  }
}

function endsTurn(message: Message): boolean {
  if (message.role !== "assistant" || message.stopReason === "error") return false;
  return message.stopReason === "aborted" || callIds(message).length === 0;
}

function callIds(message: Message): string[] {
  if (message.role !== "assistant") return [];
  return message.content.flatMap((block) => block.type === "toolCall" ? [block.id] : []);
}
