/** Whole programs that import `mod.ts`: what they may do without, and that they end. */
import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { JsonlSessionRepo } from "../../mod.ts";
import { anthropicAnswer } from "../support/anthropic_answer.ts";
import { ROOT } from "../support/binary.ts";
import { type FinishedProcess, runProcess } from "../support/process.ts";
import { ScriptedServer } from "../support/scripted_server.ts";
import { TempDirectory } from "../support/temp.ts";

const DENO = path.join(ROOT, "node_modules/.bin/deno");
const LIBRARY = JSON.stringify(path.join(ROOT, "mod.ts"));
const DOCUMENT = fs.readFileSync(path.join(ROOT, "docs/library.md"), "utf8");

/** Runs a program on Deno, with these permissions and no others. */
async function onDeno(
  temp: TempDirectory,
  program: string,
  permissions: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<FinishedProcess> {
  const file = temp.write("work/program.ts", program);
  const args = ["run", "--quiet", "--no-prompt", "--no-config", "--no-lock", ...permissions, file];
  const env = { DENO_DIR: temp.make("deno"), NO_COLOR: "1", ...more };
  return await runProcess(DENO, args, { temp, env, timeoutMs: 60_000 });
}

/** Permissions as the document gives them, for the directory `.`. */
function documented(flags: string): string[] {
  expect(DOCUMENT).toContain(`\`${flags}\``);
  return flags.split(" ");
}

/** Calls all tools in turn, and prints how each ended. */
function toolsProgram(names: readonly string[]): string {
  return `
import { codingTools } from ${LIBRARY};
const ARGUMENTS = {
  write: { path: "new.txt", content: "A needle." },
  edit: { path: "new.txt", edits: [{ oldText: "A needle", newText: "One needle" }] },
  read: { path: "hay.txt" },
  grep: { pattern: "needle" },
  find: { pattern: "*.txt" },
  ls: {},
  bash: { command: "echo done" },
};
for (const name of ${JSON.stringify(names)}) {
  const tool = codingTools({ cwd: process.cwd() }).find((tool) => tool.name === name);
  try {
    const signal = new AbortController().signal;
    const context = { toolCallId: name, signal, onUpdate: () => {} };
    const { content: [block] } = await tool.execute(ARGUMENTS[name], context);
    console.log(name + ": " + block.text.split("\\n")[0]);
  } catch (error) {
    console.log(name + ": " + error.message);
  }
}
`;
}

describe("mod.ts on Deno", () => {
  test("is imported without any permission, and does nothing by that", async () => {
    using temp = new TempDirectory();
    const program = `console.log(Object.keys(await import(${LIBRARY})).includes("Session"));`;
    const { code, stdout, stderr } = await onDeno(temp, program, []);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "true\n", stderr: "" });
    expect(fs.readdirSync(temp.cwd)).toEqual(["program.ts"]);
  }, 60_000);

  test("keeps sessions with access to their directory alone", async () => {
    using temp = new TempDirectory();
    const program = `
import { JsonlSessionRepo, repairSession, verifySession } from ${LIBRARY};
const repo = new JsonlSessionRepo({ sessionsDir: ${JSON.stringify(temp.join("sessions"))} });
const session = await repo.create({ cwd: "/tmp" });
await session.appendMessage({ role: "user", content: "Hello", timestamp: 0 });
const busy = await repo.open(session.file, { access: "write" }).catch(({ code }) => code);
await session.close();
await (await repo.open(session.file, { access: "write" })).close();
const fork = await repo.fork(session.file);
await fork.close();
const { findings } = verifySession(session.file);
console.log(busy, findings.length, repairSession(session.file).changes.length, (await repo.list()).length);
`;
    const sessions = temp.join("sessions");
    const permissions = documented("--allow-read=sessions --allow-write=sessions")
      .map((flag) => flag.replace("sessions", sessions));
    const { code, stdout, stderr } = await onDeno(temp, program, permissions);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "busy 0 0 2\n", stderr: "" });
  }, 60_000);

  test("reads and searches with access to the project alone", async () => {
    using temp = new TempDirectory();
    temp.write("work/hay.txt", "Hay.\nA needle.\n");
    const program = toolsProgram(["read", "grep", "find", "ls", "bash"]);
    const { stdout } = await onDeno(temp, program, documented("--allow-read=."));
    expect(stdout.split("\n").slice(0, 4)).toEqual([
      "read: Hay.",
      "grep: hay.txt:2: A needle.",
      "find: hay.txt",
      "ls: hay.txt",
    ]);
    expect(stdout).toMatch(/\nbash: .*Requires .* access/);
  }, 60_000);

  test("searches by itself where it may not run the ripgrep that it finds", async () => {
    using temp = new TempDirectory();
    temp.write("work/hay.txt", "Hay.\nA needle.\n");
    fs.chmodSync(temp.write("bin/rg", "#!/bin/sh\necho wrong\n"), 0o755);
    const permissions = ["--allow-read", "--allow-env", "--allow-sys=uid"];
    const program = toolsProgram(["grep", "find"]);
    const { stdout } = await onDeno(temp, program, permissions, { PATH: temp.join("bin") });
    expect(stdout).toBe("grep: hay.txt:2: A needle.\nfind: hay.txt\n");
  }, 60_000);

  test("has all its tools with the permissions that the document names", async () => {
    using temp = new TempDirectory();
    temp.write("work/hay.txt", "Hay.\nA needle.\n");
    const flags = "--allow-read --allow-write --allow-run --allow-env --allow-sys=uid";
    const program = toolsProgram(["write", "edit", "read", "grep", "find", "ls", "bash"]);
    const { stdout, stderr } = await onDeno(temp, program, documented(flags));
    expect({ stderr, lines: stdout.trimEnd().split("\n") }).toEqual({
      stderr: "",
      lines: [
        "write: Wrote new.txt (9 bytes).",
        "edit: Edited new.txt: 1 place, from line 1.",
        "read: Hay.",
        "grep: hay.txt:2: A needle.",
        "find: hay.txt",
        "ls: hay.txt",
        "bash: done",
      ],
    });
  }, 60_000);
});

