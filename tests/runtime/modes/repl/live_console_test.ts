import { expect, test } from "bun:test";
import { systemTimer } from "../../../../lib/agent/mod.ts";
import { dialogOn } from "../../../../lib/runtime/modes/repl/console_dialog.ts";
import { extensionUi } from "../../../../lib/runtime/modes/repl/extension_ui.ts";
import { layOut } from "../../../../lib/runtime/modes/repl/input_layout.ts";
import { LiveConsole } from "../../../../lib/runtime/modes/repl/live_console.ts";
import { LiveScreen } from "../../../../lib/runtime/modes/repl/screen.ts";
import { row, textOfRow } from "../../../../lib/runtime/modes/repl/styled.ts";
import { MemoryTerminal } from "../../../support/repl_rig.ts";

function openConsole(
  options: { columns?: number; rows?: number; edit?: (text: string) => Promise<string> } = {},
) {
  const terminal = new MemoryTerminal(options.columns ?? 60, options.rows ?? 12);
  const console = new LiveConsole({
    terminal,
    timer: systemTimer,
    colours: true,
    history: [],
    completer: () => Promise.resolve(undefined),
    above: () => [],
    edit: options.edit ?? ((text) => Promise.resolve(text)),
    onEditFailed() {},
    suspend() {},
  });
  const submitted: string[] = [];
  console.open({
    submit: (text) => submitted.push(text),
    interrupt: () => true,
    end() {},
    gone() {},
  });
  return { terminal, console, submitted };
}

test("LiveConsole asks over the input line, and comes back to what was typed", async () => {
  const { terminal, console } = openConsole();
  terminal.type("half a thought");
  const answer = console.ask("Really?", { initial: "yes" });
  await terminal.shows(/Really\?\n\? yes$/);
  terminal.type(", really\r");
  expect(await answer).toBe("yes, really");
  await terminal.shows(/> half a thought$/);
});

test("LiveConsole leaves a SIGINT to the editor, as long as that has the terminal", async () => {
  const edited = Promise.withResolvers<string>();
  const { terminal, console } = openConsole({ edit: () => edited.promise });
  expect(console.interrupt()).toBe(false);
  terminal.type("\x07");
  expect([console.interrupt(), terminal.isRaw]).toEqual([true, false]);
  edited.resolve("from elsewhere");
  await terminal.shows(/> from elsewhere$/);
  expect(console.interrupt()).toBe(false);
});

test("LiveScreen draws no more frames on a terminal that stands still, and the last one later", async () => {
  const drained = Promise.withResolvers<void>();
  const frames: string[] = [];
  let text = "one";
  const terminal = {
    columns: 40,
    rows: 10,
    isBehind: false,
    write: (frame: string) => void frames.push(frame),
    drain: () => drained.promise,
    open() {},
    release() {},
  };
  const screen = new LiveScreen({
    terminal,
    colours: false,
    view: () => ({ rows: [row(text)] }),
    schedule: (draw) => draw(),
  });
  screen.open();
  terminal.isBehind = true;
  for (text of ["two", "three", "four"]) screen.refresh();
  expect(frames).toHaveLength(1);
  terminal.isBehind = false;
  drained.resolve();
  await drained.promise;
  expect(frames).toHaveLength(2);
  expect(frames[1]).toContain("four");
});

test("LiveConsole takes a question back when its signal aborts or it is closed", async () => {
  const { terminal, console } = openConsole();
  const taken = new AbortController();
  const first = console.ask("First?", { signal: taken.signal });
  const second = console.pick({ title: "Second", items: [{ text: "one" }] });
  await terminal.shows("Second (1)");
  taken.abort();
  expect(await first).toBeUndefined();
  console.close();
  expect(await second).toBeUndefined();
  expect(await console.ask("Third?", { signal: taken.signal })).toBeUndefined();
});

test("an input line leaves as much room for a control character as its picture takes", () => {
  const text = "a\u202e\x1bb";
  const { rows, cursor } = layOut({
    prompt: "> ",
    text,
    cursor: text.length,
    columns: 40,
    rowsMax: 5,
  });
  expect(rows.map(textOfRow)).toEqual(["> a\\u202e␛b"]);
  expect(cursor).toEqual({ row: 0, column: 11 });
});

