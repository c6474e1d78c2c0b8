/** Extensions as part of a conversation: their tools, commands and hooks, from start to shutdown. */
import { systemTimer, type Timer, type Tool, ToolError } from "../../agent/mod.ts";
import type { AgentSession } from "../agent_session.ts";
import type { SessionHooks } from "../hooks.ts";
import type { CommandSummary, StartReason, SwitchIntent } from "../runtime.ts";
import type { ExtensionCommand, ExtensionTool, ExtensionUi } from "./api.ts";
import { CallContext } from "./context.ts";
import { type ProgramPorts, Programs } from "./exec.ts";
import { HandlerCalls } from "./handler_calls.ts";
import { type ExtensionSource, loadAll } from "./load.ts";
import type { Registered } from "./registered.ts";
import { isToolResult } from "./results.ts";
import { SessionDoor } from "./session_door.ts";
import { sessionHooks } from "./session_hooks.ts";
import { reasonOf } from "../../session/mod.ts";

/** How long a command may take; a person can abort it before. */
export const COMMAND_LIMIT_MS = 600_000;

export interface ExtensionPorts extends ProgramPorts {
  ui: ExtensionUi;
  /** Takes one more provider; rejects if its description is wrong. */
  addProvider(name: string, description: unknown): Promise<void>;
  /** Tells what is wrong with an extension that is being loaded. */
  warn(message: string): void;
  timer?: Timer;
  /** Aborts the loading. */
  signal?: AbortSignal;
}

interface RunnerPorts {
  door: SessionDoor;
  ui: ExtensionUi;
  timer: Timer;
  programs: Programs;
}

/** Loads extensions for one conversation. Never rejects: what cannot be loaded is told of. */
export async function loadExtensions(
  sources: readonly ExtensionSource[],
  ports: ExtensionPorts,
): Promise<ExtensionRunner> {
  const { signal, timer = systemTimer, ui } = ports;
  const door = new SessionDoor();
  const programs = new Programs(ports);
  const extensions = await loadAll(sources, {
    door,
    timer,
    signal,
    now: () => timer.now(),
    exec: (program, args, options) => programs.run(program, args, options),
    addProvider: (name, description) => ports.addProvider(name, description),
    warn: (message) => ports.warn(message),
  });
  return new ExtensionRunner(extensions, { door, ui, timer, programs });
}

/**
 * The extensions of one conversation. Invariant: they reach its session from `goLive` to the end of
 * `shutdown`, and nothing of it before and after.
 */
export class ExtensionRunner {
  /** For `AgentSession`. */
  readonly hooks: SessionHooks;
  readonly #ports: RunnerPorts;
  readonly #calls: HandlerCalls;
  readonly #commands = new Map<string, Owned<ExtensionCommand>>();
  readonly #tools = new Map<string, Owned<ExtensionTool>>();

