/** `bough auth`: the stored keys. None is ever shown. */
import * as path from "node:path";
import type { ExitCode } from "../command_line/exit_code.ts";
import type { VerbCall } from "../command_line/parse.ts";
import {
  boughHome,
  ConfigError,
  type KeyStatus,
  listProviders,
  loadServices,
  type ModelRegistry,
  removeKey,
  setKey,
} from "../config/mod.ts";
import { exitCodeOf, UsageError } from "../modes/exit_codes.ts";
import { Report } from "../modes/report.ts";
import { readStdin } from "../modes/stdin.ts";
import { askOnce } from "./ask_once.ts";
import type { VerbPorts } from "./ports.ts";

const KEY_BYTES_MAX = 64 * 1024;

/** Stores, forgets or looks for the key of a provider. */
export async function auth(call: VerbCall, ports: VerbPorts): Promise<ExitCode> {
  const [provider = ""] = call.operands;
  const home = boughHome(ports.env, ports.cwd());
  // Keys are the user's, whatever the project and the settings say.
  const { models } = await loadServices({ cwd: ports.cwd(), home, env: ports.env, bare: true });
  const places = {
    call,
    ports,
    home,
    provider,
    models,
    report: new Report(ports.stderr, call.run),
  };
  switch (call.verb) {
    case "auth set":
      return await set(places);
    case "auth remove":
      return await remove(places);
    default:
      return await check(places);
  }
}

interface Places {
  readonly call: VerbCall;
  readonly ports: VerbPorts;
  readonly home: string;
  readonly provider: string;
  readonly models: ModelRegistry;
  readonly report: Report;
}

async function set({ ports, home, provider, models, report }: Places): Promise<ExitCode> {
  const { source, variable } = models.keyStatus(provider);
  const key = await readKey(provider, ports, report);
  if (key === undefined) return 130;
  await setKey({ home, provider }, key);
  report.note(`The key of ${provider} is stored in ${path.join(home, "auth.json")}`);
  if (source === "environment") {
    report.note(`${variable} is set, too, and goes before the stored key`);
  }
  return 0;
}

/** The key from stdin, or from a hidden prompt on a terminal; undefined if that was left. */
async function readKey(
  provider: string,
  ports: VerbPorts,
  report: Report,
): Promise<string | undefined> {
  const stdin = ports.stdin();
  if (stdin.kind === "terminal") {
    const { askHidden } = await import("./hidden_prompt.ts");
    const { ProcessTerminal } = await import("../modes/repl/process_terminal.ts");
    return await askHidden(`Key of ${provider} (it is not shown): `, {
      terminal: new ProcessTerminal(ports.stderr),
      signal: ports.signal,
    });
  }
  const { text } = await readStdin(stdin, {
    choice: "read",
    maxBytes: KEY_BYTES_MAX,
    hasPrompt: false,
    timer: ports.timer,
    signal: ports.signal,
    notice: () => report.note(`Waiting for the key of ${provider} on stdin, until that ends`),
  });
  if (text !== undefined || ports.signal.aborted) return text;
  throw new UsageError(
    `Cannot store the key of ${provider}: stdin has none; pipe it in, or run this on a terminal`,
  );
}

async function remove({ home, provider, models, report }: Places): Promise<ExitCode> {
  // A provider that models.json no longer has may still have a key; else its name is a mistake.
  if (!listProviders({ home }).includes(provider)) models.keyStatus(provider);
  const removed = await removeKey({ home, provider });
  report.note(
    removed ? `The key of ${provider} is forgotten` : `There was no stored key of ${provider}`,
  );
  return 0;
}

/** What `auth check` tells. */
interface Checked extends KeyStatus {
  readonly provider: string;
  readonly ok: boolean;
  /** Why requests cannot be sent, or were not answered. */
  readonly problem?: string;
}

async function check(places: Places): Promise<ExitCode> {
  const { call, ports: { stdout }, provider, models, report } = places;
  const failure = await keyFailure(places);
  const checked: Checked = {
    provider,
    ok: failure === undefined,
    ...models.keyStatus(provider),
    ...(failure ? { problem: failure.message } : {}),
  };
  if (call.flags.has("json")) stdout.record(checked);
  else if (failure) report.error(failure.message);
  else stdout.show(`${provider}: ${describeKey(checked)}\n`);
  return failure ? exitCodeOf(failure) : 0;
}

/** Why requests to the provider cannot be sent or are refused; undefined if they are not. */
async function keyFailure({ call, ports, provider, models }: Places): Promise<Error | undefined> {
  // Throws what is no matter of the key: a provider that is not known, a file that is broken.
  models.keyStatus(provider);
  try {
    await models.requireKey(provider);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  if (!call.flags.has("online")) return undefined;
  const { facts } = await models.choose({ provider });
  const asked = await askOnce(models.create(facts), ports);
  return asked.kind === "failed" ? asked.error : undefined;
}

/** Where a key comes from, for people. */
export function describeKey({ source, variable }: KeyStatus): string {
  if (source === undefined) return `no key, and none is needed (${variable} may hold one)`;
  switch (source) {
    case "environment":
      return `the key in ${variable}`;
    case "option":
      return "the key of --api-key";
    case "auth.json":
    case "models.json":
      return `the key in ${source}`;
  }
}
