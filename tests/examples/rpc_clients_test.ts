import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import * as path from "node:path";
import { ROOT } from "../support/binary.ts";
import { bashCall, completion, LocalRun } from "../support/local_run.ts";

const CLIENTS = path.join(ROOT, "examples/rpc");
const DENO = path.join(ROOT, "node_modules/.bin/deno");

function works(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}

const RUNNERS = [
  { name: "client.py on Python", run: `python3 ${CLIENTS}/client.py`, is: works("python3", "-V") },
  { name: "client.ts on Bun", run: `${process.execPath} ${CLIENTS}/client.ts`, is: true },
  {
    name: "client.ts on Deno",
    run: `${DENO} run --quiet -A --no-lock ${CLIENTS}/client.ts`,
    is: works(DENO, "--version"),
  },
];

for (const { name, run, is } of RUNNERS) {
  describe.skipIf(!is)(`${name}${is ? "" : " (not installed)"}`, () => {
    test("asks in one session, and prints the answers as they come", async () => {
      await using local = await LocalRun.start([
        completion(["Line\u2028sep", "arator ", "😀"]),
        bashCall("true"),
        completion("Second."),
      ]);
      const ran = await local.shell(`${run} "first" "second"`);
      expect({ code: ran.code, stdout: ran.stdout }).toEqual({
        code: 0,
        stdout: "Line\u2028separator 😀\nSecond.\n",
      });
      expect(ran.stderr).toMatch(/^\[bash\]\n.*session [\w-]+\n$/);
      expect(local.sessionFiles()).toHaveLength(1);
      const [, second] = local.server.bodies();
      expect(JSON.stringify(second)).toContain("first");
    });

    test("tells why a prompt failed, and ends as bough would", async () => {
      await using local = await LocalRun.start([{
        status: 401,
        json: { error: { message: "Incorrect API key" } },
      }]);
      const ran = await local.shell(`${run} "first" "second"`);
      expect(ran.code).toBe(3);
      expect(ran.stderr).toContain("Incorrect API key");
      expect(local.server.requests).toHaveLength(1);
    });

    test("does not wait for ever where bough does not start", async () => {
      await using local = await LocalRun.start([]);
      local.temp.write("home/settings.json", "{");
      const ran = await local.shell(`${run} "first"`, { timeoutMs: 20_000 });
      expect(ran.code).not.toBe(0);
      expect(ran.stderr).toContain("Cannot read the settings");
    });
  });
}

test("client.ts fails at once where there is nobody to ask, or nobody any more", async () => {
  const { Bough } = await import("../../examples/rpc/client.ts");
  const nobody = new Bough([], "/nowhere/bough");
  await expect(nobody.ask("get_state")).rejects.toThrow("ENOENT");
  await expect(nobody.prompt("hello")).rejects.toThrow("ENOENT");
  const gone = new Bough([], "true");
  await expect(gone.prompt("x".repeat(1_000_000))).rejects.toThrow("Bough ended with 0");
  await expect(gone.ask("get_state")).rejects.toThrow("Bough ended with 0");
});
