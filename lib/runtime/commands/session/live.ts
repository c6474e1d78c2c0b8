/** A session with a model, for the verbs that need one. */
import type { AgentSession } from "../../agent_session.ts";
import { UsageError } from "../../modes/exit_codes.ts";
import { sessionFileOf, type SessionVerb } from "./verb.ts";

/**
 * Makes the session live as a run would (its directory, settings, hooks and retries), does the work
 * and lets go of it. Throws what opening a run throws.
 */
export async function withModel<T>(
  verb: SessionVerb,
  work: (live: AgentSession) => Promise<T>,
): Promise<T> {
  const { call, ports, report } = verb;
  if (call.run.busy.kind === "fork") {
    throw new UsageError(
      `Cannot use --busy fork with "${call.verb}": it is about this session alone; ` +
        "use fail or wait",
    );
  }
  const { openRuntime } = await import("../../open.ts");
  const file = await sessionFileOf(verb);
  const { runtime, warnings } = await openRuntime(
    { ...call.run, session: { kind: "open", session: file } },
    {
      signal: ports.signal,
      env: ports.env,
      startDirectory: ports.cwd(),
      onWait: (message) => report.note(message),
    },
  );
  const stop = () => void runtime.session.abort();
  ports.signal.addEventListener("abort", stop, { once: true });
  const unsubscribe = runtime.session.subscribe((event) => {
    // How a compaction ended, the verb itself tells.
    if (event.type !== "compaction_end") report.progress(event);
  });
  try {
    for (const { message } of warnings) report.note(message);
    await runtime.start();
    // Nothing more of a signal is told than the one time, which may have been before.
    ports.signal.throwIfAborted();
    return await work(runtime.session);
  } finally {
    unsubscribe();
    ports.signal.removeEventListener("abort", stop);
    await runtime.dispose();
  }
}
