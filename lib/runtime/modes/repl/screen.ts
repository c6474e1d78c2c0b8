/** What the terminal shows: finished rows that scroll away, and below them what still changes. */
import type { FocusView } from "./focus.ts";
import { renderRow, type Row, rowWidth, textOfRow } from "./styled.ts";
import type { Terminal } from "./terminal.ts";

/** Where rows are shown. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** Adds finished rows. */
  print(rows: readonly Row[]): void;
  /** What still changes is not as it was. */
  refresh(): void;
}

/** Calls back once, a little later. */
export type Schedule = (draw: () => void) => void;

const FRAME_MS = 16;
const frame: Schedule = (draw) => {
  setTimeout(draw, FRAME_MS);
};

/** All that is drawn between the two appears at once, where the terminal knows them. */
const BEGIN = "\x1b[?2026h";
const END = "\x1b[?2026l";
const SHOW_CURSOR = "\x1b[?25h";
const HIDE_CURSOR = "\x1b[?25l";
const CLEAR_BELOW = "\x1b[J";

/**
 * Draws onto a terminal. Below the finished rows stands the live part (`view`), which each frame
 * draws anew.
 *
 * Invariant: the cursor is within the live part, in the row `#cursorRow` of the `#drawn` ones.
 */
export class LiveScreen implements Screen {
  readonly #terminal: Terminal;
  readonly #colours: boolean;
  readonly #schedule: Schedule;
  readonly #view: (size: { columns: number; rows: number }) => FocusView;
  #printed: Row[] = [];
  #drawn: readonly Row[] = [];
  #cursorRow = 0;
  #cursorColumn = 0;
  #isScheduled = false;
  #isOpen = false;

  constructor(options: {
    terminal: Terminal;
    colours: boolean;
    view: (size: { columns: number; rows: number }) => FocusView;
    schedule?: Schedule;
  }) {
    this.#terminal = options.terminal;
    this.#colours = options.colours;
    this.#view = options.view;
    this.#schedule = options.schedule ?? frame;
  }

  get columns(): number {
    return Math.max(10, this.#terminal.columns);
  }

  get rows(): number {
    return Math.max(4, this.#terminal.rows);
  }

  /** Shows the live part from now on. */
  open(): void {
    this.#isOpen = true;
    this.refresh();
  }

  print(rows: readonly Row[]): void {
    this.#printed.push(...rows);
    this.refresh();
  }

  refresh(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#schedule(() => void this.#frame());
  }

  /** Of a terminal that stands still (Ctrl-S) the frames are left out: they would pile up. */
  async #frame(): Promise<void> {
    if (this.#terminal.isBehind) await this.#terminal.drain();
    this.#isScheduled = false;
    if (this.#isOpen) this.draw();
  }

  /** Draws now. */
  draw(): void {
    const live = this.#isOpen ? this.#liveRows() : { rows: [] };
    const printed = this.#printed.map((each) => `${this.#render(each)}\r\n`).join("");
    this.#printed = [];
    const rows = live.rows.map((each) => this.#render(each)).join("\r\n");
    const { cursor } = live;
    const cursorRow = cursor?.row ?? Math.max(0, live.rows.length - 1);
    this.#terminal.write(
      BEGIN + this.#toTop() + printed + rows + up(live.rows.length - 1 - cursorRow) +
        (cursor ? `\r${right(cursor.column)}` : "") +
        (cursor || !this.#isOpen ? SHOW_CURSOR : HIDE_CURSOR) + END,
    );
    this.#drawn = live.rows;
    this.#cursorRow = cursorRow;
    this.#cursorColumn = cursor?.column ?? 0;
  }

  /** Takes the live part away and leaves the cursor below the finished rows, until `open`. */
  close(): void {
    this.#isOpen = false;
    this.draw();
  }

  /** The screen was used by others: what was drawn is no longer there. */
  forget(): void {
    this.#drawn = [];
    this.#cursorRow = 0;
    this.#cursorColumn = 0;
  }

  /** The live part, of which the end counts where it is higher than the terminal. */
  #liveRows(): FocusView {
    const view = this.#view({ columns: this.columns, rows: this.rows });
    const hidden = view.rows.length - (this.rows - 1);
    if (hidden <= 0) return view;
    const { cursor } = view;
    return {
      rows: view.rows.slice(hidden),
      ...(cursor && cursor.row >= hidden
        ? { cursor: { ...cursor, row: cursor.row - hidden } }
        : {}),
    };
  }

  /** To the start of the live part, everything from there on cleared. */
  #toTop(): string {
    // A terminal that became narrower has broken the rows that are too long for it now.
    const height = (row: Row) => Math.max(1, Math.ceil(rowWidth(row) / this.columns));
    const above = this.#drawn.slice(0, this.#cursorRow)
      .reduce((rows, each) => rows + height(each), 0);
    const within = Math.floor(this.#cursorColumn / this.columns);
    return `\r${up(above + within)}${CLEAR_BELOW}`;
  }

  #render(line: Row): string {
    return renderRow(line, { colours: this.#colours });
  }
}

function up(rows: number): string {
  return rows > 0 ? `\x1b[${rows}A` : "";
}

function right(columns: number): string {
  return columns > 0 ? `\x1b[${columns}C` : "";
}

/** Writes rows one after the other, without a cursor movement or a colour. */
export class PlainScreen implements Screen {
  readonly #terminal: Terminal;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get columns(): number {
    return Math.max(10, this.#terminal.columns);
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  print(rows: readonly Row[]): void {
    this.#terminal.write(rows.map((each) => `${textOfRow(each)}\n`).join(""));
  }

  refresh(): void {}
}
