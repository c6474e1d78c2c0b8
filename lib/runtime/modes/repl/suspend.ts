/** Ctrl-Z. */

/** Stops the process, as a shell expects; calls back when the person brings it to the front again. */
export function suspendProcess(resumed: () => void): void {
  if (process.platform === "win32") return resumed();
  process.once("SIGCONT", resumed);
  process.kill(process.pid, "SIGTSTP");
}
