/**
 * What `npm run demo` runs: builds the binary and lets it do its main job on real files, without a
 * key. The model's answers come from a recording (`--model replay:FILE`); the tools run for real, on
 * a copy of `examples/demo/project`, and so does everything else.
 */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { build } from "./compile/build.ts";
import { ROOT } from "./root.ts";

const EXAMPLE = path.join(ROOT, "examples/demo");

interface Step {
  what: string;
  command: [string, ...string[]];
  /** The step is there to show a failure. */
  fails?: boolean;
}

function steps(bough: string): Step[] {
  const replay = (name: string) => `replay:${path.join(EXAMPLE, name)}`;
  return [
    { what: "A small project whose check fails:", command: ["node", "check.mjs"], fails: true },
    {
      what: "Bough looks for the reason and mends it:",
      command: [
        bough,
        "--print",
        "--model",
        replay("session.jsonl"),
        "The check fails. Find out why, fix it, and tell me what was wrong.",
      ],
    },
    { what: "The check now:", command: ["node", "check.mjs"] },
    {
      what: "The next day, in the same session:",
      command: [
        bough,
        "--print",
        "--continue",
        "--model",
        replay("follow_up.jsonl"),
        "Note it in a CHANGES.md.",
      ],
    },
    { what: "What it wrote:", command: ["cat", "CHANGES.md"] },
    {
      what: "What is kept, a plain file with an entry in each line:",
      command: ["sh", "-c", 'cut -c -100 "$BOUGH_HOME"/sessions/*/*.jsonl | head -n 5'],
    },
  ];
}

/** A word as a shell would have to be given it. */
function quoted(word: string): string {
  const shown = path.basename(word) === "bough" ? "bough" : word.replace(`${ROOT}/`, "");
  return /^[\w./:=-]+$/.test(shown) ? shown : `'${shown}'`;
}

function show(
  { what, command, fails = false }: Step,
  cwd: string,
  env: NodeJS.ProcessEnv,
): boolean {
  console.log(`\n${what}\n$ ${command.map(quoted).join(" ")}`);
  const [program, ...args] = command;
  const run = spawnSync(program, args, { cwd, env, stdio: ["ignore", "inherit", "inherit"] });
  if (run.error) console.error(`Cannot run ${program}: ${run.error.message}`);
  const isRight = fails ? run.status === 1 : run.status === 0;
  if (!isRight) console.error(`The demo broke off: exit code ${run.status ?? run.signal}.`);
  return isRight;
}

async function main(): Promise<number> {
  const bough = await build();
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "bough-demo-"));
  try {
    const cwd = path.join(scratch, "words");
    fs.cpSync(path.join(EXAMPLE, "project"), cwd, { recursive: true });
    const env = {
      PATH: process.env["PATH"],
      HOME: scratch,
      BOUGH_HOME: path.join(scratch, "home"),
    };
    return steps(bough).every((step) => show(step, cwd, env)) ? 0 : 1;
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}

process.exitCode = await main();
