/** What a run shows: events in, rows out. */
import type { AssistantMessageEvent, Timer } from "../../../agent/mod.ts";
import { type Message, textOf } from "../../../session/mod.ts";
import type { AgentSessionEvent } from "../../event.ts";
import { harmless } from "../terminal_text.ts";
import { compactedText, isSilent, retryText } from "./event_text.ts";
import { MarkdownText } from "./markdown.ts";
import { promptRows } from "./message_rows.ts";
import { modelName } from "./numbers.ts";
import { RunActivity } from "./run_activity.ts";
import type { Screen } from "./screen.ts";
import { type Row, row, rowsOf, wrapRow } from "./styled.ts";
import { finishedCallRows, shortened, type ToolCallView } from "./tool_rows.ts";

export interface RunViewOptions {
  readonly screen: Screen;
  readonly timer: Timer;
  /** Thinking is not shown, only that there is some. */
  readonly hideThinking: boolean;
  /** Markdown is left as it is. */
  readonly raw: boolean;
  /** Something else stands above already: a blank row comes first. */
  readonly isBelow?: boolean;
  /** Writes text as it comes, where there is no live part of the screen. */
  readonly stream?: (text: string) => void;
}

/** What the last finished rows were: a blank row parts different ones. */
type Block = "start" | "prompt" | "text" | "thinking" | "tool" | "note" | "rows" | "status";

const COMMAND_ROWS_MAX = 3;
const THINKING: { dim: true; italic: true } = { dim: true, italic: true };

export class RunView {
  readonly #options: RunViewOptions;
  readonly #activity: RunActivity;
  readonly #calls = new Map<string, ToolCallView>();
  #block: Block = "start";
  #text: MarkdownText | undefined;
  #thinking: MarkdownText | undefined;
  /** The prompt of the next run is on the screen already. */
  #isShown = false;
  /** That the run was stopped was told. */
  #isStopTold = false;

  constructor(options: RunViewOptions) {
    this.#options = options;
    if (options.isBelow) this.#block = "prompt";
    this.#activity = new RunActivity(options.timer, () => options.screen.refresh());
  }

  /** A prompt was typed: it is shown now, and not again when the run begins with it. */
  prompt(text: string): void {
    this.#print("prompt", promptRows(text, this.#columns));
    this.#isShown = true;
  }

  /** A prompt that the terminal shows already. */
  promptIsShown(): void {
    this.#isShown = true;
    this.#block = "start";
  }

  /** A command was typed. */
  command(line: string): void {
    this.#print("prompt", shortened(promptRows(line, this.#columns), COMMAND_ROWS_MAX));
  }

  /** What stands below an answer. */
  status(text: string): void {
    this.#print("status", wrapRow(row(text, { dim: true }), this.#columns));
  }

  /** Shows something as going on while a task takes its time. */
  async during<T>(what: string, task: () => Promise<T>): Promise<T> {
    this.#activity.begin(what);
    try {
      return await task();
    } finally {
      this.#activity.stop();
    }
  }

  /** Shows a command of the person as running until its task is done. */
  async duringShell<T>(command: string, task: () => Promise<T>): Promise<T> {
    const end = this.#activity.beginShell(command);
    try {
      return await task();
    } finally {
      end();
    }
  }

