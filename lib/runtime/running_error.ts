/**
 * Something is going on in the conversation, and what was asked for cannot be done meanwhile.
 *
 * @example
 * ```ts
 * import { createAgentSession, replayModel, RunningError } from "bough";
 *
 * const model = replayModel({
 *   messages: [{ role: "assistant", content: [{ type: "text", text: "Hello." }] }],
 * });
 * const { session } = await createAgentSession({ model });
 * const first = session.prompt("Say hello.");
 * try {
 *   await session.prompt("And again.");
 * } catch (error) {
 *   if (!(error instanceof RunningError)) throw error;
 *   await session.followUp("And again.");
 * }
 * await first;
 * await session.dispose();
 * ```
 */
export class RunningError extends Error {
  override readonly name = "RunningError";
}
