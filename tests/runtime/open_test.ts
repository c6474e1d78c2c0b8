/** openRuntime() with real directories: what a change of session takes along, and what it leaves. */
import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { type Opened, openRuntime } from "../../lib/runtime/open.ts";
import { parseCommandLine } from "../../lib/runtime/command_line/parse.ts";
import { JsonlSessionRepo, type SessionError, textOf } from "../../lib/session/mod.ts";
import { ROOT } from "../support/binary.ts";
import { completion } from "../support/local_run.ts";
import { ScriptedServer } from "../support/scripted_server.ts";
import { TempDirectory } from "../support/temp.ts";

/** Projects on a disk and models behind a server on loopback. */
class Rig implements AsyncDisposable {
  readonly temp = new TempDirectory();
  readonly server: ScriptedServer;
  readonly #opened: Opened[] = [];

  private constructor(server: ScriptedServer) {
    this.server = server;
    const models = [{ id: "a", reasoning: true }, { id: "b", reasoning: true }];
    const api = { api: "openai-completions", models };
    this.temp.write(
      "home/models.json",
      JSON.stringify({
        providers: {
          near: { ...api, baseUrl: `${server.url}/near`, apiKey: "near-key" },
          far: { ...api, baseUrl: `${server.url}/far`, apiKey: "far-key" },
        },
      }),
    );
    this.temp.write("home/settings.json", JSON.stringify({ defaultModel: "near/a" }));
  }

  static async start(): Promise<Rig> {
    return new Rig(await ScriptedServer.start([completion("fine")]));
  }

  async open(directory: string, ...words: string[]): Promise<Opened> {
    const line = parseCommandLine(["-p", "--trust", ...words, "x"], {
      stdin: false,
      stdout: false,
    });
    if (line.kind !== "run") throw new Error(JSON.stringify(line));
    const opened = await openRuntime(line.options, {
      signal: new AbortController().signal,
      env: this.temp.env(),
      startDirectory: directory,
    });
    await opened.runtime.start();
    this.#opened.push(opened);
    return opened;
  }