  /** Something to know. */
  note(text: string): void {
    this.#print(
      "note",
      rowsOf(text, { dim: true }).flatMap((each) => wrapRow(each, this.#columns)),
    );
  }

  /** Something went wrong. */
  error(text: string): void {
    const rows = rowsOf(text, { colour: "red" }).flatMap((each) => wrapRow(each, this.#columns));
    this.#print("note", rows);
  }

  /** Rows of a command. */
  rows(rows: readonly Row[]): void {
    this.#print("rows", rows);
  }

  observe(event: AgentSessionEvent): void {
    this.#activity.observe(event);
    switch (event.type) {
      case "message_start":
        if (event.message.role === "assistant") return this.#endText();
        return;
      case "message_update":
        if (event.assistantMessageEvent) this.#part(event.assistantMessageEvent);
        return;
      case "message_end":
        return this.#message(event.message);
      case "tool_execution_start":
        this.#calls.set(event.toolCallId, event);
        return;
      case "tool_execution_end": {
        const call = this.#calls.get(event.toolCallId) ?? { toolName: event.toolName, args: {} };
        this.#calls.delete(event.toolCallId);
        return this.#print("tool", finishedCallRows(call, event, this.#columns));
      }
      case "auto_retry_start":
        this.error(event.errorMessage);
        if (this.#options.stream) this.note(retryText(event));
        return;
      case "compaction_start":
        if (this.#options.stream) this.note("Compacting the context");
        return;
      case "compaction_end":
        // The command tells what became of one that was asked for.
        if (event.errorMessage !== undefined && event.reason !== "manual") {
          this.error(event.errorMessage);
        } else if (event.aborted) {
          this.#isStopTold = true;
          this.note("Compaction stopped; nothing was changed");
        }
        if (event.result) this.note(compactedText(event.result));
        return;
      case "model_changed":
        return this.note(`Model: ${modelName({ provider: event.provider, id: event.modelId })}`);
      case "thinking_level_changed":
        return this.note(`Thinking: ${event.level}`);
      case "agent_settled":
        this.#endText();
        if (event.aborted && !this.#isStopTold) this.#tellStop();
        this.#isShown = false;
        this.#isStopTold = false;
        this.#calls.clear();
        return;
      case "agent_start":
      case "turn_start":
      case "auto_retry_end":
      case "tool_execution_update":
      case "turn_end":
      case "agent_end":
      case "queue_update":
      case "entry_appended":
      case "session_info_changed":
      case "summarization_retry_scheduled":
      case "summarization_retry_attempt_start":
      case "summarization_retry_finished":
      case "bash_execution_update":
        return;
    }
  }

  /** What is going on: shown until it is finished. */
  live(size: { columns: number; rows: number }): Row[] {
    const open = this.#text?.open(size.columns) ?? this.#openThinking(size.columns);
    const rows = open.slice(-Math.max(1, size.rows - 8));
    const activity = this.#activity.rows(size.columns, open.length > 0);
    const gap = rows.length > 0 && this.#needsGap(this.#text ? "text" : "thinking");
    return [...(gap ? [[]] : []), ...rows, ...activity];
  }

  /** The conversation was replaced: nothing of the old one goes on. */
  stop(): void {
    this.#activity.stop();
  }

  #openThinking(columns: number): Row[] {
    if (this.#options.hideThinking) return [];
    return this.#thinking?.open(columns).map(thinkingRow) ?? [];
  }

  get #columns(): number {
    return this.#options.screen.columns;
  }

  #part(part: AssistantMessageEvent): void {
    switch (part.type) {
      case "text_start":
        this.#text = new MarkdownText(this.#options);
        return;
      case "text_delta":
        return this.#textDelta(part.delta);
      case "thinking_start":
        this.#thinking = new MarkdownText({ raw: true });
        return;
      case "thinking_delta":
        return this.#thinkingDelta(part.delta);
      case "text_end":
      case "thinking_end":
        return this.#endText();
      case "toolcall_start":
      case "toolcall_delta":
      case "toolcall_end":
        return;
    }
  }

  #textDelta(delta: string): void {
    this.#text ??= new MarkdownText(this.#options);
    const { stream } = this.#options;
    if (stream) {
      if (this.#needsGap("text")) stream("\n");
      this.#block = "text";
      stream(harmless(delta));
      this.#text.add(delta, this.#columns);
      return;
    }
    // Blank lines before the first words say nothing.
    const text = this.#text.isEmpty ? delta.replace(/^\s*\n/, "") : delta;
    this.#print("text", this.#text.add(text, this.#columns));
    this.#options.screen.refresh();
  }

  #thinkingDelta(delta: string): void {
    if (this.#options.hideThinking) return;
    this.#thinking ??= new MarkdownText({ raw: true });
    this.#print("thinking", this.#thinking.add(delta, this.#columns).map(thinkingRow));
    this.#options.screen.refresh();
  }

  #endText(): void {
    if (this.#thinking) {
      this.#print("thinking", this.#thinking.end(this.#columns).map(thinkingRow));
      this.#thinking = undefined;
    }
    if (!this.#text) return;
    const rows = this.#text.end(this.#columns);
    this.#text = undefined;
    if (!this.#options.stream) return this.#print("text", rows);
    if (rows.length > 0) this.#options.stream("\n");
  }

  #message(message: Message): void {
    switch (message.role) {
      case "assistant":
        this.#endText();
        if (message.stopReason === "length") {
          this.error("The answer was cut: it is as long as the model can make it");
        }
        if (message.stopReason === "aborted") this.#tellStop();
        if (isSilent(message)) this.note("The model said nothing");
        return;
      case "user": {
        const isShown = this.#isShown;
        this.#isShown = false;
        if (!isShown) this.#print("prompt", promptRows(textOf(message.content), this.#columns));
        return;
      }
      case "custom":
        if (message.display) this.note(`${message.customType}: ${textOf(message.content)}`);
        return;
      case "toolResult":
      case "bashExecution":
      case "branchSummary":
      case "compactionSummary":
      case "system":
        return;
    }
  }

  #tellStop(): void {
    this.#isStopTold = true;
    this.note("Stopped");
  }

  #needsGap(block: Block): boolean {
    return this.#block !== "start" && (this.#block !== block || block === "prompt");
  }

  #print(block: Block, rows: readonly Row[]): void {
    if (rows.length === 0) return;
    const gap: Row[] = this.#needsGap(block) ? [[]] : [];
    this.#block = block;
    this.#options.screen.print([...gap, ...rows]);
  }
}

function thinkingRow(line: Row): Row {
  return line.map((each) => ({ ...each, style: THINKING }));
}
