/** Why an extension cannot have what it asked for. */
export type ExtensionErrorCode = "stale" | "not_now" | "bad_registration" | "no_person";

/** An extension asked for something that it cannot have; the message says what to do instead. */
export class ExtensionError extends Error {
  override readonly name = "ExtensionError";
  readonly code: ExtensionErrorCode;

  constructor(code: ExtensionErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
