/** The program at the other end: its commands are taken in order, each is answered once. */
import type { Timer } from "../../../agent/mod.ts";
import type { Sink } from "../output.ts";
import { damageLines } from "../damage_text.ts";
import { PrintTally } from "../print_tally.ts";
import type { Report } from "../report.ts";
import type { View } from "../view.ts";
import { type Answer, CommandError, failure, isBug, type Outcome } from "./answer.ts";
import type { CommandOf, ReadLine, RpcCommand } from "./command.ts";
import { perform, type RpcRuntime, type Task } from "./perform.ts";

export interface RpcClientPorts {
  readonly runtime: RpcRuntime;
  readonly warnings: readonly { readonly message: string }[];
  readonly view: View;
  readonly report: Report;
  readonly stdout: Sink;
  /** Aborts when the mode is stopped from outside. */
  readonly signal: AbortSignal;
  readonly timer: Timer;
}

/** Whether a command goes on by itself once it has begun, so that others can be taken meanwhile. */
function takesTime(command: RpcCommand): boolean {
  const { type } = command;
  return type === "bash" || type === "compact" ||
    (type === "navigate_tree" && command.summarize === true);
}

type Acceptance = "started" | "queued" | "taken";

/** The result of a prompt that the client aborted, as if a person had pressed Ctrl-C. */
const ABORTED = {
  ok: false,
  exitCode: 130,
  error: { code: "aborted", message: "The prompt was aborted", retryable: true },
} as const;

/**
 * Invariants: commands begin in the order in which they came; each has exactly one answer; a record
 * of a prompt comes after the answer that accepts it, its result last.
 */
export class RpcClient {
  readonly #ports: RpcClientPorts;
  readonly #ending = new AbortController();
  /** The commands so far, one after the other. */
  #queue: Promise<void> = Promise.resolve();
  /** What goes on after its command has been taken. */
  readonly #background = new Set<Promise<void>>();
  /** The prompt that is not accepted yet: an extension may take its time. */
  #held = false;
  /** Nothing more comes; what was received is still done, but for prompts. */
  #isLast = false;
  /** Counts for the prompt that is being worked on. */
  #tally: PrintTally | undefined;
  /** Resolves when the last prompt has its result. */
  #prompted: Promise<void> = Promise.resolve();
  #unsubscribe = () => {};
  #warningsTold = 0;

  constructor(ports: RpcClientPorts) {
    this.#ports = ports;
  }

  /** Aborts when a `shutdown` was taken. */
  get ended(): AbortSignal {
    return this.#ending.signal;
  }

  /** Begins to tell of the session. */
  async start(): Promise<void> {
    const { runtime } = this.#ports;
    runtime.onRebind(async () => {
      await this.#prompted;
      this.#bind();
    });
    this.#bind();
    await runtime.start();
  }

  /** Takes a line; what it asks for is done when those before it have been taken. */
  receive(line: ReadLine): void {
    if (line.kind === "command" && line.value.type === "abort") this.#release();
    this.#queue = this.#queue.then(() => this.#take(line));
  }

  /** Nothing more will come: resolves when all that was received is taken. */
  async end(): Promise<void> {
    this.#isLast = true;
    this.#release();
    await this.#queue;
  }

