/** `bough session repair`: a sound file in place of a damaged one. */
import { type RepairReport, repairSession, waitForLock } from "../../session/mod.ts";
import type { ExitCode } from "../command_line/exit_code.ts";
import type { VerbCall } from "../command_line/parse.ts";
import { UsageError } from "../modes/exit_codes.ts";
import { Report } from "../modes/report.ts";
import { findDamaged, sessionPlace } from "./damaged_session.ts";
import type { VerbPorts } from "./ports.ts";

/** Repairs a session and tells what it did; a sound one is left as it is. */
export async function sessionRepair(call: VerbCall, ports: VerbPorts): Promise<ExitCode> {
  const [text = ""] = call.operands;
  const file = await findDamaged(text, await sessionPlace(call, ports));
  const report = await repairWhenFree(file, call, ports);
  const { stdout } = ports;
  stdout.show(call.flags.has("json") ? `${JSON.stringify(report)}\n` : describeReport(report));
  return 0;
}

async function repairWhenFree(
  file: string,
  { run }: VerbCall,
  { stderr, signal }: VerbPorts,
): Promise<RepairReport> {
  const { busy } = run;
  switch (busy.kind) {
    case "fail":
      return repairSession(file);
    case "wait":
      return await waitForLock(() => repairSession(file), {
        signal,
        ...busy.ms === undefined ? {} : { timeoutMs: busy.ms },
        onBusy: (error) => new Report(stderr, run).note(`Waiting: ${error.message}`),
      });
    case "fork":
      throw new UsageError(
        "Cannot use --busy fork with session repair: it repairs the session itself; use fail or " +
          "wait",
      );
  }
}

function describeReport({ file, entries, backup, changes }: RepairReport): string {
  if (changes.length === 0) return `${file}: sound, nothing to repair\n`;
  const lines = changes.map(({ line, entryId, did }) => {
    const entry = entryId === undefined ? "" : `, entry ${entryId}`;
    return line === undefined ? `  ${did}` : `  line ${line}${entry}: ${did}`;
  });
  const kept = backup === undefined ? [] : [`The damaged file is kept as ${backup}`];
  return [`${file}: repaired, ${entries} entries`, ...lines, ...kept].join("\n") + "\n";
}
