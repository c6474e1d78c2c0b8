/** Print mode: the prompts run one after the other, the answer goes to stdout, and that is all. */
import { systemTimer, type Timer } from "../../agent/mod.ts";
import type { AgentSession } from "../agent_session.ts";
import type { ExitCode } from "../command_line/exit_code.ts";
import type { RunOptions } from "../command_line/run_options.ts";
import { exitCodeOf } from "./exit_codes.ts";
import { LimitWatch } from "./limits.ts";
import { damageLines } from "./damage_text.ts";
import type { Sink } from "./output.ts";
import { assemblePrompts, hasPrompt, type Prompt } from "./prompt_input.ts";
import { PrintTally } from "./print_tally.ts";
import { Report } from "./report.ts";
import type { RunResult } from "./result.ts";
import { checkResultFile, writeResultFile } from "./result_file.ts";
import { readStdin, type StdinSource } from "./stdin.ts";
import type { Stopper } from "./stop.ts";
import type { AnswerSchema } from "./structured.ts";
import { eventsView, jsonView, streamView, textView, type View } from "./view.ts";
import { reasonOf } from "../../session/mod.ts";

/** A conversation that print mode has with a session. */
export interface PrintConversation {
  readonly session: AgentSession;
  readonly warnings: readonly { readonly message: string }[];
  /** The mode listens now. */
  start(): Promise<void>;
  /** Lets go of the session and of all that belongs to it. */
  close(): Promise<void>;
}

/** What opens the conversation that the options ask for. */
export type OpenConversation = (
  options: RunOptions,
  more: {
    readonly signal: AbortSignal;
    readonly outputSchema?: { name: string; schema: Record<string, unknown> };
    readonly onWait: (message: string) => void;
    readonly ui: Pick<Report, "notify">;
  },
) => Promise<PrintConversation>;

/** The world around a run. */
export interface PrintPorts {
  readonly stdout: Sink;
  readonly stderr: Sink;
  stdin(): StdinSource;
  readonly open: OpenConversation;
  readonly stopper: Stopper;
  /** The process's own directory: `@file`s and other paths on the command line start there. */
  readonly cwd: string;
  readonly timer?: Timer;
}

/** Runs the prompts and resolves with the exit code, when all output has been handed over. */
export async function print(options: RunOptions, ports: PrintPorts): Promise<ExitCode> {
  return await new PrintRun(options, ports).toTheEnd();
}

/** One run of print mode. Its result is complete whatever went wrong, and wherever. */
class PrintRun {
  readonly #options: RunOptions;
  readonly #ports: PrintPorts;
  readonly #report: Report;
  readonly #view: View;
  readonly #limits: LimitWatch;
  readonly #tally: PrintTally;
  #schema: AnswerSchema | undefined;
  /** Where the result goes besides; known once it is known to be writable. */
  #resultFile: string | undefined;
  /** How many prompts come after the one that was asked last. */
  #unasked = 0;

  constructor(options: RunOptions, ports: PrintPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#report = new Report(ports.stderr, options);
    this.#view = chooseView(options, ports.stdout);
    this.#limits = new LimitWatch(options.limits, (cause) => ports.stopper.stop(cause));
    this.#tally = new PrintTally(ports.timer ?? systemTimer);
  }

