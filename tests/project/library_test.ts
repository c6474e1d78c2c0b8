import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { anthropicAnswer } from "../support/anthropic_answer.ts";
import { ROOT } from "../support/binary.ts";
import { type FinishedProcess, runProcess } from "../support/process.ts";
import { ScriptedServer } from "../support/scripted_server.ts";
import { TempDirectory } from "../support/temp.ts";

const DENO = path.join(ROOT, "node_modules/.bin/deno");

/** A program as a user of the library would write it, with a client of its own for a package's. */
function program(library: string, provider: string): string {
  return `
import { anthropicMessages, codingTools, createAgentSession, JsonlSessionRepo } from "${library}";

const client = {
  baseURL: "${provider}",
  post: (path: string, { body, signal }: { body: object; signal: AbortSignal }) => ({
    asResponse: () =>
      fetch("${provider}" + path, { method: "POST", body: JSON.stringify(body), signal }),
  }),
};
const cwd = process.cwd();
const repo = new JsonlSessionRepo({ sessionsDir: "sessions" });
const { session } = await createAgentSession({
  session: await repo.create({ cwd, id: "by-url" }),
  model: anthropicMessages({
    client,
    facts: {
      provider: "scripted",
      id: "scripted",
      name: "Scripted",
      api: "anthropic-messages",
      contextWindow: 200_000,
      maxTokens: 8_000,
      reasoning: false,
      input: ["text"],
      cost: { input: 1, output: 5, cacheRead: 0, cacheWrite: 0 },
    },
  }),
  tools: codingTools({ cwd }),
});
const outcome = await session.prompt("Write a note.");
await session.dispose();
console.log(JSON.stringify({ text: outcome.text, saved: outcome.saved, turns: outcome.turns }));
`;
}

/** Serves the project's sources as a host of files does. */
function serveSources(): { url: string } & Disposable {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const name = path.join(ROOT, path.normalize(new URL(request.url).pathname));
      if (!/\.(ts|json)$/.test(name) || !fs.existsSync(name)) {
        return new Response(null, { status: 404 });
      }
      const type = name.endsWith(".json") ? "application/json" : "application/typescript";
      return new Response(Bun.file(name), { headers: { "content-type": type } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.dispose]: () => void server.stop(true) };
}

interface Ran {
  run: FinishedProcess;
  /** The note that the tool wrote. */
  note: string;
  /** Role and text of the messages in the session's file. */
  messages: [string, string][];
  /** What Deno fetched of packages. */
  packages: string[];
}

function storedMessages(temp: TempDirectory): [string, string][] {
  const sessions = temp.join("work/sessions");
  const [file] = fs.readdirSync(sessions, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("_by-url.jsonl"));
  const lines = fs.readFileSync(path.join(sessions, file ?? ""), "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line)).filter(({ type }) => type === "message")
    .map(({ message }) => [message.role, textOf(message.content)]);
}

function textOf(content: string | { type: string; text?: string }[]): string {
  return typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("");
}

function packagesIn(denoDirectory: string): string[] {
  const cache = path.join(denoDirectory, "npm");
  return fs.existsSync(cache) ? fs.readdirSync(cache) : [];
}

async function runProgram(
  library: string,
  command: (file: string) => [string, ...string[]],
): Promise<Ran> {
  using temp = new TempDirectory();
  const call = { name: "write", arguments: { path: "note.txt", content: "By URL.\n" } };
  await using server = await ScriptedServer.start([
    anthropicAnswer({ calls: [call], id: "1" }),
    anthropicAnswer({ text: "Written.", id: "2" }),
  ]);
  const file = temp.write("work/program.ts", program(library, server.url));
  const [name, ...args] = command(file);
  const DENO_DIR = temp.make("deno");
  const run = await runProcess(name, args, { temp, env: { DENO_DIR }, timeoutMs: 60_000 });
  expect({ code: run.code, stderr: run.code === 0 ? "" : run.stderr }).toEqual({
    code: 0,
    stderr: "",
  });
  return {
    run,
    note: temp.read("work/note.txt"),
    messages: storedMessages(temp),
    packages: packagesIn(DENO_DIR),
  };
}

const EXPECTED = {
  answer: { text: "Written.", saved: true, turns: 2 },
  note: "By URL.\n",
  roles: ["user", "assistant", "toolResult", "assistant"],
};

function seen({ run, note, messages }: Ran): typeof EXPECTED {
  return { answer: JSON.parse(run.stdout), note, roles: messages.map(([role]) => role) };
}

describe("mod.ts", () => {
  test("runs an agent with a session and tools on Bun", async () => {
    const ran = await runProgram(path.join(ROOT, "mod.ts"), (file) => [process.execPath, file]);
    expect(seen(ran)).toEqual(EXPECTED);
    expect(ran.messages.at(0)).toEqual(["user", "Write a note."]);
    expect(ran.messages.at(-1)).toEqual(["assistant", "Written."]);
  });

  test("runs the same on Deno by URL: no import map, no configuration, no package", async () => {
    using sources = serveSources();
    const ran = await runProgram(
      `${sources.url}/mod.ts`,
      (file) => [DENO, "run", "-A", "--no-config", "--no-lock", file],
    );
    expect(seen(ran)).toEqual(EXPECTED);
    expect(ran.packages).toEqual([]);
  }, 60_000);
});
