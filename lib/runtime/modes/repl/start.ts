/** Starts the REPL: the terminal, the session, the conversation; and its end. */
import { systemTimer } from "../../../agent/mod.ts";
import { nodeFileSystem, reasonOf } from "../../../session/mod.ts";
import type { ExitCode } from "../../command_line/exit_code.ts";
import type { RunOptions } from "../../command_line/run_options.ts";
import { boughHome, type Environment } from "../../config/mod.ts";
import { openRuntime } from "../../open.ts";
import type { Sink } from "../output.ts";
import { assemblePrompts, hasPrompt } from "../prompt_input.ts";
import type { Stopper } from "../stop.ts";
import { bareDialog, chooseSession, openOrFork } from "./before_start.ts";
import { complete } from "./completer.ts";
import { editElsewhere } from "./external_editor.ts";
import { History } from "./history.ts";
import { LiveConsole } from "./live_console.ts";
import { PlainConsole } from "./plain_console.ts";
import { ProcessTerminal } from "./process_terminal.ts";
import { Repl } from "./repl.ts";
import { row } from "./styled.ts";
import { suspendProcess } from "./suspend.ts";
import { extensionUi } from "./extension_ui.ts";

/** What the process gives to the REPL, and takes from it. */
export interface ReplWorld {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly stopper: Stopper;
  readonly cwd: string;
  readonly env: Environment;
  /** The commands that tools run: they end with the process. */
  onProcesses(processes: { killAll(): void }): void;
  /** `interrupt` takes a SIGINT as Ctrl-C, if it can; `abandon` gives the terminal back at once. */
  onTerminal(terminal: { interrupt(): boolean; abandon(): void }): void;
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
  let repl: Repl | undefined;
  const history = new History({
    home,
    onError(error) {
      const message = `Cannot keep the history: ${reasonOf(error)}`;
      if (repl) repl.dialog.error(message);
      else problems.push({ message });
    },
  });
  const console = isPlain ? new PlainConsole(terminal, systemTimer) : new LiveConsole({
    terminal,
    timer: systemTimer,
    colours,
    history: history.inputs,
    completer: async (before) => repl && await complete(before, repl),
    above: (size) => repl?.above(size) ?? [],
    edit: (text) => editElsewhere(text, env),
    onEditFailed: (error) => repl?.dialog.error(reasonOf(error)),
    suspend: suspendProcess,
  });
  world.onTerminal({
    abandon: () => terminal.abandon(),
    // Where keys are read one by one, Ctrl-C is a key, and the signal comes from elsewhere.
    interrupt: () => console.interrupt(),
  });
  const asking = { console, stopper, env, home, cwd };
  const dialog = bareDialog(console);
  const open = (chosen: RunOptions) =>
    openRuntime(chosen, {
      signal: stopper.signal,
      startDirectory: cwd,
      env,
      ui: extensionUi(console, () => repl?.dialog ?? dialog),
      onWait: (message) => world.stderr.show(`bough: ${message}\n`),
    });
  const chosen = await chooseSession(options, asking);
  const opened = chosen && await openOrFork(chosen, open, asking);
  if (!opened) return 0;
  const { runtime, repo, processes, warnings } = opened;
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
      warnings: () => [...problems, ...warnings],
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

/** The prompts of the command line, with its files in front of the first. */
async function firstPrompts(options: RunOptions, cwd: string) {
  const { prompts, files, stdinMaxBytes } = options;
  if (!hasPrompt({ prompts, files })) return [];
  return await assemblePrompts({ prompts, files, cwd, maxFileBytes: stdinMaxBytes });
}
