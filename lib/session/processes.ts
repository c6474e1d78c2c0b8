/** The port to the machine's processes: which one we are, and whether another one still runs. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { LockHolder } from "./errors.ts";
import { errorCode } from "./thrown.ts";

/** A process, told from every later one that gets the same pid. */
export interface ProcessIdentity extends LockHolder {
  /** Linux: the id of the machine's boot. */
  boot?: string;
  /** Linux: the pid namespace (a container has its own). */
  pidNamespace?: string;
  /** Linux: when it started, in clock ticks since the boot. */
  startTicks?: number;
}

/** `elsewhere`: it runs, or ran, where we cannot see it (another host, another container). */
export type ProcessFate = "running" | "gone" | "elsewhere";

/** What a lock must know of processes. */
export interface Processes {
  /** This process. */
  self(): ProcessIdentity;
  fateOf(process: ProcessIdentity): ProcessFate;
}

/** How far the start of a process may be off where the system gives no exact one. */
const START_TOLERANCE_MS = 5000;

/** The text of a file, or undefined where the system or its permissions do not give it. */
export function tryReadText(file: string): string | undefined {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    // Other systems have no /proc, and Deno hides it without --allow-all: the caller has a
    // second, coarser way to know.
    return undefined;
  }
}

function tryReadLink(file: string): string | undefined {
  try {
    return fs.readlinkSync(file);
  } catch {
    return undefined;
  }
}

/** State and start of a process from the text of its `/proc/<pid>/stat`. */
export function parseProcessStat(text: string): { state: string; startTicks: number } | undefined {
  // The command, in parentheses, may itself hold blanks and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  const startTicks = Number(fields[19]);
  return state && Number.isFinite(startTicks) ? { state, startTicks } : undefined;
}

function statOf(pid: number | "self") {
  const text = tryReadText(`/proc/${pid}/stat`);
  return text === undefined ? undefined : parseProcessStat(text);
}

function hostName(): string {
  try {
    return os.hostname();
  } catch {
    // Deno without --allow-sys. Equal to itself, so that two of us still see each other.
    return "unknown";
  }
}

/** The program's name without its arguments: these may hold keys and prompts. */
function commandName(): string {
  const program = path.basename(process.execPath);
  const script = process.argv[1];
  const embedded = script === undefined || script.startsWith("/$bunfs/") || script.includes("~BUN");
  return embedded ? program : `${program} ${path.basename(script)}`;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM is another user's process; a runtime that may not ask must take it for running.
    return errorCode(error) !== "ESRCH";
  }
}

/** The start of a process where there is no /proc. Asked only if a pid in a lock file is in use. */
function startOf(pid: number): number | undefined {
  const [program, args] = process.platform === "win32"
    ? ["powershell", [
      "-NoProfile",
      "-Command",
      `(Get-Process -Id ${pid}).StartTime.ToUniversalTime().ToString('o')`,
    ]]
    : ["ps", ["-o", "lstart=", "-p", String(pid)]] as const;
  try {
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    const text = execFileSync(program, args, {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
      stdio: ["ignore", "pipe", "ignore"],
      timeout: START_TOLERANCE_MS,
    });
    const start = Date.parse(text.trim());
    return Number.isFinite(start) ? start : undefined;
  } catch {
    // No such program, or no permission to run it: then the pid alone decides.
    return undefined;
  }
}

function describeSelf(): ProcessIdentity {
  const boot = tryReadText("/proc/sys/kernel/random/boot_id")?.trim();
  const pidNamespace = tryReadLink("/proc/self/ns/pid");
  const startTicks = statOf("self")?.startTicks;
  return {
    pid: process.pid,
    host: hostName(),
    startedAt: new Date(Date.now() - process.uptime() * 1000).toISOString(),
    command: commandName(),
    ...boot !== undefined && { boot },
    ...pidNamespace !== undefined && { pidNamespace },
    ...startTicks !== undefined && { startTicks },
  };
}

function isSameProcess(other: ProcessIdentity): boolean {
  const stat = statOf(other.pid);
  if (stat) {
    // A zombie has closed its files; it waits only for its parent.
    if (stat.state === "Z" || stat.state === "X") return false;
    return other.startTicks === undefined || other.startTicks === stat.startTicks;
  }
  if (!isRunning(other.pid)) return false;
  if (other.pid === process.pid || other.startedAt === undefined) return true;
  const start = startOf(other.pid);
  return start === undefined ||
    Math.abs(start - Date.parse(other.startedAt)) < START_TOLERANCE_MS;
}

/** The processes of this machine. */
export class MachineProcesses implements Processes {
  #self: ProcessIdentity | undefined;

  self(): ProcessIdentity {
    return this.#self ??= describeSelf();
  }

  fateOf(other: ProcessIdentity): ProcessFate {
    const self = this.self();
    if (other.boot !== undefined && self.boot !== undefined) {
      // One kernel ran both, or this host was started anew since.
      if (other.boot !== self.boot) return other.host === self.host ? "gone" : "elsewhere";
      if (other.pidNamespace !== self.pidNamespace) return "elsewhere";
    } else if (other.host !== self.host) {
      return "elsewhere";
    }
    return isSameProcess(other) ? "running" : "gone";
  }
}
