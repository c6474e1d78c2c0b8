/** The REPL: lines in, a conversation out. */
import type { Timer } from "../../../agent/mod.ts";
import type { SessionRepo } from "../../../session/mod.ts";
import type { AgentSession } from "../../agent_session.ts";
import type { Environment, Services } from "../../config/mod.ts";
import type { AgentSessionEvent } from "../../event.ts";
import type { AgentSessionRuntime, Conversation } from "../../runtime.ts";
import type { Prompt } from "../prompt_input.ts";
import { COMMANDS } from "./commands/table.ts";
import { otherCommands } from "./commands/help.ts";
import type { Console } from "./console.ts";
import type { Command, ReplContext } from "./context.ts";
import { dialogOn } from "./console_dialog.ts";
import type { Dialog } from "./dialog.ts";
import { inputOf } from "./input_kind.ts";
import { openingRows } from "./opening.ts";
import type { Leaving, ReplPorts } from "./repl_ports.ts";
import { RunView } from "./run_view.ts";
import { waitingRows } from "./message_rows.ts";
import type { Row } from "./styled.ts";
import { Talk } from "./talk.ts";

/** A second Ctrl-C within this time leaves. */
const TWICE_MS = 2_000;

export class Repl implements ReplContext {
  readonly runtime: AgentSessionRuntime<Services>;
  readonly repo: SessionRepo;
  readonly timer: Timer;
  readonly env: Environment;
  readonly raw: boolean;
  readonly dialog: Dialog;
  numbered: readonly string[] = [];
  readonly #ports: ReplPorts;
  readonly #console: Console;
  readonly #talk: Talk;
  readonly #left = Promise.withResolvers<Leaving>();
  #view: RunView;
  #unsubscribe = () => {};
  #queue: { steering: readonly string[]; followUp: readonly string[] } = {
    steering: [],
    followUp: [],
  };
  /** A command that is running and that others must not run beside. */
  #command: string | undefined;
  /** Lines that were typed while a command ran, to be taken after it. */
  readonly #afterCommand: string[] = [];
  #interruptedAt = -Infinity;
  #isOpened = false;
  #hasLeft = false;
  #warned = 0;

  constructor(ports: ReplPorts) {
    this.#ports = ports;
    this.#console = ports.console;
    this.runtime = ports.runtime;
    this.repo = ports.repo;
    this.timer = ports.timer;
    this.env = ports.env;
    this.raw = ports.raw;
    this.#view = this.#newView();
    this.dialog = dialogOn(this.#console, () => this.#view);
    this.#talk = new Talk({ ...ports, session: () => this.session, view: () => this.#view });
    this.#follow(this.runtime.session);
    this.runtime.onRebind((conversation) => this.#rebind(conversation));
  }

  get session(): AgentSession {
    return this.runtime.session;
  }

  /** Converses until the person leaves, having said the first prompts for them. */
  async converse(prompts: readonly Prompt[]): Promise<Leaving> {
    await this.#showOpening();
    this.#tellWarnings();
    this.#console.open({
      // What is thrown here is a bug, and ends the REPL as one.
      submit: (text) => void this.#submit(text).catch((bug) => this.#left.reject(bug)),
      interrupt: () => this.#interrupt(),
      end: () => this.leave(),
      gone: () => this.#left.resolve("gone"),
    });
    this.#begin(prompts).catch((bug) => this.#left.reject(bug));
    try {
      return await this.#left.promise;
    } finally {
      this.#hasLeft = true;
      this.#unsubscribe();
      this.#view.stop();
      this.#console.close();
    }
  }

  async #begin(prompts: readonly Prompt[]): Promise<void> {
    await this.runtime.start();
    for (const prompt of prompts) {
      if (this.#hasLeft) return;
      await this.#talk.sayPrompt(prompt);
    }
    this.#console.ready();
  }

  /** What stands above the input line: what goes on, and what waits to be said. */
  above(size: { columns: number; rows: number }): Row[] {
    const { steering, followUp } = this.#queue;
    const rows = [
      ...this.#view.live(size),
      ...waitingRows("next", steering, size.columns),
      ...waitingRows("later", [...followUp, ...this.#afterCommand], size.columns),
    ];
    return rows.length > 0 ? [...rows, []] : [];
  }

  put(text: string): void {
    this.#console.put(text);
  }

  copy(text: string): boolean {
    return this.#console.copy(text);
  }

  later(text: string): void {
    void this.#talk.say(text, "followUp");
  }

  async during<T>(what: string, task: () => Promise<T>): Promise<T> {
    return await this.#view.during(what, task);
  }

  leave(): void {
    this.#left.resolve("quit");
  }

  async #submit(line: string): Promise<void> {
    this.#ports.history.add(line);
    this.#interruptedAt = -Infinity;
    await this.#dispatch(line);
    this.#console.ready({ quiet: this.session.isRunning || this.#command !== undefined });
  }

  async #dispatch(line: string): Promise<void> {
    const own = COMMANDS.map(({ name }) => name);
    const others = otherCommands(this).map(({ name }) => name);
    const input = inputOf(line, { own, others });
    switch (input.kind) {
      case "nothing":
        break;
      case "prompt":
        if (this.#command !== undefined) this.#wait(line);
        else await this.#talk.say(input.text);
        break;
      case "shell":
        if (input.command === "") {
          this.#refuse(line, "Cannot run a command: say which, as in !ls");
          break;
        }
        this.#show(line);
        await this.#talk.shell(line, input);
        break;
      case "command": {
        const command = COMMANDS.find(({ name }) => name === input.name);
        if (command) await this.#run(command, line, input.argument);
        break;
      }
      case "unknown": {
        const near = input.near === undefined
          ? "/help shows the commands"
          : `did you mean /${input.near}?`;
        this.#refuse(line, `There is no command /${input.name}; ${near}`);
      }
    }
  }

  /** Says why not, and gives the text back. */
  #refuse(line: string, why: string): void {
    this.#view.error(why);
    this.#talk.giveBack(line);
  }

  /** A line that is a command, unless the terminal shows it already. */
  #show(line: string): void {
    if (!this.#ports.echoes) this.#view.command(line);
  }

  async #run(command: Command, line: string, argument: string): Promise<void> {
    if (!command.anytime && this.session.isRunning) {
      return this.#refuse(
        line,
        `Cannot run /${command.name} while the model works: Ctrl-C stops it, or wait for its end`,
      );
    }
    if (command.parameters === undefined && argument !== "") {
      return this.#refuse(line, `Cannot use "${argument}" with /${command.name}: it takes nothing`);
    }
    if (this.#command !== undefined && !command.anytime) return this.#wait(line);
    this.#show(line);
    const outer = this.#command;
    this.#command = command.name;
    try {
      await command.run(this, argument);
    } catch (error) {
      this.#talk.tell(error);
    } finally {
      this.#command = outer;
    }
    while (this.#command === undefined && this.#afterCommand.length > 0) {
      await this.#dispatch(this.#afterCommand.shift() ?? "");
    }
  }

  /** Keeps a line until the command that is running is done. */
  #wait(line: string): void {
    this.#afterCommand.push(line);
    this.#console.screen.refresh();
  }

  /** Whether the input line is to be cleared. */
  #interrupt(): boolean {
    const now = this.timer.now();
    const isSecond = now - this.#interruptedAt < TWICE_MS;
    this.#interruptedAt = now;
    if (isSecond) {
      this.leave();
      return false;
    }
    if (this.session.isRunning || this.#talk.hasShell) {
      void this.#stop();
      return false;
    }
    if (this.#console.text !== "") {
      this.#interruptedAt = -Infinity;
      return true;
    }
    this.#view.note("Ctrl-C again leaves, and so does Ctrl-D");
    this.#console.ready();
    return false;
  }

  /** Stops the run; what waited to be said comes back on the input line. */
  async #stop(): Promise<void> {
    const { steering, followUp } = await this.session.clearQueue();
    const waiting = [...steering, ...followUp, ...this.#afterCommand.splice(0)];
    if (waiting.length > 0) this.#talk.giveBack(waiting.join("\n"));
    await this.session.abort();
  }

  #observe(event: AgentSessionEvent): void {
    try {
      if (event.type === "queue_update") this.#queue = event;
      this.#talk.observe(event);
      this.#view.observe(event);
      this.#console.screen.refresh();
    } catch (bug) {
      this.#left.reject(bug);
    }
  }

  #follow(session: AgentSession): void {
    this.#unsubscribe = session.subscribe((event) => this.#observe(event));
  }

  async #rebind({ session }: Conversation<Services>): Promise<void> {
    this.#unsubscribe();
    this.#view.stop();
    this.#queue = { steering: [], followUp: [] };
    this.numbered = [];
    this.#view = this.#newView({ isBelow: true });
    this.#follow(session);
    if (this.#command !== "reload" && this.#command !== "trust") await this.#showOpening();
    this.#tellWarnings();
  }

  async #showOpening(): Promise<void> {
    const { env, raw, runtime } = this;
    const { columns } = this.#console.screen;
    const isFirst = !this.#isOpened;
    this.#isOpened = true;
    this.#view.rows(await openingRows(runtime, { columns, raw, env, isFirst }));
  }

  /** Each once; more may come with each session that is opened. */
  #tellWarnings(): void {
    const warnings = this.#ports.warnings();
    for (const { message } of warnings.slice(this.#warned)) this.#view.note(message);
    this.#warned = warnings.length;
  }

  /** `isBelow`: there is something on the screen already. */
  #newView({ isBelow = false } = {}): RunView {
    const { timer, raw, stream } = this.#ports;
    return new RunView({
      screen: this.#console.screen,
      timer,
      raw,
      isBelow,
      hideThinking: this.runtime.services.settings.hideThinking,
      ...(stream ? { stream } : {}),
    });
  }
}
