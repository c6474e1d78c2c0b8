/** The REPL on a terminal in memory: keys in, screen out. */
import type { Model } from "../../lib/agent/mod.ts";
import { systemTimer } from "../../lib/agent/mod.ts";
import { JsonlSessionRepo, type Session } from "../../lib/session/mod.ts";
import { loadServices, type Services } from "../../lib/runtime/config/mod.ts";
import { AgentSession, type AgentSessionOptions } from "../../lib/runtime/mod.ts";
import { AgentSessionRuntime } from "../../lib/runtime/runtime.ts";
import { complete } from "../../lib/runtime/modes/repl/completer.ts";
import type { Console } from "../../lib/runtime/modes/repl/console.ts";
import { History } from "../../lib/runtime/modes/repl/history.ts";
import { LiveConsole } from "../../lib/runtime/modes/repl/live_console.ts";
import { PlainConsole } from "../../lib/runtime/modes/repl/plain_console.ts";
import { Repl } from "../../lib/runtime/modes/repl/repl.ts";
import type { Leaving } from "../../lib/runtime/modes/repl/repl_ports.ts";
import type { Terminal, TerminalListener } from "../../lib/runtime/modes/repl/terminal.ts";
import { shellWith } from "../../lib/runtime/user_shell.ts";
import { TempDirectory } from "./temp.ts";
import { VtScreen } from "./vt_screen.ts";

/** A terminal whose keys a test types, and whose screen it sees. */
export class MemoryTerminal implements Terminal {
  readonly screen: VtScreen;
  /** All that was written. */
  written = "";
  isRaw = false;
  #listener: TerminalListener | undefined;
  #waiting: { look: () => boolean; resolve: () => void }[] = [];

  constructor(columns = 80, rows = 24) {
    this.screen = new VtScreen(columns, rows);
  }

  get columns(): number {
    return this.screen.columns;
  }

  get rows(): number {
    return this.screen.rows;
  }

  write(text: string): void {
    this.written += text;
    // A terminal that is not read key by key begins a line at each LF.
    this.screen.write(this.isRaw ? text : text.replace(/\r?\n/g, "\r\n"));
    this.#waiting = this.#waiting.filter(({ look, resolve }) => {
      if (!look()) return true;
      resolve();
      return false;
    });
  }

  readonly isBehind = false;

  async drain(): Promise<void> {}

  open(listener: TerminalListener, { raw }: { raw: boolean }): void {
    this.#listener = listener;
    this.isRaw = raw;
  }

  release(): void {
    this.#listener = undefined;
    this.isRaw = false;
  }

  get isOpen(): boolean {
    return this.#listener !== undefined;
  }

  /** Types keys, in one piece. */
  type(keys: string | Uint8Array): void {
    this.#listener?.input(typeof keys === "string" ? new TextEncoder().encode(keys) : keys);
  }

  resize(columns: number, rows: number): void {
    this.screen.resize(columns, rows);
    this.#listener?.resized();
  }

  end(how: "end" | "gone"): void {
    this.#listener?.ended(how);
  }

  /** Resolves when the screen (with what scrolled away) has the text or fits the pattern. */
  shows(wanted: string | RegExp): Promise<void> {
    return this.until(
      () =>
        typeof wanted === "string"
          ? this.screen.text.includes(wanted)
          : wanted.test(this.screen.text),
      `${wanted}`,
    );
  }

  /** Resolves when something holds after a write. Rejects after four seconds. */
  until(look: () => boolean, what = "what was waited for"): Promise<void> {
    if (look()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`The screen never showed ${what}:\n${this.screen.text}`)),
        4_000,
      );
      this.#waiting.push({
        look,
        resolve() {
          clearTimeout(timer);
          resolve();
        },
      });
    });
  }
}

export interface RigOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** Lines only, as with `--plain`. */
  readonly plain?: boolean;
  readonly session?: Partial<AgentSessionOptions>;
  /** Markdown left as it is. */
  readonly raw?: boolean;
  readonly settings?: { hideThinking?: boolean };
  readonly edit?: (text: string) => Promise<string>;
}

