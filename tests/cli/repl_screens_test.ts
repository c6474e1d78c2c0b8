import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { anthropicAnswer } from "../support/anthropic_answer.ts";
import { binaryPath } from "../support/binary.ts";
import { expectGolden } from "../support/golden.ts";
import { LocalRun } from "../support/local_run.ts";
import { noPtyReason } from "../support/pty.ts";
import { ReplTerminal } from "../support/repl_terminal.ts";

const NO_PTY = noPtyReason();
const HAS_TMUX = spawnSync("tmux", ["-V"], { stdio: "ignore" }).status === 0;

const ANSWER = `## Two ways

The **first** one is short, and is what the tests of \`greet.ts\` expect; the second one is longer.

- say \`Hello\` and the name, as in 日本語 (こんにちは) or with an emoji 👋🏽 at its end
- read the name from a file
  1. when it is there
  2. else from the terminal

\`\`\`ts
export const greet = (name: string) => \`Hello, \${name}!\`;
\`\`\`

> Keep it simple.`;

const EDIT = {
  name: "edit",
  arguments: {
    path: "greet.ts",
    edits: [{ oldText: "return name;", newText: "return `Hello, ${name}!`;" }],
  },
};

/** A project in the home directory, so that its path is the same everywhere. */
async function startProject(): Promise<LocalRun> {
  const run = await LocalRun.start([
    anthropicAnswer({ text: ANSWER, id: "1" }),
    anthropicAnswer({
      text: "I look first.",
      calls: [{ name: "bash", arguments: { command: "cat greet.ts; seq 9" } }],
      id: "2",
    }),
    anthropicAnswer({ calls: [{ name: "read", arguments: { path: "missing.ts" } }], id: "3" }),
    anthropicAnswer({ calls: [EDIT], id: "4" }),
    anthropicAnswer({ text: "Done: it greets now.", id: "5" }),
    anthropicAnswer({ text: "The other way reads a file.", id: "6" }),
  ]);
  run.temp.make("user/greeter");
  return run;
}

interface Typist {
  send(line: string): void;
  type(keys: string): void;
  shows(wanted: string | RegExp): Promise<void>;
}

const STATUS = (times: number) => new RegExp(`(localA/m · [^]*){${times}}\\n>[^\\n]*$`);

/** A conversation, a branch, a list, a slip. */
async function converse(run: LocalRun, repl: Typist): Promise<void> {
  run.temp.write("user/greeter/greet.ts", "function greet(name) {\n  return name;\n}\n");
  await repl.shows(/Ctrl-D leaves\s*\n>/);
  repl.send("How could greet.ts greet?");
  await repl.shows(STATUS(2));
  repl.send("Do the first.");
  await repl.shows(STATUS(3));
  repl.send("/label last done");
  await repl.shows("is labelled");
  repl.send("/tree");
  await repl.shows(/\n\?\s*$/);
  repl.send("2");
  await repl.shows(/Summarize the branch[^]*\n\?\s*$/);
  repl.send("");
  await repl.shows(/You are at \w{8}\s*\n>/);
  repl.send("And the other?");
  await repl.shows(STATUS(4));
  repl.send("/tree");
  await repl.shows(/└─[^]*\n\?\s*$/);
  repl.type("\x1b");
  await repl.shows(/\n>\s*$/);
  repl.send("/modle x");
  await repl.shows(/did\s+you\s+mean\s+\/model\?[^]*> \/modle x$/);
}

function stable(text: string): string {
  return `${
    text.replace(/\b[0-9a-f]{8}\b/g, "0123abcd").replace(/bough \d+\.\d+\.\d+/, "bough 0.1.0")
  }\n`;
}

for (const columns of [40, 80, 200]) {
  test.skipIf(NO_PTY !== undefined)(`the REPL looks right at ${columns} columns`, async () => {
    await using run = await startProject();
    const cwd = run.temp.join("user/greeter");
    const options = { columns, rows: 40, cwd, env: { HOME: run.temp.join("user") } };
    using repl = await ReplTerminal.start(run, ["--model", "localA/m"], options);
    await converse(run, repl);
    expectGolden(`repl/${columns}_columns.txt`, stable(repl.text));
    if (columns === 80) expectGolden("../../docs/screens/conversation.txt", stable(repl.text));
  }, 30_000);
}

test.skipIf(NO_PTY !== undefined)("the REPL is readable without colours", async () => {
  await using run = await startProject();
  const cwd = run.temp.join("user/greeter");
  const env = { HOME: run.temp.join("user"), NO_COLOR: "1" };
  using repl = await ReplTerminal.start(run, ["--model", "localA/m"], { rows: 40, cwd, env });
  await converse(run, repl);
  expectGolden("repl/no_colour.txt", stable(repl.text));
  // deno-lint-ignore no-control-regex
  expect(repl.process.stdout).not.toMatch(/\x1b\[[\d;]*m/);
}, 30_000);

/** The REPL in tmux, whose own screen is looked at. */
class Tmux implements Typist, Disposable {
  readonly #socket: string;

  constructor(run: LocalRun, command: readonly string[], env: Record<string, string>) {
    this.#socket = run.temp.join("tmux");
    const sets = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    this.#tmux(
      ["-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "40", "-c"],
      [run.temp.join("user/greeter"), "env", ...sets, ...command],
    );
  }

  #tmux(...args: string[][]): string {
    const result = spawnSync("tmux", ["-S", this.#socket, ...args.flat()], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], LANG: "C.UTF-8" },
    });
    return result.stdout;
  }

  get text(): string {
    return this.#tmux(["capture-pane", "-p", "-S", "-500"]).split("\n")
      .map((line) => line.trimEnd()).join("\n").replace(/\n+$/, "");
  }

  send(line: string): void {
    if (line !== "") this.#tmux(["send-keys", "-l", line]);
    this.#tmux(["send-keys", "Enter"]);
  }

  type(keys: string): void {
    this.#tmux(["send-keys", "-l", keys]);
  }

  async shows(wanted: string | RegExp): Promise<void> {
    // tmux tells nobody when its screen changes, so it is asked.
    for (let left = 400; left > 0; left--) {
      const { text } = this;
      if (typeof wanted === "string" ? text.includes(wanted) : wanted.test(text)) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`tmux never showed ${wanted}:\n${this.text}`);
  }

  [Symbol.dispose](): void {
    this.#tmux(["kill-server"]);
  }
}

test.skipIf(!HAS_TMUX)("the REPL looks in tmux as it does in our screen", async () => {
  await using run = await startProject();
  const command = [await binaryPath(), "--model", "localA/m"];
  const env = { BOUGH_HOME: run.temp.home, HOME: run.temp.join("user"), LANG: "C.UTF-8" };
  using tmux = new Tmux(run, command, env);
  await converse(run, tmux);
  expectGolden("repl/80_columns.txt", stable(tmux.text));
}, 40_000);
