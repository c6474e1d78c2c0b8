import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { helpText } from "../../lib/runtime/command_line/help.ts";
import { binaryPath, runBinary } from "../support/binary.ts";
import { runProcess } from "../support/process.ts";
import { TempDirectory } from "../support/temp.ts";

describe("bough ends with 2 and one line on stderr for", () => {
  const rows: [what: string, args: string[], stderr: string][] = [
    [
      "an unknown option",
      ["--no-such-option"],
      "bough: Cannot use --no-such-option: there is no such option",
    ],
    ["no prompt", ["-p"], "bough: Cannot run: there is no prompt"],
    ["blanks", ["-p", " \n"], "bough: Cannot run: there is no prompt"],
    ["two sessions", ["-p", "-c", "--no-session", "x"], "bough: Cannot use --continue with"],
    ["a list without a terminal", ["--resume"], "bough: Cannot use --resume here: it needs a"],
    ["an unreadable file", ["-p", "@gone.txt", "x"], "bough: Cannot read @gone.txt: there is no"],
    ["a missing schema", ["-p", "--schema", "gone", "x"], "bough: Cannot read --schema gone: the"],
    [
      "a result file in no directory",
      ["-p", "--result-file", "gone/r.json", "x"],
      "bough: Cannot write --result-file gone/r.json: its directory does not exist",
    ],
    [
      "a missing word of a verb",
      ["session", "show"],
      'bough: Cannot run "session show": <session> is missing (see bough help session show)',
    ],
    [
      "the help of a verb that is not there",
      ["help", "sesion", "list"],
      'bough: Cannot show the help of "sesion list": there is no such verb; ' +
      'did you mean "bough help session list"?',
    ],
    ["an unknown shell", ["completions", "tcsh"], 'bough: Cannot make completions for "tcsh"'],
  ];
  for (const [what, args, wanted] of rows) {
    test(what, async () => {
      using temp = new TempDirectory();
      const { stdout, stderr, code } = await runBinary(args, { temp });
      expect({ stdout, code, lines: stderr.split("\n").length }).toEqual({
        stdout: "",
        code: 2,
        lines: 2,
      });
      expect(stderr).toStartWith(wanted);
      expect(fs.existsSync(temp.join("home/sessions"))).toBe(false);
    });
  }
});

test("bough --output json says what was wrong on stdout, too", async () => {
  using temp = new TempDirectory();
  const { stdout, stderr, code } = await runBinary(["--output", "json", " "], { temp });
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({
    type: "result",
    ok: false,
    exitCode: 2,
    sessionId: null,
    error: { code: "usage", retryable: false },
  });
  expect(stderr).toStartWith("bough: Cannot run: there is no prompt");
});

for (const args of [["--help"], ["-h"], ["help"], ["--help", "x"]]) {
  test(`bough ${args.join(" ")} prints the help`, async () => {
    using temp = new TempDirectory();
    const { stdout, stderr, code } = await runBinary(args, { temp });
    expect({ stdout, stderr, code }).toEqual({ stdout: helpText(), stderr: "", code: 0 });
  });
}

test("bough help session list prints the help of the verb", async () => {
  using temp = new TempDirectory();
  const { stdout, code } = await runBinary(["help", "session", "list"], { temp });
  expect(code).toBe(0);
  expect(stdout).toStartWith("Usage: bough session list [options]\n");
});

test("bough says the same version however it is asked", async () => {
  using temp = new TempDirectory();
  const said = new Set<string>();
  for (const args of [["--version"], ["-v"], ["version"], ["--version", "x"]]) {
    const { stdout, code } = await runBinary(args, { temp });
    expect(code).toBe(0);
    said.add(stdout);
  }
  expect(said.size).toBe(1);
});

test("bough --help into a closed pipe ends quietly", async () => {
  const script = '"$0" --help | true; echo "${PIPESTATUS[0]}"';
  const { stdout, stderr } = await runProcess("bash", ["-c", script, await binaryPath()], {
    env: { PATH: process.env["PATH"] },
  });
  expect(["0", "141"]).toContain(stdout.trim());
  expect(stderr).toBe("");
});

describe("bough says that stdout cannot be written", () => {
  for (const args of ["--help", "--version", "help session list", "completions bash"]) {
    test(args, async () => {
      using temp = new TempDirectory();
      const script = `"$0" ${args} > /dev/full`;
      const { stderr, code } = await runProcess("bash", ["-c", script, await binaryPath()], {
        temp,
      });
      expect(code).toBe(1);
      expect(stderr).toStartWith("bough: Cannot write to stdout: ENOSPC");
      expect(stderr.split("\n")).toHaveLength(2);
    });
  }
});

test("bough in a deleted directory says so in one line (C048)", async () => {
  using temp = new TempDirectory();
  const gone = temp.make("gone");
  const script = 'rmdir "$PWD"; exec "$0" -p hello';
  const { stdout, stderr, code } = await runProcess("bash", ["-c", script, await binaryPath()], {
    temp,
    cwd: gone,
  });
  expect({ stdout, lines: stderr.split("\n").length }).toEqual({ stdout: "", lines: 2 });
  // Bun itself may say it, before a line of ours has run.
  expect(code).not.toBe(0);
  expect(stderr).toContain("directory was deleted");
});
