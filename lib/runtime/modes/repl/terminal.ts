/** The port to a terminal. */

/** What a terminal tells. */
export interface TerminalListener {
  /** Bytes of keys. */
  input(bytes: Uint8Array): void;
  resized(): void;
  /** There is no more input: it ended, or the terminal is gone. */
  ended(how: "end" | "gone"): void;
}

/** A terminal: what is typed on it, and what it shows. */
export interface Terminal {
  readonly columns: number;
  readonly rows: number;
  /** Writes text and control sequences of our own, in order. */
  write(text: string): void;
  /** Whether it stands still, or takes less than it is given. */
  readonly isBehind: boolean;
  /** Resolves when all is written, or cannot be. */
  drain(): Promise<void>;
  /** Begins to read; with `raw`, key by key and without an echo. */
  open(listener: TerminalListener, options: { raw: boolean }): void;
  /** Gives the terminal back as it was; `open` takes it again. */
  release(): void;
}
