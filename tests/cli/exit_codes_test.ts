import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { EXIT_CODES } from "../../lib/runtime/command_line/exit_code.ts";
import { bashCall, completion, LocalRun } from "../support/local_run.ts";
import type { PlannedAnswer } from "../support/scripted_server.ts";

const DONE = completion("done");
const SCHEMA = '{"type":"object","required":["ok"]}';

interface Row {
  code: number;
  answers: PlannedAnswer[];
  /** A line of bash; `$OUT` is the output, as an option. It ends as the run does. */
  script: string;
  /** What the last line of stderr has. */
  stderr: string;
  /** What stdout is in text; empty if absent. */
  text?: string;
}

/** Kills `bough` once the provider has been asked. */
function killed(signal: string): string {
  return `bough -p $OUT x & pid=$!; until [ -s asked ]; do sleep 0.02; done; ` +
    `kill -${signal} $pid; wait $pid`;
}

/** Each code that can be reached from outside; 70 is a bug, and has its test with print(). */
const ROWS: Row[] = [
  { code: 0, answers: [DONE], script: "bough -p $OUT x", stderr: "Session", text: "done\n" },
  {
    code: 1,
    answers: [{ status: 500, json: { error: { message: "broken" } } }],
    script: "bough -p $OUT x",
    stderr: "broken",
  },
  { code: 2, answers: [], script: "bough -p $OUT ' '", stderr: "there is no prompt" },
  {
    code: 3,
    answers: [],
    script: "bough -p $OUT --model anthropic/claude-haiku-4-5 x",
    stderr: "ANTHROPIC_API_KEY",
  },
  { code: 4, answers: [], script: "bough -p $OUT --session none x", stderr: "none" },
  {
    code: 5,
    answers: [{ ...DONE, delayMs: 2_000 }, DONE],
    script: "bough -p --session-id s x 2> /dev/null > /dev/null & " +
      "until [ -s asked ]; do sleep 0.02; done; bough -p $OUT --session-id s y",
    stderr: "Cannot",
  },
  {
    code: 6,
    answers: [bashCall("true"), DONE],
    script: "bough -p $OUT --max-turns 1 x",
    stderr: "--max-turns 1 is used up; what was done is saved, go on with --session ",
  },
  {
    code: 7,
    answers: [completion("cut of", { finish: "length" })],
    script: "bough -p $OUT x",
    stderr: "cut at the model's output limit",
    text: "cut of\n",
  },
  {
    code: 8,
    answers: [DONE],
    script: `printf '%s' '${SCHEMA}' > s.json; bough -p $OUT --schema s.json x`,
    stderr: "Cannot give an answer that fits the schema",
  },
  {
    code: 9,
    answers: [completion("x".repeat(50_000))],
    // A file may have 16 KiB: the prompt fits, the answer does not.
    script: "trap '' XFSZ; ulimit -f 16; bough -p $OUT x",
    stderr: "Cannot",
    text: `${"x".repeat(50_000)}\n`,
  },
  { code: 129, answers: [{ stall: true }], script: killed("HUP"), stderr: "SIGHUP" },
  { code: 130, answers: [{ stall: true }], script: killed("INT"), stderr: "SIGINT" },
  {
    code: 141,
    answers: [completion("x".repeat(1_000_000))],
    script: "set -o pipefail; bough -p $OUT x | true",
    stderr: "",
  },
  { code: 143, answers: [{ stall: true }], script: killed("TERM"), stderr: "SIGTERM" },
];

test("the rows reach every exit code but 70", () => {
  expect(ROWS.map(({ code }) => String(code)).sort()).toEqual(
    Object.keys(EXIT_CODES).filter((code) => code !== "70").sort(),
  );
});

for (const output of ["text", "json", "events"]) {
  describe(`bough --output ${output} ends with`, () => {
    for (const { code, answers, script, stderr, text = "" } of ROWS) {
      test(`${code}`, async () => {
        await using run = await LocalRun.start(answers);
        const asked = run.temp.join("work/asked");
        void run.server.received(1).then(() => fs.writeFileSync(asked, "yes"));
        const ended = await run.shell(`set -m; ${script}`, { env: { OUT: `--output=${output}` } });
        expect(ended.code).toBe(code);
        // Bash tells of its jobs, too.
        const said = ended.stderr.trimEnd().split("\n").filter((line) => !line.startsWith("["));
        expect(said.at(-1)).toContain(stderr);
        expect(ended.stderr).not.toContain("    at ");
        if (code === 141) return;
        if (output === "text") return expect(ended.stdout).toBe(text);
        const result = JSON.parse(ended.stdout.trimEnd().split("\n").at(-1) ?? "");
        expect(result).toMatchObject({ type: "result", exitCode: code, ok: code === 0 });
        expect(result.error === null).toBe(code === 0);
      });
    }
  });
}
