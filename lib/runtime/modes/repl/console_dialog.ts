/** A dialog with whoever sits at a console. */
import type { Console } from "./console.ts";
import type { Dialog } from "./dialog.ts";

/** What shows rows, notes and errors of its own. */
type Teller = Pick<Dialog, "rows" | "note" | "error">;

/** A dialog on a console; the teller is asked for each time, since another may take its place. */
export function dialogOn(console: Console, teller: () => Teller): Dialog {
  return {
    get columns() {
      return console.screen.columns;
    },
    rows: (rows) => teller().rows(rows),
    note: (text) => teller().note(text),
    error: (text) => teller().error(text),
    ask: (question, options) => console.ask(question, options),
    pick: (list) => console.pick(list),
  };
}
