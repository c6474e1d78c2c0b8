/** What is going on right now: running tools, waiting, a spinner while nothing else moves. */
import type { Timer } from "../../../agent/mod.ts";
import { textOf } from "../../../session/mod.ts";
import type { AgentSessionEvent } from "../../event.ts";
import { cutRow, type Row, row, span } from "./styled.ts";
import { callSpans, rowWithTime, type ToolCallView } from "./tool_rows.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const TICK_MS = 120;
const OUTPUT_LENGTH_MAX = 2_000;

interface RunningCall extends ToolCallView {
  readonly since: number;
  output: string;
}

interface Waiting {
  readonly what: string;
  readonly since: number;
  /** When it ends, if that is known: the time runs down then. */
  readonly until?: number;
  readonly detail?: string;
}

/** Follows the events and says what there is to wait for. Its clock runs only while there is. */
export class RunActivity {
  readonly #timer: Timer;
  readonly #onTick: () => void;
  readonly #calls = new Map<string, RunningCall>();
  /** What is being waited for besides tools. */
  #waiting: Waiting | undefined;
  /** The commands of the person that are running. */
  readonly #shells = new Set<{ readonly command: string; readonly since: number }>();
  #output = "";
  #ticking: AbortController | undefined;

  constructor(timer: Timer, onTick: () => void) {
    this.#timer = timer;
    this.#onTick = onTick;
  }

  observe(event: AgentSessionEvent): void {
    switch (event.type) {
      case "agent_start":
      case "turn_start":
      case "message_update":
        return this.#wait("Working");
      case "tool_execution_start": {
        const { toolName, args } = event;
        this.#calls.set(event.toolCallId, { toolName, args, since: this.#timer.now(), output: "" });
        return;
      }
      case "tool_execution_update": {
        const call = this.#calls.get(event.toolCallId);
        if (call) call.output = tail(call.output + textOf(event.partialResult.content));
        return;
      }
      case "tool_execution_end":
        this.#calls.delete(event.toolCallId);
        return;
      case "auto_retry_start": {
        const whom = event.fallbackModel === undefined ? "" : ` ${event.fallbackModel}`;
        return this.#wait(`Asking${whom} again`, {
          until: this.#timer.now() + event.delayMs,
          detail: ` (${event.attempt} of ${event.maxAttempts})`,
        });
      }
      case "compaction_start":
        return this.#wait("Compacting the context");
      case "summarization_retry_scheduled":
        return this.#wait(`${event.errorMessage}: asking for the summary again`);
      case "bash_execution_update":
        this.#output = tail(this.#output + event.delta);
        this.#onTick();
        return;
      case "compaction_end":
      case "agent_settled":
        return this.stop();
      case "message_start":
        if (event.message.role === "bashExecution") this.#output = "";
        return;
      case "message_end":
      case "turn_end":
      case "agent_end":
      case "auto_retry_end":
      case "queue_update":
      case "entry_appended":
      case "session_info_changed":
      case "thinking_level_changed":
      case "model_changed":
      case "summarization_retry_attempt_start":
      case "summarization_retry_finished":
        return;
    }
  }

  /** Something takes its time that no event tells of. */
  begin(what: string): void {
    this.#wait(what);
  }

  /** A command of the person begins; what is returned is to be called at its end. */
  beginShell(command: string): () => void {
    const shell = { command, since: this.#timer.now() };
    this.#shells.add(shell);
    this.#startTicking();
    return () => {
      this.#shells.delete(shell);
      if (this.#shells.size === 0) this.#output = "";
      if (!this.#waiting) this.stop();
    };
  }

  /** Nothing goes on any more but commands of the person. */
  stop(): void {
    this.#calls.clear();
    this.#waiting = undefined;
    if (this.#shells.size === 0) {
      this.#output = "";
      this.#ticking?.abort();
      this.#ticking = undefined;
    }
    this.#onTick();
  }

  /** `moves`: something else on the screen shows that it goes on. */
  rows(columns: number, moves: boolean): Row[] {
    const now = this.#timer.now();
    const frame = FRAMES[Math.floor(now / TICK_MS) % FRAMES.length] ?? "";
    const rows: Row[] = [];
    const spinner = span(`${frame} `, { colour: "cyan" });
    for (const call of this.#calls.values()) {
      rows.push(rowWithTime([spinner, ...callSpans(call)], timeSince(call.since, now), columns));
      rows.push(...lastLine(call.output, columns));
    }
    for (const { command, since } of this.#shells) {
      rows.push(rowWithTime([spinner, span(`!${command}`)], timeSince(since, now), columns));
    }
    rows.push(...lastLine(this.#output, columns));
    if (this.#waiting && !moves && rows.length === 0) {
      const text = `${waitingText(this.#waiting, now)} · Ctrl-C stops`;
      rows.push(cutRow([spinner, span(text, { dim: true })], columns));
    }
    return rows;
  }

  #wait(what: string, more: Pick<Waiting, "until" | "detail"> = {}): void {
    if (this.#waiting?.what !== what) this.#waiting = { what, since: this.#timer.now(), ...more };
    this.#startTicking();
  }

  #startTicking(): void {
    if (this.#ticking) return;
    const ticking = new AbortController();
    this.#ticking = ticking;
    this.#tick(ticking.signal);
  }

  async #tick(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#onTick();
      await this.#timer.sleep(TICK_MS, signal);
    }
  }
}

function waitingText({ what, since, until, detail = "" }: Waiting, now: number): string {
  const time = until === undefined
    ? timeSince(since, now)
    : `in ${Math.max(1, Math.ceil((until - now) / 1000))} s`;
  return `${what}${time === "" ? "" : ` ${time}`}${detail}`;
}

/** Nothing in the first second. */
function timeSince(since: number, now: number): string {
  const seconds = Math.floor((now - since) / 1000);
  return seconds > 0 ? `${seconds} s` : "";
}

function tail(text: string): string {
  return text.slice(-OUTPUT_LENGTH_MAX);
}

/** The newest line of an output. */
function lastLine(output: string, columns: number): Row[] {
  const line = output.split(/[\r\n]+/).findLast((each) => each.trim() !== "");
  return line === undefined ? [] : [cutRow(row(`  ${line}`, { dim: true }), columns)];
}
