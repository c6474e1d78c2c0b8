/** Why a run is stopped before its end, and what that means. */
import type { ExitCode } from "../command_line/exit_code.ts";

export type StopSignal = "SIGHUP" | "SIGINT" | "SIGTERM";

export type StopCause =
  | { readonly kind: "signal"; readonly signal: StopSignal }
  /** `message` says which limit. */
  | {
    readonly kind: "limit";
    readonly limit: "time" | "turns" | "cost";
    readonly message: string;
  }
  /** The reader of stdout closed its end. */
  | { readonly kind: "pipe" }
  /** stdout cannot be written. */
  | { readonly kind: "output"; readonly error: Error };

const SIGNAL_CODES: Record<StopSignal, ExitCode> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** What a run ends with that was stopped. */
export function stopExitCode(cause: StopCause): ExitCode {
  switch (cause.kind) {
    case "signal":
      return SIGNAL_CODES[cause.signal];
    case "limit":
      return 6;
    case "pipe":
      return 141;
    case "output":
      return 1;
  }
}

/** The one way to stop a run; the first cause is the one that counts. */
export class Stopper {
  readonly #controller = new AbortController();
  #cause: StopCause | undefined;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get cause(): StopCause | undefined {
    return this.#cause;
  }

  stop(cause: StopCause): void {
    if (this.#cause) return;
    this.#cause = cause;
    this.#controller.abort();
  }
}
