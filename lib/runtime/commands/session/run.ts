/** From a session verb to what does it; each is loaded only when it is called. */
import type { ExitCode } from "../../command_line/exit_code.ts";
import type { VerbCall } from "../../command_line/parse.ts";
import type { VerbName } from "../../command_line/verbs.ts";
import type { VerbPorts } from "../ports.ts";
import { openVerb, type SessionVerb } from "./verb.ts";

/** The verbs that are here. */
export type SessionVerbName = Extract<VerbName, `session ${string}`>;

type Run = (verb: SessionVerb) => Promise<ExitCode>;

const RUNS: Record<SessionVerbName, () => Promise<Run>> = {
  "session list": async () => (await import("./list.ts")).list,
  "session search": async () => (await import("./search.ts")).search,
  "session show": async () => (await import("./show.ts")).show,
  "session tree": async () => (await import("./tree.ts")).tree,
  "session move": async () => (await import("./move.ts")).move,
  "session fork": async () => (await import("./fork.ts")).fork,
  "session clone": async () => (await import("./fork.ts")).fork,
  "session label": async () => (await import("./label.ts")).label,
  "session name": async () => (await import("./label.ts")).name,
  "session drop": async () => (await import("./label.ts")).drop,
  "session diff": async () => (await import("./diff.ts")).diff,
  "session compact": async () => (await import("./compact.ts")).compact,
  "session export": async () => (await import("./export.ts")).exportSession,
  "session import": async () => (await import("./import.ts")).importSessions,
  "session verify": async () => (await import("./verify.ts")).verify,
  "session repair": async () => (await import("./repair.ts")).repair,
  "session stats": async () => (await import("./stats.ts")).stats,
  "session rm": async () => (await import("./remove.ts")).remove,
  "session prune": async () => (await import("./remove.ts")).prune,
  "session path": async () => (await import("./path.ts")).printPath,
};

/** Does what a session verb asks for. */
export async function runSessionVerb(
  call: VerbCall & { verb: SessionVerbName },
  ports: VerbPorts,
): Promise<ExitCode> {
  const run = await RUNS[call.verb]();
  return await run(await openVerb(call, ports));
}
