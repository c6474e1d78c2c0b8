/** The person's end: what they type, and where they read. */
import type { List, Picked, Question } from "./dialog.ts";
import type { Screen } from "./screen.ts";

export interface ConsoleListener {
  /** A line was sent. */
  submit(text: string): void;
  /** Ctrl-C; whether the line is to be cleared. */
  interrupt(): boolean;
  /** Ctrl-D on an empty line, or the end of the input. */
  end(): void;
  /** The terminal is gone. */
  gone(): void;
}

export interface Console {
  readonly screen: Screen;
  open(listener: ConsoleListener): void;
  /** Gives the terminal back. Questions that are open are answered with undefined. */
  close(): void;
  /** The next line can come; `quiet`: something is going on, but what is typed has its use. */
  ready(options?: { readonly quiet?: boolean }): void;
  /** The text on the input line, which is empty where that cannot be known. */
  readonly text: string;
  /** Puts a text on the input line, for editing. */
  put(text: string): void;
  ask(question: string, options?: Question): Promise<string | undefined>;
  pick(list: List): Promise<Picked | undefined>;
  /** Puts a text into the terminal's clipboard; false if it cannot. */
  copy(text: string): boolean;
}
