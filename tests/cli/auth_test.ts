import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { binaryPath, runBinary } from "../support/binary.ts";
import { noPtyReason, TerminalProcess } from "../support/pty.ts";
import { TempDirectory } from "../support/temp.ts";

const KEY = "sk-test-0123456789";

test("auth set, check and remove work with a pipe", async () => {
  using temp = new TempDirectory();
  const codes: (number | null)[] = [];
  for (
    const [args, stdin] of [
      [["auth", "check", "anthropic"]],
      [["auth", "set", "anthropic"], `${KEY}\n`],
      [["auth", "check", "anthropic"]],
      [["auth", "remove", "anthropic"]],
      [["auth", "check", "anthropic"]],
      [["auth", "set", "anthropic"]],
    ] as const
  ) {
    const run = await runBinary(args, { temp, ...(stdin === undefined ? {} : { stdin }) });
    codes.push(run.code);
    expect(run.stdout + run.stderr).not.toContain(KEY);
  }
  expect(codes).toEqual([3, 0, 0, 0, 3, 2]);
});

const noPty = noPtyReason();

describe.skipIf(noPty !== undefined)(`auth set on a terminal ${noPty ?? ""}`, () => {
  /** Runs it in a shell, which tells afterwards whether the terminal echoes. */
  async function start(temp: TempDirectory): Promise<TerminalProcess> {
    const script = '"$0" auth set anthropic; echo "code $?"; stty -a | grep -o -- "-*echo\\b"';
    return new TerminalProcess("sh", ["-c", script, await binaryPath()], { temp });
  }

  test("does not show what is typed, and gives the terminal back", async () => {
    using temp = new TempDirectory();
    using run = await start(temp);
    await run.waitFor("it is not shown");
    run.type(KEY);
    run.type("\r");
    const { stdout } = await run.finished;
    expect(stdout).toContain("code 0\r\necho\r\n");
    expect(stdout).not.toContain(KEY.slice(-8));
    expect(JSON.parse(temp.read("home/auth.json"))).toEqual({
      anthropic: { type: "api_key", key: KEY },
    });
  });

  test("stores nothing after Ctrl-C", async () => {
    using temp = new TempDirectory();
    using run = await start(temp);
    await run.waitFor("it is not shown");
    run.type("half\x03");
    const { stdout } = await run.finished;
    expect(stdout).toContain("code 130\r\necho\r\n");
    expect(fs.existsSync(temp.join("home/auth.json"))).toBe(false);
  });
});

test("doctor says of an environment of cron what is missing, and ends with 3 or 0", async () => {
  using temp = new TempDirectory();
  // No HOME, no key, a short PATH, no stdin.
  const env = { HOME: undefined, PATH: "/usr/bin:/bin", LANG: "C" };
  const without = await runBinary(["doctor"], { temp, env });
  expect({ code: without.code, stderr: without.stderr }).toEqual({ code: 3, stderr: "" });
  expect(without.stdout).toMatch(/^ERROR +model +Cannot choose a model: there is no key/m);
  const having = await runBinary(["doctor", "--json"], {
    temp,
    env: { ...env, ANTHROPIC_API_KEY: KEY },
  });
  expect(having.code).toBe(0);
  expect(JSON.parse(having.stdout)).toMatchObject({ type: "doctor", ok: true });
  expect(having.stdout).not.toContain(KEY);
});
