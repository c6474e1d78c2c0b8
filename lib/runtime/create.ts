import type { Model, Tool } from "../agent/mod.ts";
import { MemorySessionRepo, type Session } from "../session/mod.ts";
import { AgentSession } from "./agent_session.ts";
import type { AgentSessionOptions } from "./agent_session_options.ts";
import { shellWith } from "./user_shell.ts";

/** What `createAgentSession` takes: an `AgentSession`'s options; only `model` is needed. */
export interface CreateAgentSessionOptions extends Omit<AgentSessionOptions, "session"> {
  model: Model;
  /** From a `JsonlSessionRepo`; without it, a session in memory for `cwd`. */
  session?: Session;
  /** The directory of a session in memory; the process's own by default. */
  cwd?: string;
  tools?: readonly Tool[];
}

/**
 * Makes a live conversation over a session. A session with history is gone on with: its thinking
 * level is restored unless `thinkingLevel` is given. Rejects with a `SessionError` if the session
 * cannot be read.
 *
 * `dispose()` it when you are done: that stops what is going on and closes the session.
 *
 * @example
 * ```ts
 * import { createAgentSession, replayModel } from "bough";
 *
 * const model = replayModel({
 *   messages: [{ role: "assistant", content: [{ type: "text", text: "Hello." }] }],
 * });
 * const { session } = await createAgentSession({ model });
 * const outcome = await session.prompt("Say hello.");
 * console.log(outcome.text);
 * await session.dispose();
 * ```
 */
export async function createAgentSession(
  options: CreateAgentSessionOptions,
): Promise<{ session: AgentSession }> {
  const { cwd = process.cwd(), ...rest } = options;
  const session = options.session ?? await new MemorySessionRepo().create({ cwd });
  const thinkingLevel = options.thinkingLevel ?? (await session.buildContext()).thinkingLevel;
  return {
    session: new AgentSession({
      shell: shellWith(() => process.env),
      ...rest,
      session,
      thinkingLevel,
    }),
  };
}
