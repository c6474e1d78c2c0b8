/** The terminal that the process was started on. */
import * as fs from "node:fs";
import type { Sink } from "../output.ts";
import { MARK_NO_PASTES } from "./paste_filter.ts";
import type { Terminal, TerminalListener } from "./terminal.ts";

const COLUMNS = 80;
const ROWS = 24;

/** Reads stdin and writes to a sink on stdout. */
export class ProcessTerminal implements Terminal {
  readonly #stdout: Sink;
  #release: (() => void) | undefined;
  #isRaw = false;

  constructor(stdout: Sink) {
    this.#stdout = stdout;
    // Told to nobody while nobody reads; the next reading fails as well.
    process.stdin.on("error", () => {});
  }

  get columns(): number {
    return process.stdout.columns || COLUMNS;
  }

  get rows(): number {
    return process.stdout.rows || ROWS;
  }

  write(text: string): void {
    this.#stdout.write(text);
  }

  get isBehind(): boolean {
    return this.#stdout.isBehind;
  }

  async drain(): Promise<void> {
    await this.#stdout.drain();
  }

  open(listener: TerminalListener, { raw }: { raw: boolean }): void {
    this.#release?.();
    const { stdin, stdout } = process;
    const input = (bytes: Buffer) => listener.input(bytes);
    const resized = () => listener.resized();
    // In raw mode Ctrl-D is a key, so an end means that nobody is there any more.
    const end = () => listener.ended(raw ? "gone" : "end");
    const gone = () => listener.ended("gone");
    this.#isRaw = raw;
    if (raw) stdin.setRawMode(true);
    stdin.on("data", input).on("end", end).on("error", gone);
    stdout.on("resize", resized);
    stdin.resume();
    this.#release = () => {
      stdin.off("data", input).off("end", end).off("error", gone);
      stdout.off("resize", resized);
      stdin.pause();
      if (!raw) return;
      try {
        stdin.setRawMode(false);
      } catch {
        // The terminal is gone: there is nothing to give back.
      }
    };
  }

  release(): void {
    this.#release?.();
    this.#release = undefined;
  }

  /** The process ends now: the terminal is given back without waiting for anything. */
  abandon(): void {
    if (!this.#release) return;
    this.release();
    // A plain console has asked the terminal for nothing.
    if (!this.#isRaw) return;
    try {
      fs.writeSync(1, `${MARK_NO_PASTES}\x1b[?25h\r\n`);
    } catch {
      // The terminal is gone, or takes nothing more.
    }
  }
}
