/** Runs of the binary in a public case (tests/fixtures/cases): its files at hand, its provider on loopback. */
import * as fs from "node:fs";
import * as path from "node:path";
import { caseDirectory } from "./cases.ts";
import { LocalRun } from "./local_run.ts";
import type { Plan } from "./scripted_server.ts";

/** A run with copies of a case's session files in its directory; files of the plan are the case's. */
export async function inCase(
  name: string,
  plan: Plan,
  options: { contextWindow?: number } = {},
): Promise<LocalRun> {
  const directory = caseDirectory(name);
  const run = await LocalRun.start(plan, { directory, ...options });
  for (const file of fs.readdirSync(directory).filter((file) => file.endsWith(".jsonl"))) {
    run.temp.write(`work/${file}`, fs.readFileSync(path.join(directory, file)));
  }
  return run;
}

/** A message as a provider got it, OpenAI style. */
export interface SentMessage {
  role: string;
  content: unknown;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** The messages of a request, the last one if not said otherwise. */
export function messagesOf(run: LocalRun, at = -1): SentMessage[] {
  const messages = run.server.bodies().at(at)?.["messages"];
  return Array.isArray(messages) ? messages : [];
}