/** A REPL in a directory of its own, whose model the test gives. */
export class ReplRig implements AsyncDisposable {
  readonly temp: TempDirectory;
  readonly terminal: MemoryTerminal;
  readonly repl: Repl;
  readonly repo: JsonlSessionRepo;
  readonly runtime: AgentSessionRuntime<Services>;
  /** Resolves when it is left. */
  readonly left: Promise<Leaving>;
  /** How often the process was suspended; resumes at once. */
  suspended = 0;
  /** Ctrl-C on a plain terminal, which shows `^C` for it. */
  readonly interrupt: () => void;

  private constructor(
    parts: {
      temp: TempDirectory;
      terminal: MemoryTerminal;
      runtime: AgentSessionRuntime<Services>;
      repo: JsonlSessionRepo;
    },
    options: RigOptions,
  ) {
    const { temp, terminal, runtime, repo } = parts;
    this.temp = temp;
    this.terminal = terminal;
    this.runtime = runtime;
    this.repo = repo;
    const history = new History({ home: temp.home });
    const console = this.#console(options, history);
    this.interrupt = () => {
      terminal.write("^C");
      if (console instanceof PlainConsole) console.interrupt();
    };
    this.repl = new Repl({
      runtime,
      repo,
      console,
      history,
      timer: systemTimer,
      env: temp.env({ HOME: temp.join("user") }),
      raw: options.raw ?? options.plain ?? false,
      echoes: options.plain ?? false,
      maxFileBytes: 1_000_000,
      warnings: () => [],
      ...(options.plain ? { stream: (text: string) => terminal.write(text) } : {}),
    });
    this.left = this.repl.converse([]);
  }

  static async start(
    model: Model,
    options: RigOptions & {
      temp?: TempDirectory;
      prepare?: (repo: JsonlSessionRepo, temp: TempDirectory) => Promise<Session>;
    } = {},
  ): Promise<ReplRig> {
    const temp = options.temp ?? new TempDirectory();
    const repo = new JsonlSessionRepo({ sessionsDir: temp.join("home/sessions") });
    const first = await options.prepare?.(repo, temp) ?? await repo.create({ cwd: temp.cwd });
    const runtime = await AgentSessionRuntime.create<Services>(first, {
      repo,
      prepare: async (session) => {
        const services = await loadServices({
          cwd: session.cwd,
          env: temp.env({ TEST_KEY: "k" }),
          home: temp.home,
          settings: options.settings ?? {},
        });
        return {
          start: () =>
            Promise.resolve({
              services,
              session: new AgentSession({
                session,
                model,
                shell: shellWith(() => temp.env()),
                hooks: { expand: (text) => Promise.resolve(services.expand(text)) },
                ...options.session,
              }),
            }),
        };
      },
    });
    const terminal = new MemoryTerminal(options.columns, options.rows);
    const rig = new ReplRig({ temp, terminal, runtime, repo }, options);
    await terminal.until(() => terminal.isOpen, "its input line");
    return rig;
  }

  #console(options: RigOptions, history: History): Console {
    const { terminal } = this;
    if (options.plain) return new PlainConsole(terminal, systemTimer);
    return new LiveConsole({
      terminal,
      timer: systemTimer,
      colours: true,
      history: history.inputs,
      completer: (before) => complete(before, this.repl),
      above: (size) => this.repl?.above(size) ?? [],
      edit: options.edit ?? ((text) => Promise.resolve(text)),
      onEditFailed: (error) => this.repl.dialog.error(String(error)),
      suspend: (resumed) => {
        this.suspended++;
        resumed();
      },
    });
  }

  type(keys: string): void {
    this.terminal.type(keys);
  }

  /** Sends a line. */
  send(line: string): void {
    this.terminal.type(`${line}\r`);
  }

  shows(wanted: string | RegExp): Promise<void> {
    return this.terminal.shows(wanted);
  }

  get text(): string {
    return this.terminal.screen.text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.repl.leave();
    await this.left;
    await this.runtime.dispose();
    this.temp[Symbol.dispose]();
  }
}
