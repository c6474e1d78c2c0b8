/** Ctrl-Z. */

/** A stopped process counts no time: this is over only when it runs (again, or still). */
const STILL_RUNNING_MS = 50;

/**
 * Stops the process, as a shell expects; calls back when the person brings it to the front again.
 * Where there is no shell that could (the program is all that the terminal was started for), the
 * system stops nothing and tells nothing: then it calls back, too.
 */
export function suspendProcess(resumed: () => void): void {
  if (process.platform === "win32") return resumed();
  const once = () => {
    clearTimeout(timer);
    process.off("SIGCONT", once);
    resumed();
  };
  process.on("SIGCONT", once);
  process.kill(process.pid, "SIGTSTP");
  const timer = setTimeout(once, STILL_RUNNING_MS);
}
