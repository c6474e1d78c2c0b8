/** What nobody caught. */

const CRASHES = ["uncaughtException", "unhandledRejection"] as const;

/** Where uncaught errors come from; `process` is one. */
export interface CrashSource {
  on(crash: typeof CRASHES[number], listener: (error: unknown) => void): unknown;
  off(crash: typeof CRASHES[number], listener: (error: unknown) => void): unknown;
}

/**
 * Calls back with the first error that nobody caught, until the returned function is called. The
 * runtime would end the program at once: with the terminal as the REPL has it, and the exit code of
 * a model that failed.
 */
export function listenForCrashes(
  source: CrashSource,
  onCrash: (error: unknown) => void,
): () => void {
  let hasCrashed = false;
  const listener = (error: unknown) => {
    if (hasCrashed) return;
    hasCrashed = true;
    onCrash(error);
  };
  for (const crash of CRASHES) source.on(crash, listener);
  return () => {
    for (const crash of CRASHES) source.off(crash, listener);
  };
}
