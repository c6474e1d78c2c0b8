/** Programs on a terminal. The terminal is Python's `pty`; where there is none, tests are skipped. */
import { spawnSync } from "node:child_process";
import { type ProcessOptions, RunningProcess } from "./process.ts";

/**
 * Copies stdin to the terminal and the terminal to stdout. Lines "columns rows" on descriptor 3
 * resize it. Ends as the program does (128 + n for a signal).
 */
const PTY_SCRIPT = `
import fcntl, os, pty, select, struct, sys, termios
columns, rows = int(sys.argv[1]), int(sys.argv[2])
def resize(columns, rows):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
child, terminal = pty.fork()
if child == 0:
    os.close(3)
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.execvp(sys.argv[3], sys.argv[3:])
inputs = [0, 3, terminal]
while terminal in inputs:
    ready, _, _ = select.select(inputs, [], [])
    if 3 in ready:
        line = os.read(3, 64)
        if line: resize(*map(int, line.split()[-2:]))
        else: inputs.remove(3)
    if 0 in ready:
        typed = os.read(0, 65536)
        if not typed: inputs.remove(0)
        while typed:
            typed = typed[os.write(terminal, typed):]
    if terminal in ready:
        try: said = os.read(terminal, 65536)
        except OSError: said = b""
        if not said: inputs.remove(terminal)
        while said:
            said = said[os.write(1, said):]
_, status = os.waitpid(child, 0)
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
`;

/** Why terminals cannot be tested here; undefined if they can. */
export function noPtyReason(): string | undefined {
  const probe = spawnSync("python3", ["-c", "import pty, fcntl, termios"], { stdio: "ignore" });
  return probe.status === 0 ? undefined : "python3 with its pty module is not installed";
}

/** A program on a terminal of its own; its output is what the terminal shows, as bytes. */
export class TerminalProcess extends RunningProcess {
  constructor(
    command: string,
    args: readonly string[],
    options: Omit<ProcessOptions, "stdin" | "morePipes"> & { columns?: number; rows?: number } = {},
  ) {
    const { columns = 80, rows = 24, ...rest } = options;
    super("python3", ["-c", PTY_SCRIPT, `${columns}`, `${rows}`, command, ...args], {
      ...rest,
      env: { TERM: "xterm-256color", ...rest.env },
      stdin: "open",
      morePipes: 1,
    });
  }

  /** Types keys: text or escape sequences. */
  type(keys: string): void {
    this.write(keys);
  }

  resize(columns: number, rows: number): void {
    this.pipe(3).write(`${columns} ${rows}\n`);
  }
}
