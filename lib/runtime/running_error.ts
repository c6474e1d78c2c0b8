/** Something is going on in the conversation, and what was asked for cannot be done meanwhile. */
export class RunningError extends Error {
  override readonly name = "RunningError";
}
