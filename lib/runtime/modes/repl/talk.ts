/** Saying something to the model, and running shell commands beside it. */
import { nodeFileSystem, reasonOf } from "../../../session/mod.ts";
import type { AgentSession } from "../../agent_session.ts";
import type { AgentSessionEvent } from "../../event.ts";
import type { RunOutcome } from "../../run_tally.ts";
import type { Prompt } from "../prompt_input.ts";
import { withFiles } from "./attachments.ts";
import type { Console } from "./console.ts";
import { statusText } from "./numbers.ts";
import type { RunView } from "./run_view.ts";
import { cutRow, rowsOf } from "./styled.ts";
import { shortened } from "./tool_rows.ts";

export interface TalkPorts {
  readonly console: Console;
  readonly maxFileBytes: number;
  /** Lines appear as they are typed without our doing. */
  readonly echoes: boolean;
  /** Both as they are now: a session may be replaced by another. */
  session(): AgentSession;
  view(): RunView;
}

/** Of a person's own command a person wants to see more than of a tool's. */
const SHELL_ROWS_MAX = 200;

export class Talk {
  readonly #ports: TalkPorts;
  #shells = 0;
  #isSaved = false;

  constructor(ports: TalkPorts) {
    this.#ports = ports;
  }

  /** Whether a shell command of the person is running. */
  get hasShell(): boolean {
    return this.#shells > 0;
  }

  observe(event: AgentSessionEvent): void {
    if (event.type === "message_end" && event.message.role === "user") this.#isSaved = true;
  }

  /**
   * Says something: at once, or while the model works as steering or a follow-up. What came to
   * nothing is told and given back.
   */
  async say(text: string, whileRunning: "steer" | "followUp" = "steer"): Promise<void> {
    const { cwd } = this.#session.session;
    await this.#attempt(text, async () => {
      const prompt = await withFiles(text, { cwd, maxFileBytes: this.#ports.maxFileBytes });
      await this.#ask(text, prompt, whileRunning);
    });
  }

  /** Says a prompt of the command line. */
  async sayPrompt(prompt: Prompt): Promise<void> {
    await this.#attempt(prompt.text, () => this.#ask(prompt.text, prompt, "steer"));
  }

  async shell(
    line: string,
    { command, exclude }: { command: string; exclude: boolean },
  ): Promise<void> {
    const { console } = this.#ports;
    console.ready({ quiet: true });
    this.#shells++;
    await this.#attempt(line, async () => {
      const message = await this.#view.duringShell(
        command,
        () => this.#session.executeBash(command, { exclude }),
      );
      const { output, exitCode, cancelled, fullOutputPath } = message;
      const rows = output.trimEnd() === "" ? [] : rowsOf(output.trimEnd());
      const { columns } = console.screen;
      const view = this.#view;
      view.rows(shortened(rows, SHELL_ROWS_MAX).map((each) => cutRow(each, columns)));
      if (fullOutputPath !== undefined) view.note(`All of it is in ${fullOutputPath}`);
      if (cancelled) view.note("Stopped");
      else if (exitCode !== undefined && exitCode !== 0) view.error(`Exit code ${exitCode}`);
    });
    this.#shells--;
  }

  /** Puts a text that came to nothing on the input line, unless something else is there now. */
  giveBack(text: string): void {
    const { console } = this.#ports;
    if (console.text === "") console.put(text);
    else this.#view.note("What you said before is in the history (Up)");
  }

  tell(error: unknown): void {
    this.#view.error(reasonOf(error));
  }

  get #session(): AgentSession {
    return this.#ports.session();
  }

  get #isFileGone(): boolean {
    const { file } = this.#session.session;
    return file !== undefined && !nodeFileSystem.stat(file);
  }

  get #view(): RunView {
    return this.#ports.view();
  }

  async #attempt(text: string, task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      this.tell(error);
      this.giveBack(text);
    }
  }

  /** `shown` is what stands on the screen for the prompt. */
  async #ask(shown: string, prompt: Prompt, whileRunning: "steer" | "followUp"): Promise<void> {
    const { console, echoes } = this.#ports;
    const session = this.#session;
    const { text, ...rest } = prompt;
    if (session.isRunning) {
      await session.prompt(text, { ...rest, whileRunning });
      return;
    }
    if (echoes) this.#view.promptIsShown();
    else this.#view.prompt(shown);
    this.#isSaved = false;
    const running = session.prompt(text, { ...rest, whileRunning });
    console.ready({ quiet: true });
    await this.#tellOutcome(shown, await running);
    console.ready();
  }

  async #tellOutcome(text: string, outcome: RunOutcome): Promise<void> {
    const { error, saveError, aborted, taken } = outcome;
    if (taken) return;
    if (saveError) {
      const rescue = this.#isFileGone ? ". /clone goes on with what was said in a new file" : "";
      this.#view.error(`The conversation is not saved: ${saveError.message}${rescue}`);
      if (!this.#isSaved) this.giveBack(text);
      return;
    }
    if (error && !aborted) this.#view.error(error.message);
    const session = this.#session;
    const stats = await session.stats();
    this.#view.status(statusText(session.model.facts, session.thinkingLevel, stats));
  }
}
