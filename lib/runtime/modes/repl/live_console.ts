/** A console on a terminal that can move its cursor: an input line below everything else. */
import type { Timer } from "../../../agent/mod.ts";
import type { Completer } from "./completion.ts";
import type { Console, ConsoleListener } from "./console.ts";
import type { List, Picked, Question } from "./dialog.ts";
import type { Focus, FocusView } from "./focus.ts";
import { InputLine } from "./input_line.ts";
import { type Key, KeyDecoder } from "./key.ts";
import { MARK_NO_PASTES, MARK_PASTES, PasteFilter } from "./paste_filter.ts";
import { Picker } from "./picker.ts";
import { LiveScreen, type Schedule } from "./screen.ts";
import type { Row } from "./styled.ts";
import type { Terminal } from "./terminal.ts";

export interface LiveConsoleOptions {
  readonly terminal: Terminal;
  readonly timer: Timer;
  readonly colours: boolean;
  readonly history: readonly string[];
  readonly completer: Completer;
  /** What stands above the input line. */
  readonly above: (size: { columns: number; rows: number }) => readonly Row[];
  /** Lets the person edit a text elsewhere, while the terminal is theirs. */
  readonly edit: (text: string) => Promise<string>;
  readonly onEditFailed: (error: unknown) => void;
  /** Stops the process until the person brings it back. */
  readonly suspend: (resumed: () => void) => void;
  readonly schedule?: Schedule;
}

const CLEAR_SCREEN = "\x1b[H\x1b[2J";
/** Longer texts are more than most terminals take. */
const CLIPBOARD_LENGTH_MAX = 75_000;

/** Questions and lists come over the input line, the newest having the keys. */
export class LiveConsole implements Console {
  readonly screen: LiveScreen;
  readonly #options: LiveConsoleOptions;
  readonly #keys: KeyDecoder;
  readonly #pastes: PasteFilter;
  readonly #line: InputLine;
  readonly #over: { focus: Focus; cancel: () => void }[] = [];
  #listener: ConsoleListener | undefined;
  /** Somebody else has the terminal: an editor, or the shell. */
  #isAway = false;
  #isEdited = false;

  constructor(options: LiveConsoleOptions) {
    this.#options = options;
    this.screen = new LiveScreen({
      terminal: options.terminal,
      colours: options.colours,
      view: (size) => this.#view(size),
      ...(options.schedule ? { schedule: options.schedule } : {}),
    });
    this.#keys = new KeyDecoder((key) => this.#key(key));
    this.#pastes = new PasteFilter({
      keys: (bytes) => this.#keys.feed(bytes),
      paste: (text) => this.#change(() => this.#focus.paste(text)),
    }, options.timer);
    this.#line = new InputLine({
      prompt: "> ",
      history: options.history,
      completer: options.completer,
      edit: (text) => this.#editElsewhere(text),
      onSubmit: (text) => this.#listener?.submit(text),
      onInterrupt: () => this.#listener?.interrupt() ?? true,
      onEnd: () => this.#listener?.end(),
      onChange: () => this.screen.refresh(),
    });
  }

  get text(): string {
    return this.#line.text;
  }

  open(listener: ConsoleListener): void {
    this.#listener = listener;
    this.#take();
  }

  close(): void {
    for (const { cancel } of [...this.#over]) cancel();
    if (!this.#isAway) this.#release();
    this.#listener = undefined;
  }

  /** A SIGINT; true if it is the editor's, which has the terminal now and reads Ctrl-C itself. */
  interrupt(): boolean {
    return this.#isEdited;
  }

  ready(): void {}

  put(text: string): void {
    this.#change(() => this.#line.put(text));
  }

  async ask(question: string, options: Question = {}): Promise<string | undefined> {
    return await this.#askOver(
      options.signal,
      (answer: (text: string | undefined) => void) =>
        new InputLine({
          ...options,
          prompt: "? ",
          question,
          onSubmit: answer,
          onInterrupt() {
            answer(undefined);
            return false;
          },
          onEnd: () => answer(undefined),
          onChange: () => this.screen.refresh(),
        }),
    );
  }

  async pick(list: List): Promise<Picked | undefined> {
    return await this.#askOver(
      list.signal,
      (answer: (picked: Picked | undefined) => void) =>
        new Picker({
          ...list,
          onPick: (index, action) => answer({ index, ...(action === undefined ? {} : { action }) }),
          onCancel: () => answer(undefined),
        }),
    );
  }

  copy(text: string): boolean {
    const encoded = Buffer.from(text).toString("base64");
    if (encoded.length > CLIPBOARD_LENGTH_MAX) return false;
    this.#options.terminal.write(`\x1b]52;c;${encoded}\x07`);
    return true;
  }

  get #focus(): Focus {
    return this.#over.at(-1)?.focus ?? this.#line;
  }

  #askOver<T>(
    signal: AbortSignal | undefined,
    make: (answer: (value: T | undefined) => void) => Focus,
  ): Promise<T | undefined> {
    return new Promise((resolve) => {
      const cancel = () => answer(undefined);
      const answer = (value: T | undefined) => {
        signal?.removeEventListener("abort", cancel);
        const at = this.#over.indexOf(entry);
        if (at >= 0) this.#over.splice(at, 1);
        this.screen.refresh();
        resolve(value);
      };
      const entry = { focus: make(answer), cancel };
      if (signal?.aborted) return resolve(undefined);
      signal?.addEventListener("abort", cancel, { once: true });
      this.#over.push(entry);
      this.screen.refresh();
    });
  }

  #view(size: { columns: number; rows: number }): FocusView {
    const above = this.#options.above(size);
    const { rows, cursor } = this.#focus.view(size);
    return {
      rows: [...above, ...rows],
      ...(cursor ? { cursor: { ...cursor, row: cursor.row + above.length } } : {}),
    };
  }

  #key(key: Key): void {
    if (this.#isAway) return;
    if (key.ctrl && key.name === "z") return void this.#suspend();
    if (key.ctrl && key.name === "l") {
      this.#options.terminal.write(CLEAR_SCREEN);
      this.screen.forget();
      return this.screen.refresh();
    }
    this.#change(() => this.#focus.key(key));
  }

  #change(change: () => void): void {
    change();
    this.screen.refresh();
  }

  #take(): void {
    this.#isAway = false;
    this.#options.terminal.open({
      input: (bytes) => this.#pastes.feed(bytes),
      resized: () => this.screen.refresh(),
      ended: (how) => how === "gone" ? this.#listener?.gone() : this.#listener?.end(),
    }, { raw: true });
    this.#options.terminal.write(MARK_PASTES);
    this.screen.open();
  }

  #release(): void {
    this.#isAway = true;
    this.screen.close();
    this.#options.terminal.write(MARK_NO_PASTES);
    this.#options.terminal.release();
  }

  async #suspend(): Promise<void> {
    this.#release();
    await this.#options.terminal.drain();
    this.#options.suspend(() => this.#comeBack());
  }

  async #editElsewhere(text: string): Promise<string | undefined> {
    this.#release();
    this.#isEdited = true;
    await this.#options.terminal.drain();
    try {
      return await this.#options.edit(text);
    } catch (error) {
      this.#options.onEditFailed(error);
      return undefined;
    } finally {
      this.#isEdited = false;
      this.#comeBack();
    }
  }

  #comeBack(): void {
    // It may have been closed meanwhile.
    if (!this.#listener) return;
    this.screen.forget();
    this.#take();
  }
}
