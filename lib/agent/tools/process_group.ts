/** Children in process groups of their own, so that a command can be ended with all it started. */
import { type ChildProcess, spawnSync } from "node:child_process";
import { errorCode } from "../../session/mod.ts";

/** How long a group may take to end after TERM before it gets KILL. */
const KILL_GRACE_MS = 500;
const POLL_MS = 20;
/** Our own runtime reads these; a command that uses Bun must not. */
const OWN_VARIABLES = ["BUN_OPTIONS", "BUN_BE_BUN"];

/** An environment as a child may have it: without `BUN_OPTIONS` and `BUN_BE_BUN`. */
export function childEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OWN_VARIABLES.includes(name)));
}

/**
 * Sends a signal to every process of the group that `pid` leads; false if there is none any more.
 * On Windows the tree below `pid` is ended, whatever the signal.
 */
function signalGroup(pid: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  if (process.platform === "win32") {
    if (signal === 0) return false;
    return spawnSync("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore" }).status ===
      0;
  }
  try {
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    // EPERM: the group is there, but none of it is ours to signal.
    const code = errorCode(error);
    if (code === "ESRCH" || code === "EPERM") return false;
    throw error;
  }
}

/** Asks a group to end (TERM), and ends what is left of it after the grace (KILL). */
async function stopGroup(pid: number): Promise<void> {
  let isThere = signalGroup(pid, "SIGTERM");
  for (let waited = 0; isThere && waited < KILL_GRACE_MS; waited += POLL_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    isThere = signalGroup(pid, 0);
  }
  if (isThere) signalGroup(pid, "SIGKILL");
}

/**
 * The commands that are running. Invariant: a child is in it from its start until it has ended, so
 * that whoever ends the program can end them all. Children must be started with `detached: true`.
 *
 * @example
 * ```ts
 * import { codingTools, ProcessGroups } from "bough";
 *
 * const processes = new ProcessGroups();
 * const tools = codingTools({ cwd: "/tmp", processes });
 * process.once("exit", () => processes.killAll());
 * console.log(tools.length, processes.size); // 7 0
 * ```
 */
export class ProcessGroups {
  readonly #running = new Set<number>();

  /** How many commands are running. */
  get size(): number {
    return this.#running.size;
  }

  /** Takes a child that has just been started; it leaves by itself when it ends. */
  add(child: ChildProcess): void {
    const { pid } = child;
    if (pid === undefined) return;
    this.#running.add(pid);
    child.once("exit", () => this.#running.delete(pid));
  }

  /** Ends one command with all that it started: TERM, then KILL. */
  async stop(child: ChildProcess): Promise<void> {
    if (child.pid !== undefined) await stopGroup(child.pid);
  }

  /** Ends every running command with all that it started: TERM, then KILL. */
  async stopAll(): Promise<void> {
    await Promise.all([...this.#running].map(stopGroup));
  }

  /** Ends every running command at once (KILL). Synchronous: for signal and exit handlers. */
  killAll(): void {
    for (const pid of this.#running) signalGroup(pid, "SIGKILL");
  }
}
