/** Values that do not stand in a file themselves: a variable of the environment, or a command's output. */
import { spawn } from "node:child_process";
import { childEnvironment, ProcessGroups } from "../../agent/mod.ts";
import type { Environment } from "./home.ts";

/** What a text stands for. `reason` never holds the value or what the command printed. */
export type Secret =
  | { readonly kind: "value"; readonly value: string }
  | { readonly kind: "missing"; readonly reason: string };

const COMMAND_TIMEOUT_MS = 10_000;
/** How long late output is waited for once the command has ended. */
const LATE_MS = 200;
const OUTPUT_LENGTH_MAX = 64 * 1024;

/** A name with an underscore can hardly be a key; "EMPTY" and "ollama" are what local servers take. */
const VARIABLE_NAME = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

function run(
  command: string,
  env: Environment,
  { processes, timeoutMs }: Required<SecretsOptions>,
): Promise<Secret> {
  const missing = (reason: string): Secret => ({
    kind: "missing",
    reason: `the command "${command}" ${reason}`,
  });
  const { promise, resolve } = Promise.withResolvers<Secret>();
  // A group of its own, so that what the command started ends with it.
  const child = spawn(command, {
    shell: true,
    detached: process.platform !== "win32",
    env: childEnvironment(env),
    stdio: ["ignore", "pipe", "ignore"],
  });
  processes.add(child);
  let output = "";
  const settle = (secret: Secret) => {
    clearTimeout(timer);
    child.stdout.destroy();
    resolve(secret);
  };
  const giveUp = async (reason: string) => {
    settle(missing(reason));
    await processes.stop(child);
  };
  const timer = setTimeout(() => void giveUp(`took longer than ${timeoutMs / 1000} s`), timeoutMs);
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (output.length > OUTPUT_LENGTH_MAX) void giveUp("printed too much to be a key");
  });
  child.on("error", (error) => settle(missing(`could not be started: ${error.message}`)));
  child.once("exit", () => {
    // What the command left running may hold its output open for good; the key is there by now.
    const late = setTimeout(() => child.stdout.destroy(), LATE_MS);
    child.once("close", () => clearTimeout(late));
  });
  child.on("close", (code, signal) => {
    if (code !== 0) settle(missing(`ended with ${signal ?? `exit code ${code}`}`));
    else if (output.trim() === "") settle(missing("printed nothing"));
    else settle({ kind: "value", value: output.trim() });
  });
  return promise;
}

export interface SecretsOptions {
  /** How long a command may take. */
  readonly timeoutMs?: number;
  /** Keeps track of the commands, so that none outlives the program. */
  readonly processes?: ProcessGroups;
}

/** Resolves secrets. A command that gave a value is not run again; one that failed is, when next asked. */
export class Secrets {
  readonly #env: Environment;
  readonly #options: Required<SecretsOptions>;
  readonly #commands = new Map<string, Promise<Secret>>();

  constructor(
    env: Environment,
    { processes = new ProcessGroups(), timeoutMs = COMMAND_TIMEOUT_MS }: SecretsOptions = {},
  ) {
    this.#env = env;
    this.#options = { processes, timeoutMs };
  }

  /** The value of an environment variable; an empty one counts as not set. */
  variable(name: string): string | undefined {
    // A key may be spelt like something that every object has: "constructor" is no variable.
    return (Object.hasOwn(this.#env, name) && this.#env[name]?.trim()) || undefined;
  }

  /**
   * `!command` is the command's output, `$NAME`, `${NAME}` and `NAME` the variable of that name, and
   * anything else the value itself. `NAME` alone counts as a variable if it is set, or if its form
   * (`LIKE_THIS`) says that it can be nothing else.
   */
  async resolve(text: string): Promise<Secret> {
    return this.peek(text) ?? await this.#command(text.slice(1).trim());
  }

  /** What `resolve` gives, without running a command: undefined if one would have to. */
  peek(text: string): Secret | undefined {
    if (text.startsWith("!")) return undefined;
    const marked = /^\$(?:(\w+)|\{(\w+)\})$/.exec(text);
    const name = marked?.[1] ?? marked?.[2] ?? text;
    const value = this.variable(name);
    if (value !== undefined) return { kind: "value", value };
    return marked || VARIABLE_NAME.test(text)
      ? { kind: "missing", reason: `the environment variable ${name} is not set` }
      : { kind: "value", value: text };
  }

  async #command(command: string): Promise<Secret> {
    const known = this.#commands.get(command);
    const running = known ?? run(command, this.#env, this.#options);
    this.#commands.set(command, running);
    const secret = await running;
    // A safe may have been locked: whoever opened it need not start the program again.
    if (secret.kind === "missing" && !known) this.#commands.delete(command);
    return secret;
  }
}
