/** What a client is told of a conversation. */
import type { ModelFacts } from "../../../agent/mod.ts";
import type { Message, ThinkingLevel } from "../../../session/mod.ts";
import type { AgentSession } from "../../agent_session.ts";
import type { SessionStats } from "../../stats.ts";

/** Which session it is. */
export interface SessionPlace {
  readonly sessionId: string;
  /** Null where nothing is kept on disk. */
  readonly sessionFile: string | null;
}

/** The answer to `get_state`. */
export interface RpcState extends SessionPlace {
  readonly sessionName: string | null;
  readonly cwd: string;
  readonly leafId: string | null;
  readonly model: ModelFacts;
  readonly thinkingLevel: ThinkingLevel;
  readonly tools: readonly string[];
  /** A prompt, a compaction or a move is being worked on. */
  readonly isRunning: boolean;
  readonly isCompacting: boolean;
  /** A failed model call waits to be tried again. */
  readonly isRetrying: boolean;
  /** What waits to be delivered. */
  readonly queue: { readonly steering: readonly string[]; readonly followUp: readonly string[] };
  readonly stats: SessionStats;
}

export function placeOf({ session }: AgentSession): SessionPlace {
  return { sessionId: session.id, sessionFile: session.file ?? null };
}

export async function stateOf(live: AgentSession): Promise<RpcState> {
  const { session, agent, model, thinkingLevel, isRunning, isCompacting, isRetrying, queue } = live;
  return {
    ...placeOf(live),
    sessionName: session.name ?? null,
    cwd: session.cwd,
    leafId: session.leafId,
    model: model.facts,
    thinkingLevel,
    tools: agent.tools.map((tool) => tool.name),
    isRunning,
    isCompacting,
    isRetrying,
    queue,
    stats: await live.stats(),
  };
}

/** What the model would get, each message with the id of its entry. */
export async function messagesOf(
  { session }: AgentSession,
): Promise<{ messages: Message[]; entryIds: string[] }> {
  const items = await session.contextItems();
  return {
    messages: items.map(({ message }) => message),
    entryIds: items.map(({ entry }) => entry.id),
  };
}
