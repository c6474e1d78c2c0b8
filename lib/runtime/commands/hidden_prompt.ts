/** Asks for a secret on a terminal, without showing what is typed. */
import type { Terminal } from "../modes/repl/terminal.ts";

const BRACKETED_PASTE = /\x1b\[20[01]~/g;
/** A key that moves a cursor or the like: it types nothing. */
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?/g;

const CTRL_C = "\x03";
const CTRL_D = "\x04";
const CTRL_U = "\x15";

/** The line that is typed, as far as it goes. */
class HiddenLine {
  #characters: string[] = [];

  get text(): string {
    return this.#characters.join("");
  }

  /** Takes what was typed; says so if that ends the line, or leaves it. */
  take(typed: string): "done" | "left" | undefined {
    for (const character of typed.replace(BRACKETED_PASTE, "").replace(SEQUENCES, "")) {
      if (character === "\r" || character === "\n") return "done";
      if (character === CTRL_C) return "left";
      if (character === CTRL_D) return this.#characters.length === 0 ? "left" : "done";
      if (character === CTRL_U) this.#characters = [];
      else if (character === "\x7f" || character === "\b") this.#characters.pop();
      // Other control characters are keys that do nothing here (Ctrl-Z, Tab): no key has one in it.
      else if (character >= " ") this.#characters.push(character);
    }
    return undefined;
  }
}

/**
 * Asks, and resolves with the line; with undefined if the prompt was left with Ctrl-C or Ctrl-D, the
 * terminal is gone, or the signal aborted. The terminal is as it was, whatever happens.
 */
export async function askHidden(
  prompt: string,
  { terminal, signal }: {
    terminal: Pick<Terminal, "write" | "open" | "release">;
    signal: AbortSignal;
  },
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const line = new HiddenLine();
  const decoder = new TextDecoder();
  const leave = () => resolve(undefined);
  terminal.open({
    input(bytes) {
      const end = line.take(decoder.decode(bytes, { stream: true }));
      if (end !== undefined) resolve(end === "done" ? line.text : undefined);
    },
    resized() {},
    ended: leave,
  }, { raw: true });
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  terminal.write(prompt);
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", leave);
    terminal.release();
    terminal.write("\n");
  }
}
