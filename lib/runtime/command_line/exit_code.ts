/** The exit codes and what they say, for the code, the help and the man page. */

/** What each exit code means, in its order. */
export const EXIT_CODES = {
  0: "answered",
  1: "the model or provider failed (after retries), or the output could not be written",
  2: "usage: bad option, no prompt, a bad combination",
  3: "configuration: no model, no key or a refused key, unreadable or wrong settings",
  4: "session: not found, ambiguous, not a session, its directory is gone, newer version, " +
    "nothing could be saved",
  5: "session busy: another process is writing it",
  6: "a limit was reached: time, turns or cost; what was done is saved and can be resumed",
  7: "the answer was cut at the model's output limit; the partial text is printed",
  8: "the answer did not fit the schema",
  9: "answered, but the session could not be saved",
  70: "a bug here; the report says where",
  129: "SIGHUP",
  130: "SIGINT",
  141: "SIGPIPE",
  143: "SIGTERM",
} as const;

/** What the program ends with. */
export type ExitCode = keyof typeof EXIT_CODES;