  constructor(extensions: readonly Registered[], ports: RunnerPorts) {
    this.#ports = ports;
    this.#calls = new HandlerCalls(extensions, ports);
    for (const extension of extensions) {
      for (const [name, command] of extension.commands) {
        this.#claim(this.#commands, name, { extension, value: command }, `the command /${name}`);
      }
      for (const tool of extension.tools) {
        this.#claim(this.#tools, tool.name, { extension, value: tool }, `the tool ${tool.name}`);
      }
    }
    this.hooks = {
      ...sessionHooks(this.#calls, () => ports.timer.now()),
      command: (text, signal) => this.#command(text, signal),
    };
  }

  /** The commands, for `/help` and completion. */
  get commands(): CommandSummary[] {
    return [...this.#commands].map(([name, { value: { description } }]) => ({ name, description }));
  }

  /** The built-in tools and those of extensions, which may take the place of built-in ones. */
  toolsWith(builtIn: readonly Tool[]): Tool[] {
    const own = [...this.#tools.values()].map((tool) => this.#guardedTool(tool));
    const rest = new Map(own.map((tool) => [tool.name, tool]));
    const joined = builtIn.map((tool) => {
      const replacement = rest.get(tool.name);
      rest.delete(tool.name);
      return replacement ?? tool;
    });
    return [...joined, ...rest.values()];
  }

  goLive(session: AgentSession): void {
    this.#ports.door.open(session);
  }

  /** Whether the extensions let the session be left. */
  async mayLeave(intent: SwitchIntent): Promise<boolean> {
    for await (const { answer } of this.#leaveAnswers(intent)) {
      if (answer.cancel) return false;
    }
    return true;
  }

  async started(start: { reason: StartReason; previousSessionFile?: string }): Promise<void> {
    await this.#ports.door.session.alongside((signal) =>
      this.#calls.tell("session_start", () => ({ ...start }), { signal })
    );
  }

  /** For a conversation that does not come to be: nothing is told, and no program runs on. */
  async discard(): Promise<void> {
    this.#ports.door.shut();
    await this.#ports.programs.stop();
  }

  /** The last that the extensions hear; afterwards all that they kept is stale. */
  async shutdown(): Promise<void> {
    await this.#calls.tell("session_shutdown", () => ({}));
    await this.discard();
  }

  #leaveAnswers(intent: SwitchIntent) {
    switch (intent.kind) {
      case "switch": {
        const { kind: _, ...event } = intent;
        return this.#calls.answers("session_before_switch", () => ({ ...event }));
      }
      case "fork": {
        const { kind: _, ...event } = intent;
        return this.#calls.answers("session_before_fork", () => ({ ...event }));
      }
    }
  }

  /** Of two with one name, the first is taken. */
  #claim<T>(owners: Map<string, Owned<T>>, name: string, own: Owned<T>, what: string): void {
    const other = owners.get(name);
    if (!other) owners.set(name, own);
    else {
      const problem = `is left out: the extension ${other.extension.name} has one of this name`;
      this.#calls.report(own.extension, what, problem);
    }
  }

  #guardedTool({ extension, value: tool }: Owned<ExtensionTool>): Tool {
    const { alone, check, description, name, parameters, readOnly } = tool;
    const { door, ui } = this.#ports;
    return {
      name,
      description,
      parameters,
      ...(alone === undefined ? {} : { alone }),
      ...(readOnly === undefined ? {} : { readOnly }),
      ...(check ? { check: (args) => check(args) } : {}),
      async execute(args, call) {
        const context = new CallContext({
          name: extension.name,
          door,
          ui,
          signal: call.signal,
        });
        const result: unknown = await tool.execute(args, call, context);
        if (isToolResult(result)) return result;
        throw new ToolError(
          `Cannot use the result of ${name}: the extension ${extension.name} returned no ` +
            '{ content: [{ type: "text", text }] }.',
        );
      },
    };
  }

  /** Runs `/name args`, if an extension has that command. */
  async #command(text: string, signal: AbortSignal): Promise<boolean | { prompt: string }> {
    const [, name = "", args = ""] = /^\/(\S+)\s*([^]*)$/.exec(text) ?? [];
    const owned = this.#commands.get(name);
    if (!owned) return false;
    const { extension, value: command } = owned;
    const outcome = await this.#calls.run({
      extension,
      limitMs: COMMAND_LIMIT_MS,
      signal,
      run: (context) => command.run(args.trimEnd(), context),
    });
    const tell = (problem: string) =>
      this.#ports.ui.notify(
        `Cannot run /${name} (extension ${extension.name}): ${problem}`,
        "error",
      );
    switch (outcome.kind) {
      case "returned":
        if (typeof outcome.value === "string") return { prompt: outcome.value };
        if (outcome.value !== undefined) tell("it returned neither a prompt (a text) nor nothing");
        return true;
      case "threw":
        tell(reasonOf(outcome.error));
        return true;
      case "hung":
        tell(`it did not end within ${COMMAND_LIMIT_MS / 60_000} minutes`);
        return true;
      case "aborted":
        return true;
    }
  }
}

/** Something and the extension that it is of. */
interface Owned<T> {
  extension: Registered;
  value: T;
}
