/** Starts the REPL: the terminal, the session, the conversation; and its end. */
import { systemTimer } from "../../../agent/mod.ts";
import { nodeFileSystem } from "../../../session/mod.ts";
import type { ExitCode } from "../../command_line/exit_code.ts";
import type { RunOptions } from "../../command_line/run_options.ts";
import { boughHome, type Environment } from "../../config/mod.ts";
import { openRepo, openRuntime } from "../../open.ts";
import type { Sink } from "../output.ts";
import { assemblePrompts, hasPrompt } from "../prompt_input.ts";
import type { Stopper } from "../stop.ts";
import { complete } from "./completer.ts";
import type { Console } from "./console.ts";
import { dialogOn } from "./console_dialog.ts";
import type { Dialog } from "./dialog.ts";
import { editElsewhere } from "./external_editor.ts";
import { History } from "./history.ts";
import { LiveConsole } from "./live_console.ts";
import { PlainConsole } from "./plain_console.ts";
import { ProcessTerminal } from "./process_terminal.ts";
import { Repl } from "./repl.ts";
import { pickSession } from "./session_list.ts";
import { row, rowsOf } from "./styled.ts";
import { suspendProcess } from "./suspend.ts";
import { extensionUi } from "./extension_ui.ts";

/** What the process gives to the REPL, and takes from it. */
export interface ReplWorld {
  readonly stdout: Sink;
  readonly stopper: Stopper;
  readonly cwd: string;
  readonly env: Environment;
  /** The commands that tools run: they end with the process. */
  onProcesses(processes: { killAll(): void }): void;
  /** `interrupt` takes a SIGINT as Ctrl-C; `abandon` gives the terminal back at once. */
  onTerminal(terminal: { interrupt?(): void; abandon(): void }): void;
}

/** Runs the REPL until the person leaves. Rejects with what keeps it from starting. */
export async function startRepl(options: RunOptions, world: ReplWorld): Promise<ExitCode> {
  const { env, cwd, stopper } = world;
  const terminal = new ProcessTerminal(world.stdout);
  const isPlain = options.plain || env["TERM"] === "dumb" ||
    (!env["TERM"] && process.platform !== "win32");
  const colours = !isPlain && !env["NO_COLOR"];
  const home = boughHome(env, cwd);
  const problems: { message: string }[] = [];
  const history = new History({
    home,
    onError: (error) => problems.push({ message: `Cannot keep the history: ${textOf(error)}` }),
  });
  let repl: Repl | undefined;
  const console = isPlain ? new PlainConsole(terminal, systemTimer) : new LiveConsole({
    terminal,
    timer: systemTimer,
    colours,
    history: history.inputs,
    completer: async (before) => repl && await complete(before, repl),
    above: (size) => repl?.above(size) ?? [],
    edit: (text) => editElsewhere(text, env),
    onEditFailed: (error) => repl?.dialog.error(textOf(error)),
    suspend: suspendProcess,
  });
  world.onTerminal({
    abandon: () => terminal.abandon(),
    ...(console instanceof PlainConsole ? { interrupt: () => console.interrupt() } : {}),
  });
  const chosen = await chooseSession(options, { console, env, home, cwd, stopper });
  if (!chosen) {
    console.close();
    return 0;
  }
  const dialog = dialogOn(console, () => tellerOn(console));
  const { runtime, repo, processes, warnings } = await openRuntime(chosen, {
    signal: stopper.signal,
    startDirectory: cwd,
    env,
    ui: extensionUi(console, () => repl?.dialog ?? dialog),
    onWait: (message) => dialog.note(message),
  });
  world.onProcesses(processes);
  try {
    repl = new Repl({
      runtime,
      repo,
      console,
      history,
      timer: systemTimer,
      env,
      raw: !colours,
      echoes: isPlain,
      maxFileBytes: options.stdinMaxBytes,
      warnings: [...problems, ...warnings],
      ...(isPlain ? { stream: (text: string) => terminal.write(text) } : {}),
    });
    stopper.signal.addEventListener("abort", () => repl?.leave(), { once: true });
    const prompts = await firstPrompts(options, cwd);
    if (stopper.signal.aborted) return 0;
    const leaving = await repl.converse(prompts);
    // Nobody is there to read or to answer any more.
    if (leaving === "gone") stopper.stop({ kind: "signal", signal: "SIGHUP" });
    return 0;
  } finally {
    console.close();
    const { file, id } = runtime.session.session;
    await runtime.dispose();
    if (!stopper.signal.aborted && file !== undefined && nodeFileSystem.stat(file)) {
      console.screen.print([row(`Session ${id}; bough -c goes on with the newest`, { dim: true })]);
    }
    if (console instanceof LiveConsole) console.screen.draw();
  }
}

/** With `--resume` the session that the person picks; undefined if they pick none. */
async function chooseSession(
  options: RunOptions,
  { console, env, home, cwd, stopper }: {
    console: Console;
    env: Environment;
    home: string;
    cwd: string;
    stopper: Stopper;
  },
): Promise<RunOptions | undefined> {
  if (options.session.kind !== "resume") return options;
  const repo = await openRepo(options, { env, home, startDirectory: cwd });
  const ended = new AbortController();
  const end = () => ended.abort();
  stopper.signal.addEventListener("abort", end, { once: true });
  console.open({
    submit() {},
    interrupt() {
      end();
      return true;
    },
    end,
    gone() {
      stopper.stop({ kind: "signal", signal: "SIGHUP" });
    },
  });
  const dialog = dialogOn(console, () => tellerOn(console));
  const { signal } = ended;
  const session = await pickSession({ repo, signal, dialog, timer: systemTimer, cwd, home });
  stopper.signal.removeEventListener("abort", end);
  if (session === undefined || ended.signal.aborted) return undefined;
  return { ...options, session: { kind: "open", session } };
}

/** What is told while there is no conversation. */
function tellerOn({ screen }: Console): Pick<Dialog, "rows" | "note" | "error"> {
  return {
    rows: (rows) => screen.print(rows),
    note: (text) => screen.print(rowsOf(text, { dim: true })),
    error: (text) => screen.print(rowsOf(text, { colour: "red" })),
  };
}

/** The prompts of the command line, with its files in front of the first. */
async function firstPrompts(options: RunOptions, cwd: string) {
  const { prompts, files, stdinMaxBytes } = options;
  if (!hasPrompt({ prompts, files })) return [];
  return await assemblePrompts({ prompts, files, cwd, maxFileBytes: stdinMaxBytes });
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
