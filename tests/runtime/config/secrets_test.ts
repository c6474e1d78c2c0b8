import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { ProcessGroups } from "../../../lib/agent/mod.ts";
import { Secrets } from "../../../lib/runtime/config/secrets.ts";
import { TempDirectory } from "../../support/temp.ts";

const PATH = process.env["PATH"];
const ENV = { PATH, MY_KEY: "from-env", EMPTY_KEY: "  ", plain: "lower", BUN_OPTIONS: "--version" };

const CASES: [text: string, result: unknown][] = [
  ["sk-123", { kind: "value", value: "sk-123" }],
  ["constructor", { kind: "value", value: "constructor" }],
  ["EMPTY", { kind: "value", value: "EMPTY" }],
  ["MY_KEY", { kind: "value", value: "from-env" }],
  ["$MY_KEY", { kind: "value", value: "from-env" }],
  ["${MY_KEY}", { kind: "value", value: "from-env" }],
  ["plain", { kind: "value", value: "lower" }],
  ["OTHER_KEY", { kind: "missing", reason: "the environment variable OTHER_KEY is not set" }],
  ["EMPTY_KEY", { kind: "missing", reason: "the environment variable EMPTY_KEY is not set" }],
  ["$other", { kind: "missing", reason: "the environment variable other is not set" }],
  ["!echo ' key '", { kind: "value", value: "key" }],
  ["!echo $MY_KEY", { kind: "value", value: "from-env" }],
  ["!echo [$BUN_OPTIONS]", { kind: "value", value: "[]" }],
  ["!true", { kind: "missing", reason: 'the command "true" printed nothing' }],
  [
    "!echo secret; exit 3",
    { kind: "missing", reason: 'the command "echo secret; exit 3" ended with exit code 3' },
  ],
  ["!cat", { kind: "missing", reason: 'the command "cat" printed nothing' }],
  ["!yes", { kind: "missing", reason: 'the command "yes" printed too much to be a key' }],
];

for (const [text, result] of CASES) {
  test(`resolve() of ${JSON.stringify(text)}`, async () => {
    expect(await new Secrets(ENV).resolve(text)).toEqual(result as never);
  });
}

test("resolve() runs a command once, however often it is asked", async () => {
  using temp = new TempDirectory();
  const command = `!echo x >> '${temp.join("runs")}'; echo key`;
  const secrets = new Secrets(ENV);
  const both = await Promise.all([secrets.resolve(command), secrets.resolve(command)]);
  expect([...both, await secrets.resolve(command)].map(({ kind }) => kind)).toEqual([
    "value",
    "value",
    "value",
  ]);
  expect(temp.read("runs")).toBe("x\n");
});

test("resolve() runs a command again that failed", async () => {
  using temp = new TempDirectory();
  const command = `!cat '${temp.join("safe")}'`;
  const secrets = new Secrets(ENV);
  expect((await secrets.resolve(command)).kind).toBe("missing");
  temp.write("safe", "key\n");
  expect(await secrets.resolve(command)).toEqual({ kind: "value", value: "key" });
});

test("resolve() does not wait for what a command leaves running", async () => {
  const processes = new ProcessGroups();
  const secret = new Secrets(ENV, { processes }).resolve("!echo key; exec sleep 60 & echo $!");
  expect(processes.size).toBe(1);
  const [key, pid] = (await secret as { value: string }).value.split("\n");
  expect([key, processes.size]).toEqual(["key", 0]);
  process.kill(Number(pid));
});

test("a command that is running when the program ends is ended with the others", async () => {
  const processes = new ProcessGroups();
  const secret = new Secrets(ENV, { processes }).resolve("!sleep 60");
  processes.killAll();
  expect(await secret).toEqual({
    kind: "missing",
    reason: 'the command "sleep 60" ended with SIGKILL',
  });
});

test("resolve() ends a command that takes too long, with its children", async () => {
  using temp = new TempDirectory();
  const pidFile = temp.join("pid");
  const secrets = new Secrets(ENV, { timeoutMs: 300 });
  const secret = await secrets.resolve(`!sleep 60 & echo $! > '${pidFile}'; wait`);
  expect(secret).toMatchObject({ kind: "missing" });
  expect(secret.kind === "missing" && secret.reason).toEndWith("took longer than 0.3 s");
  const pid = Number(fs.readFileSync(pidFile, "utf8"));
  // A killed process stays visible until its parent has waited for it.
  const state = () => {
    try {
      return fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[2];
    } catch {
      return "gone";
    }
  };
  while (!["gone", "Z"].includes(state() ?? "")) await new Promise((done) => setImmediate(done));
});