/** Has a conversation with a tool over HTTP, and then just stops, with or without `dispose()`. */
function conversation(provider: string, ending: string): string {
  return `
import { anthropicMessages, codingTools, createAgentSession, JsonlSessionRepo } from ${LIBRARY};
const client = {
  baseURL: "${provider}",
  post: (path, { body, signal }) => ({
    asResponse: () =>
      fetch("${provider}" + path, { method: "POST", body: JSON.stringify(body), signal }),
  }),
};
const facts = {
  provider: "scripted", id: "scripted", name: "Scripted", api: "anthropic-messages",
  contextWindow: 200_000, maxTokens: 8_000, reasoning: false, input: ["text"],
  cost: { input: 1, output: 5, cacheRead: 0, cacheWrite: 0 },
};
const cwd = process.cwd();
const repo = new JsonlSessionRepo({ sessionsDir: "sessions" });
const { session } = await createAgentSession({
  session: await repo.create({ cwd }),
  model: anthropicMessages({ client, facts }),
  tools: codingTools({ cwd }),
  cacheWarming: { enabled: true },
});
session.subscribe(() => {});
console.log((await session.prompt("Run it.", { signal: AbortSignal.timeout(3_600_000) })).text);
${ending}
`;
}

const RUNTIMES: [string, string, string[]][] = [
  ["Bun", process.execPath, []],
  ["Deno", DENO, ["run", "--quiet", "-A", "--no-config", "--no-lock"]],
];

describe.each(RUNTIMES)("a program on %s", (_name, program, args) => {
  test.each([
    ["after dispose()", "await session.dispose();"],
    ["without dispose()", ""],
  ])("ends by itself %s: no timer, connection or lock keeps it", async (_how, ending) => {
    using temp = new TempDirectory();
    await using server = await ScriptedServer.start([
      anthropicAnswer({ calls: [{ name: "bash", arguments: { command: "echo out" } }], id: "1" }),
      anthropicAnswer({ text: "It ran.", id: "2" }),
    ]);
    const file = temp.write("work/program.ts", conversation(server.url, ending));
    const env = { DENO_DIR: temp.make("deno") };
    const { code, stdout, stderr } = await runProcess(program, [...args, file], { temp, env });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "It ran.\n", stderr: "" });
    const repo = new JsonlSessionRepo({ sessionsDir: temp.join("work/sessions") });
    const session = await repo.continueRecent(temp.cwd);
    expect((await session?.getBranch())?.filter(({ type }) => type === "message").length).toBe(4);
    await session?.appendSessionName("Not locked");
    await session?.close();
  }, 60_000);
});
