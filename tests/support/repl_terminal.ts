/** The binary's REPL on a real terminal: keys in, screen out. */
import { binaryPath } from "./binary.ts";
import type { LocalRun } from "./local_run.ts";
import { TerminalProcess } from "./pty.ts";
import { VtScreen } from "./vt_screen.ts";

export interface ReplTerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

export class ReplTerminal implements Disposable {
  readonly process: TerminalProcess;
  readonly #screen: VtScreen;
  #read = 0;

  private constructor(process: TerminalProcess, screen: VtScreen) {
    this.process = process;
    this.#screen = screen;
  }

  static async start(
    run: LocalRun,
    args: readonly string[],
    options: ReplTerminalOptions = {},
  ): Promise<ReplTerminal> {
    const { columns = 80, rows = 24 } = options;
    const process = new TerminalProcess(await binaryPath(), args, { temp: run.temp, ...options });
    return new ReplTerminal(process, new VtScreen(columns, rows));
  }

  /** What was shown so far, what scrolled away included. */
  get text(): string {
    return this.#seen().text;
  }

  /** Modes of the terminal that are set. */
  get modes(): ReadonlySet<string> {
    return this.#seen().modes;
  }

  type(keys: string): void {
    this.process.type(keys);
  }

  /** Sends a line. */
  send(line: string): void {
    this.process.type(`${line}\r`);
  }

  resize(columns: number, rows: number): void {
    this.#seen().resize(columns, rows);
    this.process.resize(columns, rows);
  }

  /** Waits until the screen has the text or fits the pattern. */
  async shows(wanted: string | RegExp): Promise<void> {
    try {
      await this.process.until(
        () => typeof wanted === "string" ? this.text.includes(wanted) : wanted.test(this.text),
        { what: String(wanted), timeoutMs: 10_000 },
      );
    } catch (cause) {
      throw new Error(`The screen never showed ${wanted}:\n${this.text}`, { cause });
    }
  }

  [Symbol.dispose](): void {
    this.process[Symbol.dispose]();
  }

  #seen(): VtScreen {
    const all = this.process.stdout;
    this.#screen.write(all.slice(this.#read));
    this.#read = all.length;
    return this.#screen;
  }
}
