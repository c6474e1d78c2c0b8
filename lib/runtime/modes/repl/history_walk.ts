/** Walking and searching through what was typed before. */

/** A walk from the line being typed back through older inputs, and forward again. */
export class HistoryWalk {
  readonly #inputs: readonly string[];
  /** What is typed now, and comes back at the end of the walk. */
  #draft = "";
  /** `inputs.length` is the line being typed. */
  #at: number;

  constructor(inputs: readonly string[]) {
    this.#inputs = inputs;
    this.#at = inputs.length;
  }

  /** The input before, for a line that now reads `text`; undefined if there is none. */
  older(text: string): string | undefined {
    if (this.#at === 0) return undefined;
    if (this.#at >= this.#inputs.length) this.#draft = text;
    this.#at = Math.min(this.#at, this.#inputs.length) - 1;
    return this.#inputs[this.#at];
  }

  /** The input after, at last the line that was being typed. */
  newer(): string | undefined {
    if (this.#at >= this.#inputs.length) return undefined;
    this.#at++;
    return this.#at === this.#inputs.length ? this.#draft : this.#inputs[this.#at];
  }

  /** The line was sent or cleared: the next walk begins at the end. */
  restart(): void {
    this.#at = this.#inputs.length;
    this.#draft = "";
  }
}

/** A search back through the inputs (Ctrl-R), letter by letter. */
export class HistorySearch {
  readonly #inputs: readonly string[];
  #query = "";
  #at: number;

  constructor(inputs: readonly string[]) {
    this.#inputs = inputs;
    this.#at = inputs.length;
  }

  get query(): string {
    return this.#query;
  }

  /** The newest input with the query in it; upper and lower case count as the same. */
  get match(): string | undefined {
    return this.#query === "" ? undefined : this.#inputs[this.#at];
  }

  type(text: string): void {
    this.#query += text;
    this.#find(Math.min(this.#at, this.#inputs.length - 1));
  }

  deleteBack(): void {
    this.#query = this.#query.slice(0, -1);
    this.#find(this.#inputs.length - 1);
  }

  /** Goes on to an older input; stays where there is none. */
  older(): void {
    const before = this.#at;
    this.#find(this.#at - 1);
    if (this.match === undefined) this.#at = before;
  }

  #find(from: number): void {
    const query = this.#query.toLowerCase();
    let at = from;
    while (at >= 0 && !(this.#inputs[at] ?? "").toLowerCase().includes(query)) at--;
    this.#at = at;
  }
}