  /** The session files, by name. */
  files(): string[] {
    const sessions = this.temp.join("home/sessions");
    if (!fs.existsSync(sessions)) return [];
    return fs.readdirSync(sessions, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl")).sort();
  }

  /** Provider and key of each request so far. */
  asked(): string[] {
    return this.server.requests.map(({ headers, path }) =>
      `${path.split("/")[1]} ${headers.authorization}`
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { runtime } of this.#opened) await runtime.dispose();
    await this.server.close();
    this.temp[Symbol.dispose]();
  }
}

/** A project with settings, a context file, a skill, a template and an extension of its own. */
function project(temp: TempDirectory, name: string, maxRetries: number): string {
  temp.write(`${name}/.bough/settings.json`, JSON.stringify({ retry: { maxRetries } }));
  temp.write(`${name}/AGENTS.md`, `This is project ${name}.`);
  temp.write(`${name}/.bough/prompts/greet.md`, `Greet ${name}.`);
  temp.write(
    `${name}/.bough/skills/help/SKILL.md`,
    `---\nname: help\ndescription: Helps with ${name}\n---\nHelp.`,
  );
  temp.write(
    `${name}/.bough/extensions/own.ts`,
    `export default (bough) => {
  bough.registerTool({
    name: "tool_${name}", description: "", parameters: { type: "object" },
    execute: async () => ({ content: [] }),
  });
  bough.registerCommand("command_${name}", { description: "", run() {} });
};
`,
  );
  return temp.join(name);
}

/** What a conversation has of its project. */
async function belongings({ runtime }: Opened) {
  const { conversation, services, session } = runtime;
  const { systemPrompt, tools } = session.agent;
  return {
    cwd: path.basename(session.session.cwd),
    retries: services.settings.retry.maxRetries,
    prompt: ["one", "two"].filter((name) => systemPrompt.includes(`This is project ${name}.`)),
    skill: ["one", "two"].filter((name) => systemPrompt.includes(`Helps with ${name}`)),
    template: await services.expand("/greet"),
    tools: tools.map(({ name }) => name).filter((name) => name.startsWith("tool_")),
    commands: (conversation.commands ?? []).map(({ name }) => name),
  };
}

const OF = (name: string, retries: number) => ({
  cwd: name,
  retries,
  prompt: [name],
  skill: [name],
  template: `Greet ${name}.`,
  tools: [`tool_${name}`],
  commands: [`command_${name}`],
});

describe("openRuntime()", () => {
  test("has all of a session's own project and nothing of another, back and forth", async () => {
    await using rig = await Rig.start();
    const [one, two] = [project(rig.temp, "one", 1), project(rig.temp, "two", 2)];
    const opened = await rig.open(one);
    const { runtime } = opened;
    expect(await belongings(opened)).toEqual(OF("one", 1));
    await runtime.session.prompt("hello");
    const first = runtime.session.session.file ?? "";
    await runtime.newSession({ cwd: two });
    expect(await belongings(opened)).toEqual(OF("two", 2));
    await runtime.session.prompt("hello");
    const second = runtime.session.session.file ?? "";
    for (const [file, wanted] of [[first, OF("one", 1)], [second, OF("two", 2)]] as const) {
      await runtime.switchSession(file);
      expect(await belongings(opened)).toEqual(wanted);
    }
    await runtime.fork(runtime.session.session.leafId ?? "", { position: "at", cwd: one });
    expect(await belongings(opened)).toEqual(OF("one", 1));
    expect(opened.warnings).toEqual([]);
  });

  test("stays where it is when the other project's settings do not parse", async () => {
    await using rig = await Rig.start();
    const [one, two] = [project(rig.temp, "one", 1), project(rig.temp, "two", 2)];
    const { runtime } = await rig.open(one);
    await runtime.session.prompt("hello");
    const kept = runtime.session;
    rig.temp.write("two/.bough/settings.json", "{ no");
    const files = rig.files();
    const message = "Cannot read the settings";
    await expect(runtime.newSession({ cwd: two })).rejects.toThrow(message);
    const leaf = kept.session.leafId ?? "";
    await expect(runtime.fork(leaf, { position: "at", cwd: two })).rejects.toThrow(message);
    expect(runtime.session).toBe(kept);
    expect((await kept.prompt("still there?")).text).toBe("fine");
    expect(rig.files()).toEqual(files);

    rig.temp.write("one/.bough/settings.json", "{ no");
    await expect(runtime.reload()).rejects.toThrow(message);
    expect((await kept.prompt("and now?")).text).toBe("fine");
  });

  test("goes on with a session whose directory is gone in another one alone", async () => {
    await using rig = await Rig.start();
    const [one, gone] = [rig.temp.make("one"), rig.temp.make("gone")];
    const { repo, runtime } = await rig.open(gone);
    await runtime.session.prompt("hello");
    const file = runtime.session.session.file ?? "";
    await runtime.newSession({ cwd: one });
    fs.rmdirSync(gone);
    const kept = runtime.session;
    const refused = await runtime.switchSession(file).catch((error: SessionError) => error.code);
    expect(refused).toBe("directory_gone");
    const none = await runtime.newSession({ cwd: gone }).catch((error: SessionError) => error.code);
    expect(none).toBe("directory_gone");
    expect(runtime.session).toBe(kept);
    // It was let go of: another can have it.
    await (await repo.open(file, { access: "write" })).close();
    await runtime.switchSession(file, { cwd: one });
    expect(runtime.session.session.cwd).toBe(one);
    expect((await runtime.session.prompt("go on")).text).toBe("fine");
    const read = await repo.open(file, { access: "read" });
    expect(read.header.cwd).toBe(gone);
    await read.close();
  });

  test("imports files of ours and of Pi, and leaves them as they are", async () => {
    await using rig = await Rig.start();
    const { repo, runtime } = await rig.open(rig.temp.cwd);
    await runtime.session.prompt("hello");
    const ours = runtime.session.session.file ?? "";
    const pi = path.join(ROOT, "tests/fixtures/pi-1.6.0/branches.jsonl");
    for (const file of [ours, pi]) {
      const before = fs.readFileSync(file);
      const source = await repo.open(file, { access: "read" });
      const context = await source.buildContext();
      await source.close();
      await runtime.importFromJsonl(file, { cwd: rig.temp.cwd });
      const { session } = runtime.session;
      expect(session.file).not.toBe(file);
      expect(await session.buildContext()).toEqual(context);
      expect((await runtime.session.prompt("go on")).text).toBe("fine");
      expect(fs.readFileSync(file)).toEqual(before);
    }
  });

  test("refuses to import what is no session, or one whose directory is gone, and keeps no copy", async () => {
    await using rig = await Rig.start();
    const { runtime } = await rig.open(rig.temp.cwd);
    await runtime.session.prompt("hello");
    const kept = runtime.session;
    const files = rig.files();
    const note = rig.temp.write("note.jsonl", '{"type":"note"}\n');
    const code = (error: SessionError) => error.code;
    expect(await runtime.importFromJsonl(note).catch(code)).toBe("not_a_session");
    expect(rig.temp.read("note.jsonl")).toBe('{"type":"note"}\n');
    const elsewhere = rig.temp.write(
      "elsewhere.jsonl",
      '{"type":"session","version":3,"id":"e","timestamp":"2026-01-01T00:00:00Z","cwd":"/no/such"}\n' +
        '{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-01-01T00:00:00Z",' +
        '"message":{"role":"user","content":"hi","timestamp":1}}\n',
    );
    expect(await runtime.importFromJsonl(elsewhere).catch(code)).toBe("directory_gone");
    expect(rig.files()).toEqual(files);
    expect(runtime.session).toBe(kept);
  });

  test("leaves no fork behind that cannot go live", async () => {
    await using rig = await Rig.start();
    const { runtime } = await rig.open(rig.temp.cwd);
    await runtime.session.prompt("hello");
    const { id } = runtime.session.session;
    await runtime.dispose();
    const files = rig.files();
    const opening = rig.open(rig.temp.cwd, "--fork", id, "--model", "nowhere/none");
    await expect(opening).rejects.toThrow("Cannot use the model");
    expect(rig.files()).toEqual(files);
  });

  test("goes on with a session whose model is gone, with the default one, and says so", async () => {
    await using rig = await Rig.start();
    const { runtime } = await rig.open(rig.temp.cwd);
    await runtime.session.prompt("hello");
    const recording = runtime.session.session.file ?? "";
    const copy = rig.temp.join("copy.jsonl");
    fs.copyFileSync(recording, copy);
    const replaying = await rig.open(
      rig.temp.cwd,
      "--session-id",
      "r",
      "--model",
      `replay:${copy}`,
    );
    expect((await replaying.runtime.session.prompt("hello")).text).toBe("fine");
    await replaying.runtime.dispose();
    fs.rmSync(copy);
    const again = await rig.open(rig.temp.cwd, "--session-id", "r");
    expect((await again.runtime.session.prompt("go on")).text).toBe("fine");
    expect(again.warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^The session's model replay\/.* cannot be used here .*; using near\/a$/,
      ),
    ]);
  });

  test("gives a key to no other provider than the session's, also where that is not known", async () => {
    await using rig = await Rig.start();
    const { runtime } = await rig.open(rig.temp.cwd, "--session-id", "k", "--model", "far/a");
    await runtime.session.prompt("hello");
    await runtime.dispose();
    rig.temp.write(
      "home/models.json",
      rig.temp.read("home/models.json").replace('"far"', '"gone"'),
    );
    const again = await rig.open(rig.temp.cwd, "--session-id", "k", "--api-key", "given");
    await again.runtime.session.prompt("go on");
    expect(rig.asked()).toEqual(["far Bearer far-key", "near Bearer near-key"]);
  });

  test("ends a key command when it is stopped while it opens", async () => {
    await using rig = await Rig.start();
    const pid = rig.temp.join("pid");
    rig.temp.write(
      "home/auth.json",
      JSON.stringify({ anthropic: { type: "api_key", key: `!echo $$ > '${pid}'; exec sleep 60` } }),
    );
    const line = parseCommandLine(["-p", "--model", "anthropic/claude-sonnet-5-5", "x"], {
      stdin: false,
      stdout: false,
    });
    if (line.kind !== "run") throw new Error(JSON.stringify(line));
    const stopping = new AbortController();
    const opening = openRuntime(line.options, {
      signal: stopping.signal,
      env: rig.temp.env(),
      startDirectory: rig.temp.cwd,
    });
    while (!fs.statSync(pid, { throwIfNoEntry: false })?.size) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    stopping.abort();
    await expect(opening).rejects.toThrow("ended with SIGTERM");
    expect(() => process.kill(Number(fs.readFileSync(pid, "utf8")), 0)).toThrow("ESRCH");
  });

  test("leaves nothing running that an extension began, where the session cannot go live", async () => {
    await using rig = await Rig.start();
    const pid = rig.temp.join("pid");
    const extension = rig.temp.write(
      "begins.ts",
      `import * as fs from "node:fs";
export default async (bough) => {
  void bough.exec("sh", ["-c", 'echo $$ > "${pid}"; exec sleep 60']);
  while (!fs.statSync("${pid}", { throwIfNoEntry: false })?.size) await new Promise(setImmediate);
};
`,
    );
    const words = ["--extension", extension, "--model", "nowhere/none"];
    await expect(rig.open(rig.temp.cwd, ...words)).rejects.toThrow("Cannot use the model");
    expect(() => process.kill(Number(rig.temp.read("pid")), 0)).toThrow("ESRCH");
  });

  test("gives a fork and a clone the model context of their source at that point", async () => {
    await using rig = await Rig.start();
    const { repo, runtime } = await rig.open(rig.temp.cwd);
    for (const text of ["one", "two", "three"]) await runtime.session.prompt(text);
    const source = runtime.session.session;
    const file = source.file ?? "";
    const branch = await source.getBranch();
    await runtime.session.setLabel(branch[1]?.id ?? "", "start");
    await runtime.session.dropFromContext(branch[2]?.id ?? "");
    const sent = () => JSON.stringify(rig.server.bodies().at(-1)?.["messages"]);
    await runtime.clone();
    await runtime.session.prompt("go on");
    const inClone = sent();
    await runtime.switchSession(file);
    await runtime.session.prompt("go on");
    expect(sent()).toBe(inClone);
    for (const entry of branch) {
      const read = await repo.open(file, { access: "read" });
      const wanted = await read.buildContext(entry.id);
      await read.close();
      await runtime.switchSession(file);
      await runtime.fork(entry.id, { position: "at" });
      expect(await runtime.session.session.buildContext()).toEqual(wanted);
    }
    expect([...runtime.session.session.labels.values()]).toEqual(["start"]);
    await runtime.switchSession(file);
    const user = branch.findLast((entry) =>
      entry.type === "message" && entry.message.role === "user"
    );
    const { editorText } = await runtime.fork(user?.id ?? "");
    expect(editorText).toBe("three");
    const { messages } = await runtime.session.session.buildContext();
    expect(messages.map((message) => "content" in message ? textOf(message.content) : "")).toEqual(
      ["one", "fine", "two", "fine"],
    );
  });

  test("reload() keeps the model and the level that were turned to", async () => {
    await using rig = await Rig.start();
    const { runtime } = await rig.open(rig.temp.cwd, "--model", "far/a");
    const state = () => {
      const { model: { facts }, thinkingLevel } = runtime.session;
      return `${facts.provider}/${facts.id} ${thinkingLevel}`;
    };
    expect(state()).toBe("far/a off");
    await runtime.reload();
    expect(state()).toBe("far/a off");
    const model = (await runtime.services.models.enabled())
      .find(({ id, provider }) => provider === "near" && id === "b");
    if (model) await runtime.session.setModel(runtime.services.models.create(model));
    await runtime.session.setThinkingLevel("high");
    const replaced = runtime.session;
    await runtime.reload();
    expect(state()).toBe("near/b high");
    await expect(replaced.setLabel("00000000", "x")).rejects.toThrow("it was closed or replaced");
    await runtime.newSession();
    expect(state()).toBe("far/a off");
  });

  test("reload() keeps what waits to be heard", async () => {
    await using rig = await Rig.start();
    const { runtime } = await rig.open(rig.temp.cwd);
    await runtime.session.steer("now");
    await runtime.session.followUp("later");
    await runtime.reload();
    expect(runtime.session.queue).toEqual({ steering: ["now"], followUp: ["later"] });
    await runtime.session.prompt("go");
    expect(runtime.session.queue).toEqual({ steering: [], followUp: [] });
  });

  test("gives a key of the command line to the provider that it was given for, and to no other", async () => {
    await using rig = await Rig.start();
    const far = await rig.open(rig.temp.cwd, "--model", "far/a");
    await far.runtime.session.prompt("hello");
    const file = far.runtime.session.session.file ?? "";
    await far.runtime.dispose();
    const { runtime } = await rig.open(rig.temp.cwd, "--model", "near/b", "--api-key", "given");
    await runtime.session.prompt("one");
    await runtime.switchSession(file);
    await runtime.session.prompt("two");
    await runtime.newSession();
    await runtime.session.prompt("three");
    expect(rig.asked()).toEqual([
      "far Bearer far-key",
      "near Bearer given",
      "far Bearer far-key",
      "near Bearer given",
    ]);
  });

  test("writes nothing of a prompt when the key is gone", async () => {
    await using rig = await Rig.start();
    const { runtime } = await rig.open(rig.temp.cwd);
    await runtime.session.prompt("one");
    const model = { ...runtime.session.model.facts, provider: "anthropic", id: "claude-x" };
    await runtime.session.setModel(runtime.services.models.create(model));
    const before = await runtime.session.session.getEntries();
    await expect(runtime.session.prompt("two")).rejects.toThrow("there is no key for it");
    expect(await runtime.session.session.getEntries()).toEqual(before);
    expect(runtime.session.isRunning).toBe(false);
  });
});

describe("AgentSessionRuntime.dispose()", () => {
  test("leaves nothing live when it comes during a change", async () => {
    await using rig = await Rig.start();
    const { runtime } = await rig.open(rig.temp.cwd);
    await runtime.session.prompt("hello");
    const changing = runtime.clone();
    await runtime.dispose();
    await changing;
    await expect(runtime.session.prompt("too late")).rejects.toThrow("closed or replaced");
    const repo = new JsonlSessionRepo({ sessionsDir: rig.temp.join("home/sessions") });
    expect(rig.files()).toHaveLength(2);
    for (const file of rig.files()) {
      const open = await repo.open(path.join(repo.sessionsDir, file), { access: "write" });
      await open.close();
    }
  });
});
