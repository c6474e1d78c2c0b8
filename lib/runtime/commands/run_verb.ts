/** From a verb to what does it; each is loaded only when it is called. */
import type { ExitCode } from "../command_line/exit_code.ts";
import type { VerbCall } from "../command_line/parse.ts";
import { UsageError } from "../modes/exit_codes.ts";
import type { VerbPorts } from "./ports.ts";

/** Does what a verb asks for, and resolves with the exit code. */
export async function runVerb(call: VerbCall, ports: VerbPorts): Promise<ExitCode> {
  switch (call.verb) {
    case "models": {
      const { listModels } = await import("./models.ts");
      return await listModels(call, ports);
    }
    case "doctor": {
      const { doctor } = await import("./doctor.ts");
      return await doctor(call, ports);
    }
    case "auth set":
    case "auth remove":
    case "auth check": {
      const { auth } = await import("./auth.ts");
      return await auth(call, ports);
    }
    case "completions":
    case "help":
    case "version":
      return await completions(call, ports);
    default: {
      const { runSessionVerb } = await import("./session/run.ts");
      return await runSessionVerb({ ...call, verb: call.verb }, ports);
    }
  }
}

async function completions(call: VerbCall, { stdout }: VerbPorts): Promise<ExitCode> {
  const [shell = ""] = call.operands;
  const { completionScript, SHELLS } = await import("../command_line/completions.ts");
  const known = SHELLS.find((each) => each === shell);
  if (known === undefined) {
    throw new UsageError(
      `Cannot make completions for "${shell}": the shells are ${SHELLS.join(", ")}`,
    );
  }
  stdout.write(completionScript(known));
  return 0;
}
