/** What the person is asked before there is a conversation. */
import { systemTimer } from "../../../agent/mod.ts";
import type { SessionError } from "../../../session/mod.ts";
import type { RunOptions } from "../../command_line/run_options.ts";
import type { Environment } from "../../config/mod.ts";
import { openRepo } from "../../open.ts";
import type { Stopper } from "../stop.ts";
import type { Console } from "./console.ts";
import { dialogOn } from "./console_dialog.ts";
import { type Dialog, isYes } from "./dialog.ts";
import { mayBeCopied, pickSession } from "./session_list.ts";
import { rowsOf, type Style, wrapRow } from "./styled.ts";

export interface Asking {
  readonly console: Console;
  readonly stopper: Stopper;
  readonly env: Environment;
  readonly home: string;
  readonly cwd: string;
}

/** Talks on a console on which nothing else goes on. */
export function bareDialog(console: Console): Dialog {
  const { screen } = console;
  const say = (text: string, style: Style) =>
    screen.print(rowsOf(text, style).flatMap((each) => wrapRow(each, screen.columns)));
  return dialogOn(console, () => ({
    rows: (rows) => screen.print(rows),
    note: (text) => say(text, { dim: true }),
    error: (text) => say(text, { colour: "red" }),
  }));
}

/** With `--resume`, the session that the person picks; undefined if they pick none. */
export async function chooseSession(
  options: RunOptions,
  asking: Asking,
): Promise<RunOptions | undefined> {
  if (options.session.kind !== "resume") return options;
  const { env, home, cwd } = asking;
  const repo = await openRepo(options, { env, home, startDirectory: cwd });
  const session = await askFirst(
    asking,
    (dialog) => pickSession({ repo, dialog, timer: systemTimer, cwd, home }),
  );
  return session === undefined ? undefined : { ...options, session: { kind: "open", session } };
}

/**
 * Opens what the options name. If the directory of that is gone, or another process writes it, the
 * person may go on in a fork; undefined if they do not want to.
 */
export async function openOrFork<T>(
  options: RunOptions,
  open: (options: RunOptions) => Promise<T>,
  asking: Asking,
): Promise<T | undefined> {
  try {
    return await open(options);
  } catch (error) {
    if (!mayBeCopied(error)) throw error;
    const copying = copyingOf(error);
    if (!copying) throw error;
    const where = error.code === "directory_gone" ? ` in ${asking.cwd}` : "";
    const answer = await askFirst(asking, async (dialog) => {
      dialog.error(error.message);
      return await dialog.ask(`Go on with a copy of it${where}? y or n`);
    });
    if (!isYes(answer)) return undefined;
    return await open({ ...options, ...copying });
  }
}

/**
 * What makes a copy of a session that cannot be opened itself; undefined if nothing does. The person
 * knows by now why it is copied: `--busy fork` would tell it once more.
 */
function copyingOf({ file }: SessionError): Partial<RunOptions> | undefined {
  return file === undefined ? undefined : { session: { kind: "fork", session: file } };
}

/** Asks on a console that is not open yet; all ways out of it answer with undefined. */
async function askFirst<T>(
  { console, stopper }: Asking,
  ask: (dialog: Dialog) => Promise<T | undefined>,
): Promise<T | undefined> {
  const ended = new AbortController();
  const end = () => ended.abort();
  const bare = bareDialog(console);
  const { signal } = ended;
  console.open({
    submit() {},
    interrupt() {
      end();
      return true;
    },
    end,
    gone() {
      stopper.stop({ kind: "signal", signal: "SIGHUP" });
    },
  });
  stopper.signal.addEventListener("abort", end, { once: true });
  try {
    const answer = await ask({
      ...bare,
      columns: bare.columns,
      ask: (question, options) => bare.ask(question, { ...options, signal }),
      pick: (list) => bare.pick({ ...list, signal }),
    });
    return signal.aborted ? undefined : answer;
  } finally {
    stopper.signal.removeEventListener("abort", end);
    console.close();
  }
}
