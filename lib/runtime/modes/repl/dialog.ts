/** How commands talk with the person. */
import type { Completer } from "./completion.ts";
import type { Item } from "./picker.ts";
import type { Row } from "./styled.ts";

export interface Question {
  readonly initial?: string;
  readonly completer?: Completer;
  /** Takes the question back: it is answered with undefined. */
  readonly signal?: AbortSignal;
}

export interface List {
  readonly title: string;
  readonly items: readonly Item[];
  /** What else can be done with an item: the key (with Ctrl), and what it does. */
  readonly actions?: readonly { readonly key: string; readonly does: string }[];
  /** Takes the list back. */
  readonly signal?: AbortSignal;
}

/** An item that was chosen; `action` is the key of what is to be done with it. */
export interface Picked {
  readonly index: number;
  readonly action?: string;
}

export interface Dialog {
  readonly columns: number;
  rows(rows: readonly Row[]): void;
  /** Something to know. */
  note(text: string): void;
  /** Something went wrong. */
  error(text: string): void;
  /** Asks for a line; undefined if the person does not want to say. */
  ask(question: string, options?: Question): Promise<string | undefined>;
  /** Lets the person choose; undefined if they do not want to. */
  pick(list: List): Promise<Picked | undefined>;
}

/** Whether an answer says yes. */
export function isYes(answer: string | undefined): boolean {
  return /^y(es)?$/i.test(answer?.trim() ?? "");
}
