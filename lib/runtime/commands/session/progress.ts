/** One line on a terminal that says how far something is, and is gone when it is done. */
import type { Environment } from "../../config/home.ts";
import type { Sink } from "../../modes/output.ts";

const CLEAR_LINE = "\r\x1b[K";

/** Shows nothing where stderr is no terminal, or may not move its cursor, or is to be quiet. */
export class Progress {
  readonly #sink: Sink | undefined;
  #isShown = false;

  constructor(sink: Sink, options: { plain: boolean; quiet: boolean; env: Environment }) {
    const { plain, quiet, env } = options;
    const isPlain = plain || quiet || env["TERM"] === "dumb" || (env["NO_COLOR"] ?? "") !== "";
    this.#sink = sink.isTerminal && !isPlain ? sink : undefined;
  }

  show(text: string): void {
    this.#sink?.write(`${CLEAR_LINE}${text}`);
    this.#isShown = true;
  }

  /** Before anything else is written to the terminal. */
  clear(): void {
    if (this.#isShown) this.#sink?.write(CLEAR_LINE);
    this.#isShown = false;
  }
}
