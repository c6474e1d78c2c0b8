/** A console of lines: no colour, no cursor movement; the terminal itself edits the line. */
import { harmless } from "../terminal_text.ts";
import type { Console, ConsoleListener } from "./console.ts";
import type { List, Picked, Question } from "./dialog.ts";
import { goesOn } from "./input_line.ts";
import { PlainScreen } from "./screen.ts";
import { row, rowsOf } from "./styled.ts";
import type { Terminal } from "./terminal.ts";
import type { Timer } from "../../../agent/mod.ts";

const PROMPT = "> ";
const ITEMS_MAX = 100;

/** Lines that come within this time were pasted, and are one input. */
const PASTE_MS = 40;

/**
 * Lines are handed over one at a time, when somebody waits for one: what is typed ahead stays until
 * then.
 */
export class PlainConsole implements Console {
  readonly screen: PlainScreen;
  /** It is not ours to know. */
  readonly text = "";
  readonly #terminal: Terminal;
  readonly #timer: Timer;
  readonly #decoder = new TextDecoder();
  readonly #inputs: string[] = [];
  #rest = "";
  #pasting: AbortController | undefined;
  #isReady = false;
  /** The prompt stands there already. */
  #isPrompted = false;
  #hasEnded = false;
  #listener: ConsoleListener | undefined;
  #question: ((answer: string | undefined) => void) | undefined;

  constructor(terminal: Terminal, timer: Timer) {
    this.#terminal = terminal;
    this.#timer = timer;
    this.screen = new PlainScreen(terminal);
  }

  open(listener: ConsoleListener): void {
    this.#listener = listener;
    this.#terminal.open({
      input: (bytes) => this.#input(this.#decoder.decode(bytes, { stream: true })),
      resized() {},
      ended: (how) => this.#ended(how),
    }, { raw: false });
  }

  close(): void {
    this.#pasting?.abort();
    this.#endPromptLine();
    this.#answer(undefined);
    this.#listener = undefined;
    this.#terminal.release();
  }

  ready({ quiet = false }: { quiet?: boolean } = {}): void {
    if (this.#question) return;
    if (!quiet && !this.#isPrompted) this.#terminal.write(PROMPT);
    this.#isPrompted ||= !quiet;
    this.#isReady = true;
    this.#hand();
  }

  /** The line cannot be filled in from here, so the text is shown, to be copied. */
  put(text: string): void {
    if (text !== "") this.screen.print([row("To be edited:"), ...rowsOf(text)]);
  }

  /** An empty line stands for the text in brackets, a blank for none. */
  ask(question: string, { initial = "", signal }: Question = {}): Promise<string | undefined> {
    const kept = initial === "" ? "" : `[Enter: ${initial}; a blank: none] `;
    this.#terminal.write(harmless(`${question} ${kept}`));
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve(undefined);
      const cancel = () => this.#answer(undefined);
      signal?.addEventListener("abort", cancel, { once: true });
      this.#question = (answer) => {
        signal?.removeEventListener("abort", cancel);
        resolve(answer === "" ? initial : answer);
      };
      this.#hand();
    });
  }

  async pick(list: List): Promise<Picked | undefined> {
    const { title, items, actions = [], signal } = list;
    this.screen.print([
      row(title),
      ...items.slice(0, ITEMS_MAX).map(({ text, note }, index) =>
        row(`${String(index + 1).padStart(3)}  ${text}${note === undefined ? "" : `  (${note})`}`)
      ),
    ]);
    const more = actions.map(({ key, does }) => `${key} and a number: ${does}`);
    const answer = await this.ask(["Number, or Enter for none", ...more].join("; ") + ":", {
      ...(signal ? { signal } : {}),
    });
    const [, action, number] = /^\s*([a-z])?\s*(\d+)\s*$/.exec(answer ?? "") ?? [];
    const index = Number(number) - 1;
    if (!items[index] || (action && !actions.some(({ key }) => key === action))) return undefined;
    return { index, ...(action === undefined ? {} : { action }) };
  }

  /** Ctrl-C, which the terminal turns into a signal; false if there is nobody to hear it. */
  interrupt(): boolean {
    // The terminal has shown a sign for the key.
    if (!this.#endPromptLine()) this.#terminal.write("\n");
    if (this.#question) this.#answer(undefined);
    else this.#listener?.interrupt();
    return this.#listener !== undefined;
  }

  copy(): boolean {
    return false;
  }

  /** Leaves the line of the prompt; whether it stood there. */
  #endPromptLine(): boolean {
    const isPrompted = this.#isPrompted;
    if (isPrompted) this.#terminal.write("\n");
    this.#isPrompted = false;
    return isPrompted;
  }

  #input(text: string): void {
    this.#rest += text;
    this.#pasting?.abort();
    if (!this.#rest.includes("\n")) return;
    const pasting = new AbortController();
    this.#pasting = pasting;
    this.#timer.sleep(PASTE_MS, pasting.signal).then(() => {
      if (!pasting.signal.aborted) this.#takeLines();
    });
  }

  /** What has come is one input, up to its last line end. A backslash there goes on. */
  #takeLines(): void {
    const end = this.#rest.lastIndexOf("\n");
    const text = this.#rest.slice(0, end).replaceAll("\r\n", "\n").replace(/\r$/, "");
    if (goesOn(text)) return;
    this.#rest = this.#rest.slice(end + 1);
    this.#inputs.push(
      text.split("\n").map((line) => goesOn(line) ? line.slice(0, -1) : line)
        .join("\n"),
    );
    this.#hand();
  }

  #hand(): void {
    if (this.#inputs.length > 0 && (this.#question || this.#isReady)) {
      const input = this.#inputs.shift() ?? "";
      if (this.#question) return this.#answer(input);
      this.#isReady = false;
      this.#isPrompted = false;
      return this.#listener?.submit(input);
    }
    if (!this.#hasEnded || this.#inputs.length > 0) return;
    if (this.#question) this.#answer(undefined);
    // What is going on may end first.
    else if (this.#isPrompted) this.#listener?.end();
  }

  #answer(answer: string | undefined): void {
    const question = this.#question;
    this.#question = undefined;
    question?.(answer);
  }

  #ended(how: "end" | "gone"): void {
    if (how === "gone") return this.#listener?.gone();
    this.#hasEnded = true;
    this.#pasting?.abort();
    // A last line without an end counts, too.
    if (this.#rest !== "") {
      this.#rest = `${this.#rest.replace(/\n?$/, "")}\n`;
      this.#takeLines();
    } else this.#hand();
  }
}
