import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import * as path from "node:path";
import { completionScript, type Shell } from "../../../lib/runtime/command_line/completions.ts";
import { ROOT } from "../../support/binary.ts";
import { TempDirectory } from "../../support/temp.ts";

/** What each line is completed with, and something that it is not. */
const ROWS: readonly { words: string[]; wanted: string[]; unwanted?: string }[] = [
  { words: ["--out"], wanted: ["--output"], unwanted: "--mode" },
  { words: ["--output", ""], wanted: ["text", "json", "events"] },
  { words: ["-p", "--thinking", "h"], wanted: ["high"], unwanted: "low" },
  { words: [""], wanted: ["session", "doctor", "help"] },
  { words: ["session", ""], wanted: ["list", "show", "path"], unwanted: "doctor" },
  { words: ["session", "list", "--"], wanted: ["--json", "--all"], unwanted: "--timeout" },
  { words: ["completions", ""], wanted: ["bash", "zsh", "fish"], unwanted: "a b.txt" },
  { words: ["help", ""], wanted: ["session", "doctor", "auth"], unwanted: "a b.txt" },
  { words: ["help", "session", ""], wanted: ["list", "show", "path"], unwanted: "a b.txt" },
  { words: ["auth", "set", ""], wanted: ["anthropic", "openrouter"], unwanted: "a b.txt" },
  { words: ["auth", "check", "open"], wanted: ["openai"], unwanted: "anthropic" },
];

function hasShell(shell: Shell): boolean {
  return spawnSync(shell, ["-c", "exit 0"]).status === 0;
}

/** The candidates that a real shell offers. */
function complete(shell: Shell, words: readonly string[]): string[] {
  using temp = new TempDirectory();
  const script = temp.write("_bough", completionScript(shell));
  const line = `bough ${words.join(" ")}`;
  const bash = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _bough;' +
    'printf "%s\\n" "${COMPREPLY[@]}"';
  const calls: Record<Shell, string[]> = {
    bash: ["--norc", "-c", bash, script, "bough", ...words],
    zsh: ["-f", path.join(ROOT, "tests/support/complete.zsh"), temp.path, line],
    fish: ["-N", "-c", `source ${script}; complete -C '${line}'`],
  };
  const run = spawnSync(shell, calls[shell], {
    cwd: path.dirname(temp.write("work/a b.txt", "")),
    env: temp.env(),
    encoding: "utf8",
    timeout: 20_000,
  });
  expect({ error: run.error, stderr: run.stderr }).toEqual({ error: undefined, stderr: "" });
  return run.stdout.split("\n").map((candidate) => candidate.split("\t", 1)[0] ?? "");
}

for (const shell of ["bash", "zsh", "fish"] as const) {
  describe.skipIf(!hasShell(shell))(`completionScript() completes in ${shell}`, () => {
    for (const { words, wanted, unwanted } of ROWS) {
      test(words.join(" "), () => {
        const candidates = complete(shell, words);
        expect(wanted.filter((word) => !candidates.includes(word))).toEqual([]);
        if (unwanted !== undefined) expect(candidates).not.toContain(unwanted);
      });
    }
  });
}

test.skipIf(!hasShell("bash"))("completionScript() keeps a file's name with blanks whole", () => {
  for (const words of [["x", ""], ["session", "export", "x", ""], ["--schema", ""]]) {
    expect(complete("bash", words)).toContain("a b.txt");
  }
  expect(complete("bash", ["x", "@a"])).toContain("@a b.txt");
});

test.skipIf(!hasShell("bash"))("completionScript() completes a value after = in bash", () => {
  expect(complete("bash", ["--output", "=", "js"])).toContain("json");
});