test("a list scrolls, and its rows fit between what stands around them", async () => {
  const { terminal, console } = openConsole();
  const items = Array.from({ length: 30 }, (_, index) => ({
    text: `item ${index} 日本`,
    note: `note ${index}`,
  }));
  const picked = console.pick({ title: "Items", items });
  await terminal.shows("> item 0 日本");
  terminal.type("\x1b[B".repeat(7));
  await terminal.shows("> item 7 日本");
  expect(terminal.screen.screen.split("\n").every((line) => line.length <= 60)).toBe(true);
  expect(terminal.screen.screen.split("\n").length).toBeLessThanOrEqual(12);
  terminal.type("note");
  await terminal.shows("nothing fits");
  terminal.type("\x15 2 item");
  await terminal.shows("> item 2 日本");
  terminal.type("\r");
  expect(await picked).toEqual({ index: 2 });
});

test("a list finds exact words of the text before others", async () => {
  const { terminal, console } = openConsole();
  const picked = console.pick({
    title: "Items",
    items: [{ text: "first", keywords: "needle" }, { text: "Needle second" }, { text: "third" }],
  });
  terminal.type("NEEDLE");
  await terminal.shows("Items (2 of 3)");
  terminal.type("\r");
  expect(await picked).toEqual({ index: 1 });
});

test("extensionUi() asks and tells on the console", async () => {
  const { terminal, console } = openConsole();
  const told: string[] = [];
  const dialog = dialogOn(console, () => ({
    rows() {},
    note: (text) => told.push(`note ${text}`),
    error: (text) => told.push(`error ${text}`),
  }));
  const ui = extensionUi(console, () => dialog);
  ui.notify("a", "info");
  ui.notify("b", "error");
  expect(told).toEqual(["note a", "error b"]);
  const { signal } = new AbortController();
  const yes = ui.questions?.confirm("Sure?", signal);
  await terminal.shows("Sure? y or n");
  terminal.type("y\r");
  expect(await yes).toBe(true);
  const choice = ui.questions?.select("Which?", ["red", "green"], signal);
  await terminal.shows("Which? (2)");
  terminal.type("gr\r");
  expect(await choice).toBe("green");
  const text = ui.questions?.input("Who?", signal);
  await terminal.shows("Who?");
  terminal.type("me\r");
  expect(await text).toBe("me");
});

test("LiveScreen shows the end of what is higher than the terminal", async () => {
  const { terminal, console } = openConsole({ rows: 8 });
  console.screen.print(Array.from({ length: 20 }, (_, index) => row(`line ${index}`)));
  terminal.type(Array.from({ length: 12 }, (_, index) => `${index}`).join("\x1b\r"));
  await terminal.shows(/… 12 lines\n {2}9\n {2}10\n {2}11$/);
  terminal.type("\x15".repeat(3));
  await terminal.until(() => terminal.screen.text.includes("line 19\n…"));
  expect(terminal.screen.text.match(/line 19/g)).toHaveLength(1);
});

const LAYOUTS:
  readonly (readonly [text: string, cursor: number, rows: string[], place: [number, number]])[] = [
    ["", 0, ["> "], [0, 2]],
    ["abc", 3, ["> abc"], [0, 5]],
    ["abcdefgh", 8, ["> abcdefg", "  h"], [1, 3]],
    ["abcdefgh", 7, ["> abcdefg", "  h"], [1, 2]],
    ["abcdefg", 7, ["> abcdefg"], [0, 9]],
    ["a\nb", 1, ["> a", "  b"], [0, 3]],
    ["a\nb", 2, ["> a", "  b"], [1, 2]],
    ["a\n", 2, ["> a", "  "], [1, 2]],
    ["日本語文", 4, ["> 日本語", "  文"], [1, 4]],
    ["a\tb", 3, ["> a    b"], [0, 8]],
  ];

for (const [text, cursor, rows, [atRow, column]] of LAYOUTS) {
  test(`layOut(${JSON.stringify(text)}, cursor ${cursor}) in ten columns`, () => {
    const view = layOut({ prompt: "> ", text, cursor, columns: 10, rowsMax: 10 });
    expect({ rows: view.rows.map(textOfRow), cursor: view.cursor })
      .toEqual({ rows, cursor: { row: atRow, column } });
  });
}
