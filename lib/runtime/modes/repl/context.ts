/** What the commands of the REPL work with. */
import type { Timer } from "../../../agent/mod.ts";
import type { SessionRepo } from "../../../session/mod.ts";
import type { AgentSession } from "../../agent_session.ts";
import type { Environment, Services } from "../../config/mod.ts";
import type { AgentSessionRuntime } from "../../runtime.ts";
import type { Dialog } from "./dialog.ts";

export interface ReplContext {
  readonly runtime: AgentSessionRuntime<Services>;
  readonly repo: SessionRepo;
  readonly dialog: Dialog;
  readonly timer: Timer;
  readonly env: Environment;
  /** The entries of the last list that was numbered: 1 is the first. */
  numbered: readonly string[];
  /** Whether Markdown is left as it is. */
  readonly raw: boolean;
  /** The session that is live now. */
  readonly session: AgentSession;
  /** Puts a text on the input line, for editing. */
  put(text: string): void;
  /** Puts a text into the terminal's clipboard; false if it cannot. */
  copy(text: string): boolean;
  /** Says something to the model once the run in progress is over, or now if there is none. */
  later(text: string): void;
  /** Shows something as going on while a task takes its time. */
  during<T>(what: string, task: () => Promise<T>): Promise<T>;
  /** Ends the REPL. */
  leave(): void;
}

/** What a command's argument can be completed with. */
export type ArgumentKind =
  | "command"
  | "model"
  | "session"
  | "entry"
  | "tree"
  | "level"
  | "tool"
  | "path"
  | "trust";

export interface Command {
  readonly name: string;
  /** What may follow the name, as in the help: `[entry] [text]`. */
  readonly parameters?: string;
  /** One line. */
  readonly does: string;
  /** More lines, for `/help name`. */
  readonly help?: string;
  /** Runs also while the model works; else it is refused, and stays on the input line. */
  readonly anytime?: boolean;
  readonly completes?: ArgumentKind;
  run(context: ReplContext, argument: string): Promise<void> | void;
}
