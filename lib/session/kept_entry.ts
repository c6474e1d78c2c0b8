/** The failure of an append that took effect all the same. */
import type { SessionError } from "./errors.ts";

/** An append failed, yet its line is in the file and could not be taken back. */
export class KeptEntryError extends Error {
  override readonly name = "KeptEntryError";
  readonly error: SessionError;
  readonly offset: number;

  constructor(error: SessionError, offset: number) {
    super(error.message, { cause: error });
    this.error = error;
    this.offset = offset;
  }
}
