/** What a signal does: the first stops the run in order, a second one ends the program at once. */
import { stopExitCode, type StopSignal } from "./stop.ts";
import type { ExitCode } from "../command_line/exit_code.ts";

/** How long a stopped run may take to save and to end its children. */
export const STOP_MS_MAX = 1_800;

const SIGNALS: readonly StopSignal[] = ["SIGHUP", "SIGINT", "SIGTERM"];

/** Where signals come from; `process` is one. */
export interface SignalSource {
  on(signal: StopSignal, listener: () => void): unknown;
  off(signal: StopSignal, listener: () => void): unknown;
}

export interface SignalOptions {
  /** Stops the run: aborts it, so that it saves and ends its children. */
  stop(signal: StopSignal): void;
  /** Takes a SIGINT as what a person types; true: there is nothing to stop. */
  interrupt?(): boolean;
  /** Ends the program without another thought. */
  end(code: ExitCode): void;
}

/**
 * Listens until the returned function is called. If a stopped run has not ended in time (a reader
 * that stands still, a disk that hangs), the program ends all the same.
 */
export function listenForSignals(source: SignalSource, options: SignalOptions): () => void {
  let deadline: ReturnType<typeof setTimeout> | undefined;
  const listeners = SIGNALS.map((signal) => {
    const code = stopExitCode({ kind: "signal", signal });
    const listener = () => {
      if (signal === "SIGINT" && options.interrupt?.()) return;
      if (deadline !== undefined) return options.end(code);
      deadline = setTimeout(() => options.end(code), STOP_MS_MAX);
      options.stop(signal);
    };
    source.on(signal, listener);
    return { signal, listener };
  });
  return () => {
    clearTimeout(deadline);
    for (const { signal, listener } of listeners) source.off(signal, listener);
  };
}