  /** Aborts what is going on, answers what is open, and lets go of the session. */
  async close(): Promise<void> {
    const { runtime } = this.#ports;
    this.#ending.abort();
    this.#release();
    await this.#queue;
    await runtime.session.abort();
    await Promise.all(this.#background);
    this.#unsubscribe();
    await runtime.dispose();
  }

  /** Lets go of a prompt that holds up the others. */
  #release(): void {
    if (this.#held) this.#inBackground(this.#ports.runtime.session.abort());
  }

  #bind(): void {
    const { runtime, view, report, stdout, signal, warnings } = this.#ports;
    this.#unsubscribe();
    const { session } = runtime;
    this.#unsubscribe = session.subscribe(async (event) => {
      this.#tally?.observe(event);
      // The session may be closed by the time that the prompt resolves.
      if (event.type === "agent_settled") await this.#tally?.note(session, { totals: true });
      view.event(event);
      await stdout.ready(signal);
    });
    view.start(session.session.header);
    for (const { message } of warnings.slice(this.#warningsTold)) report.note(message);
    this.#warningsTold = warnings.length;
    const { damage, file, id } = session.session;
    for (const text of damageLines(damage, file ?? id)) report.note(text);
  }

  async #take(line: ReadLine): Promise<void> {
    if (line.kind === "refused") {
      return this.#answer(line, { success: false, error: line.error });
    }
    if (this.#ending.signal.aborted || this.#ports.signal.aborted) {
      return this.#answer(line, failure(closing()));
    }
    const { value } = line;
    if (value.type === "shutdown") {
      this.#ending.abort();
      return this.#answer(line, { success: true });
    }
    if (value.type === "prompt") return await this.#prompt(value, line);
    const performed = this.#perform(value, line);
    if (takesTime(value)) this.#inBackground(performed);
    else await performed;
  }

  async #perform(command: Task, line: ReadLine): Promise<void> {
    try {
      const data = await perform(command, this.#ports.runtime);
      this.#answer(line, { success: true, ...(data === undefined ? {} : { data }) });
    } catch (error) {
      this.#fail(line, error);
    }
  }

  /** Resolves when the prompt is accepted or refused; its result comes when it is done. */
  async #prompt(command: CommandOf<"prompt">, line: ReadLine): Promise<void> {
    const { message, images = [], streamingBehavior } = command;
    const { runtime: { session }, timer } = this.#ports;
    if (this.#isLast) return this.#fail(line, closing());
    if (!session.isRunning) await this.#prompted;
    const tally = new PrintTally(timer);
    const accepted = Promise.withResolvers<Acceptance>();
    this.#held = true;
    const work = session.prompt(message, {
      images,
      ...(streamingBehavior === undefined ? {} : { whileRunning: streamingBehavior }),
      onAccepted: (status) => {
        if (status === "started") this.#tally = tally;
        this.#answer(line, { success: true, data: { status } });
        accepted.resolve(status);
      },
    }).then(
      (outcome) => {
        tally.add(outcome);
        accepted.reject(new CommandError("aborted", "The prompt was aborted"));
        return outcome.aborted;
      },
      (error: unknown) => {
        tally.failure = error;
        accepted.reject(error);
        return false;
      },
    );
    try {
      const status = await accepted.promise;
      if (status === "started") {
        this.#prompted = this.#inBackground(
          work.then((aborted) => this.#result(tally, line, aborted)),
        );
      }
    } catch (error) {
      this.#fail(line, error);
    } finally {
      this.#held = false;
    }
  }

  #result(tally: PrintTally, { id }: ReadLine, aborted: boolean): void {
    this.#tally = undefined;
    const result = tally.result(undefined);
    const ended = aborted ? { ...result, ...ABORTED } : result;
    this.#ports.view.end({ ...ended, ...(id === undefined ? {} : { id }) }, undefined);
    if (ended.exitCode === 70) this.#ports.report.bug(tally.cause);
  }

  /** Sees to it that the work is waited for at the end; what it gives does not reject. */
  #inBackground(work: Promise<void>): Promise<void> {
    const kept: Promise<void> = work
      .catch((error: unknown) => this.#ports.report.bug(error))
      .finally(() => this.#background.delete(kept));
    this.#background.add(kept);
    return kept;
  }

  #fail(line: ReadLine, error: unknown): void {
    const outcome = failure(error);
    if (!outcome.success && outcome.error.code === "bug" && isBug(error)) {
      this.#ports.report.bug(error);
    }
    this.#answer(line, outcome);
  }

  #answer({ id, command }: ReadLine, outcome: Outcome): void {
    const answer: Answer = {
      type: "response",
      ...(id === undefined ? {} : { id }),
      command,
      ...outcome,
    };
    this.#ports.stdout.record(answer);
  }
}

function closing(): CommandError {
  return new CommandError("shutting_down", "Cannot take the command: the program is ending");
}
