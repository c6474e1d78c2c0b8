/** What a conversation has used so far. Derived from the entries; nothing of it is stored. */
import type { ModelFacts } from "../agent/mod.ts";
import type { Session, Usage } from "../session/mod.ts";

/** Tokens, cost and counts of a conversation. */
export interface SessionStats {
  /** The size of the context now. `percent` is absent where the model's window is not known. */
  context: { tokens: number; window: number; percent?: number };
  /** Answers, retries, compactions and summaries of the active branch. */
  branch: Usage;
  /** The same of all branches. */
  session: Usage;
  /** Of the active branch. */
  messages: { user: number; assistant: number; toolCalls: number; toolResults: number };
}

/** Counts a session; `contextTokens` is the size of its context as it is now. */
export async function sessionStats(
  session: Session,
  facts: ModelFacts,
  contextTokens: number,
): Promise<SessionStats> {
  const totals = await session.usageTotals();
  const window = facts.contextWindow;
  const messages = { user: 0, assistant: 0, toolCalls: 0, toolResults: 0 };
  for (const entry of await session.getBranch()) {
    if (entry.type !== "message") continue;
    const { message } = entry;
    if (message.role === "user") messages.user++;
    else if (message.role === "toolResult") messages.toolResults++;
    else if (message.role === "assistant") {
      messages.assistant++;
      messages.toolCalls += message.content.filter((block) => block.type === "toolCall").length;
    }
  }
  return {
    context: {
      tokens: contextTokens,
      window,
      ...(window > 0 ? { percent: Math.round(contextTokens / window * 1000) / 10 } : {}),
    },
    branch: totals.branch,
    session: totals.session,
    messages,
  };
}