  get #signal(): AbortSignal {
    return this.#ports.stopper.signal;
  }

  async toTheEnd(): Promise<ExitCode> {
    const ended = new AbortController();
    const timer = this.#ports.timer ?? systemTimer;
    const timeLimit = this.#limits.start(timer, AbortSignal.any([this.#signal, ended.signal]));
    try {
      await this.#run();
    } catch (error) {
      this.#tally.failure = error;
    }
    ended.abort();
    await timeLimit;
    return await this.#tell();
  }

  async #run(): Promise<void> {
    const { options, prompts } = await this.#prepare();
    if (this.#signal.aborted) return;
    const schema = this.#schema;
    const conversation = await this.#ports.open(options, {
      signal: this.#signal,
      ...(schema ? { outputSchema: { name: schema.name, schema: schema.schema } } : {}),
      onWait: (message) => this.#report.note(message),
      ui: this.#report,
    });
    try {
      this.#view.start(conversation.session.session.header);
      this.#warn(conversation);
      await this.#converse(conversation, prompts);
    } finally {
      const { output, resultFile } = this.#options;
      const totals = output !== "text" || resultFile !== undefined;
      try {
        await this.#tally.note(conversation.session, { totals });
      } finally {
        await conversation.close();
      }
    }
  }

  #warn({ session, warnings }: PrintConversation): void {
    for (const { message } of warnings) this.#report.note(message);
    const { damage, file, id } = session.session;
    for (const text of damageLines(damage, file ?? id)) this.#report.note(text);
  }

  /** Everything that can be wrong with the call itself is found before a session is opened. */
  async #prepare(): Promise<{ options: RunOptions; prompts: Prompt[] }> {
    const { prompts, files, resultFile, schema, stdin, stdinMaxBytes } = this.#options;
    const { cwd } = this.#ports;
    if (resultFile !== undefined) {
      checkResultFile(resultFile, cwd);
      this.#resultFile = resultFile;
    }
    let options = this.#options;
    if (schema !== undefined) {
      this.#schema = await (await import("./structured.ts")).loadSchema(schema, cwd);
      const appendSystemPrompts = [...options.appendSystemPrompts, this.#schema.instruction];
      options = { ...options, appendSystemPrompts };
    }
    const data = await readStdin(this.#ports.stdin(), {
      choice: stdin,
      maxBytes: stdinMaxBytes,
      hasPrompt: hasPrompt({ prompts, files }),
      timer: this.#ports.timer ?? systemTimer,
      signal: this.#signal,
      notice: (text) => this.#report.note(text),
    });
    for (const warning of data.warnings) this.#report.note(warning);
    this.#tally.stdinTimedOut = data.timedOut;
    if (this.#signal.aborted) return { options, prompts: [] };
    const assembled = await assemblePrompts({
      prompts,
      files,
      cwd,
      maxFileBytes: stdinMaxBytes,
      onUnfitImage: (message) => this.#report.note(message),
      ...(data.text === undefined ? {} : { stdin: data.text }),
    });
    return { options, prompts: assembled };
  }

  async #converse(conversation: PrintConversation, prompts: readonly Prompt[]): Promise<void> {
    const { session } = conversation;
    const { stdout } = this.#ports;
    const aborting: Promise<void>[] = [];
    const abort = () => aborting.push(session.abort());
    this.#signal.addEventListener("abort", abort, { once: true });
    const unsubscribe = session.subscribe(async (event) => {
      this.#limits.observe(event);
      this.#tally.observe(event);
      this.#view.event(event);
      // On a terminal, stderr stands between the lines of stdout: each has its turn.
      if (event.type === "message_end" && stdout.isTerminal) {
        await stdout.drainUnless(this.#signal);
      }
      if (this.#options.output !== "events") this.#report.progress(event);
      await stdout.ready(this.#signal);
    });
    try {
      await conversation.start();
      for (const [index, prompt] of prompts.entries()) {
        this.#unasked = prompts.length - index - 1;
        if (!await this.#ask(session, prompt)) return;
      }
      await this.#structure(session);
    } finally {
      this.#signal.removeEventListener("abort", abort);
      await Promise.all(aborting);
      unsubscribe();
    }
  }

  /** Whether the prompt was answered whole. */
  async #ask(session: AgentSession, prompt: Prompt): Promise<boolean> {
    this.#limits.checkBeforePrompt();
    if (this.#signal.aborted) return false;
    this.#tally.add(await session.prompt(prompt.text, prompt));
    return this.#tally.isAnswered && !this.#signal.aborted;
  }

  /** Holds the last answer to the schema; the model may mend it once. */
  async #structure(session: AgentSession): Promise<void> {
    const schema = this.#schema;
    if (!schema) return;
    let structured = schema.check(this.#tally.text);
    if (!structured.ok) {
      this.#report.note(`The answer does not fit the schema, asking again: ${structured.problem}`);
      const { repairPrompt } = await import("./structured.ts");
      const text = repairPrompt(structured.problem);
      if (!await this.#ask(session, { text, images: [] })) return;
      structured = schema.check(this.#tally.text);
    }
    this.#tally.structured = structured;
  }

  /** Says on stdout, on stderr and in the result file how it went. */
  async #tell(): Promise<ExitCode> {
    const { stdout, stderr, stopper, cwd } = this.#ports;
    let result = this.#tally.result(stopper.cause);
    this.#view.end(result, this.#tally.answer(result));
    await stdout.drainUnless(this.#signal);
    // The reader may have left only now.
    if (stopper.cause) result = this.#tally.result(stopper.cause);
    result = this.#keepResult(result, cwd);
    if (result.exitCode === 70) this.#report.bug(this.#tally.cause);
    else if (stopper.cause?.kind === "pipe") return result.exitCode;
    else if (result.error) this.#report.error(result.error.message);
    else this.#tellHints(result);
    if (this.#unasked > 0) {
      const prompts = this.#unasked === 1 ? "The next prompt was" : `${this.#unasked} prompts were`;
      this.#report.note(`${prompts} not asked`);
    }
    // What is awaited from the start is written at once.
    await stderr.drainUnless(this.#signal);
    return result.exitCode;
  }

  #keepResult(result: RunResult, cwd: string): RunResult {
    const resultFile = this.#resultFile;
    if (resultFile === undefined) return result;
    try {
      writeResultFile(resultFile, cwd, result);
      return result;
    } catch (error) {
      this.#report.error(reasonOf(error));
      return result.exitCode === 0 ? { ...result, ok: false, exitCode: exitCodeOf(error) } : result;
    }
  }

  #tellHints(result: RunResult): void {
    if (result.text === "") this.#report.note("The answer is empty");
    if (result.sessionFile !== null) this.#report.note(`Session ${result.sessionId}`);
  }
}

function chooseView(options: RunOptions, stdout: Sink): View {
  switch (options.output) {
    case "json":
      return jsonView(stdout);
    case "events":
      return eventsView(stdout);
    case "text": {
      const streams = (options.stream || stdout.isTerminal) && options.schema === undefined;
      return streams ? streamView(stdout) : textView(stdout);
    }
  }
}
