import { describe, expect, test } from "bun:test";
import { openRuntime } from "../../../lib/runtime/open.ts";
import { parseCommandLine } from "../../../lib/runtime/command_line/parse.ts";
import type { RunOptions } from "../../../lib/runtime/command_line/run_options.ts";
import { entryText } from "../../support/extended.ts";
import { importGraph, runtimeImports } from "../../support/imports.ts";
import { TempDirectory } from "../../support/temp.ts";

function runOptions(...words: string[]): RunOptions {
  const line = parseCommandLine(["-p", "--trust", ...words, "x"], { stdin: false, stdout: false });
  if (line.kind !== "run") throw new Error(JSON.stringify(line));
  return line.options;
}

/** Two projects, each with an extension of its own, and a model that answers "Answered." */
function twoProjects(temp: TempDirectory): { one: string; two: string } {
  temp.write(
    "home/settings.json",
    JSON.stringify({ defaultModel: `replay:${temp.join("recording.jsonl")}` }),
  );
  temp.write(
    "recording.jsonl",
    [
      { type: "session", version: 3, id: "r", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" },
      {
        type: "message",
        id: "aaaaaaaa",
        parentId: null,
        timestamp: "2026-01-01T00:00:00.000Z",
        message: { role: "assistant", content: [{ type: "text", text: "Answered." }] },
      },
    ].map((line) => JSON.stringify(line)).join("\n") + "\n",
  );
  for (const name of ["one", "two"]) {
    temp.write(
      `${name}/.bough/extensions/${name}.ts`,
      `import type { ExtensionApi } from "bough/api";
let loads = 0;
export default function (bough: ExtensionApi) {
  loads++;
  bough.registerCommand("${name}", { description: "Of ${name}", run() {} });
  bough.on("session_start", async ({ reason }) => {
    await bough.appendEntry("${name}", \`started by \${reason}, load \${loads}\`);
  });
  bough.on("session_shutdown", async () => { await bough.appendEntry("${name}", "shut down"); });
}
`,
    );
  }
  return { one: temp.join("one"), two: temp.join("two") };
}

async function open(temp: TempDirectory, directory: string, ...words: string[]) {
  return await openRuntime(runOptions(...words), {
    signal: new AbortController().signal,
    env: temp.env(),
    startDirectory: directory,
  });
}

describe("AgentSessionRuntime", () => {
  test("has the extensions of each session's own project, back and forth", async () => {
    using temp = new TempDirectory();
    const { one, two } = twoProjects(temp);
    const { repo, runtime, warnings } = await open(temp, one);
    await runtime.start();
    const commands = () => runtime.conversation.commands?.map(({ name }) => name);
    const lived = async () => (await runtime.session.session.getBranch()).map(entryText);
    expect([commands(), await lived()]).toEqual([["one"], [
      'entry one: "started by start, load 1"',
    ]]);
    await runtime.session.prompt("hello");
    const first = runtime.session.session.file ?? "";

    await runtime.newSession({ cwd: two });
    expect([commands(), await lived()]).toEqual([["two"], ['entry two: "started by new, load 1"']]);

    await runtime.switchSession(first);
    expect([commands(), await lived()]).toEqual([["one"], [
      'entry one: "started by start, load 1"',
      "model_change",
      "user: hello",
      "assistant: Answered.",
      'entry one: "shut down"',
      'entry one: "started by resume, load 1"',
    ]]);
    const file = runtime.session.session.file ?? "";
    await runtime.dispose();
    const left = await repo.open(file, { access: "read" });
    expect((await left.getBranch()).map(entryText).at(-1)).toBe('entry one: "shut down"');
    await left.close();
    expect(warnings).toEqual([]);
  });

  test("reload() reads the extensions anew", async () => {
    using temp = new TempDirectory();
    const { one } = twoProjects(temp);
    const { runtime } = await open(temp, one);
    temp.write(
      "one/.bough/extensions/one.ts",
      `export default (bough) => { bough.registerCommand("changed", { description: "", run() {} }); };\n`,
    );
    await runtime.reload();
    expect(runtime.conversation.commands?.map(({ name }) => name)).toEqual(["changed"]);
    await runtime.dispose();
  });

  test("stays where it is if an extension cancels", async () => {
    using temp = new TempDirectory();
    const { one, two } = twoProjects(temp);
    const file = temp.write(
      "stay.ts",
      `export default (bough) => { bough.on("session_before_switch", () => ({ cancel: true })); };\n`,
    );
    const { runtime } = await open(temp, one, "--extension", file);
    const before = runtime.session;
    expect(await runtime.newSession({ cwd: two })).toEqual({ cancelled: true });
    expect(runtime.session).toBe(before);
    await runtime.dispose();
  });

  test("asks a provider that an extension has registered", async () => {
    using temp = new TempDirectory();
    const { one } = twoProjects(temp);
    const file = temp.write(
      "provider.ts",
      `export default (bough) => bough.registerProvider("mine", {
  baseUrl: "http://127.0.0.1:9/v1",
  models: [{ id: "m", contextWindow: 1234 }],
});
`,
    );
    const { runtime } = await open(temp, one, "--extension", file, "--model", "mine/m");
    const { contextWindow, id, provider } = runtime.session.model.facts;
    expect({ contextWindow, id, provider }).toEqual({
      contextWindow: 1234,
      id: "m",
      provider: "mine",
    });
    await runtime.dispose();
  });

  test("switches tools of extensions on and off by name, like the others", async () => {
    using temp = new TempDirectory();
    const { one } = twoProjects(temp);
    const file = temp.write(
      "tool.ts",
      `import { textResult } from "bough/api";
const parameters = { type: "object" };
export default (bough) => {
  for (const [name, readOnly] of [["look", true], ["touch", false]]) {
    bough.registerTool({ name, description: "", parameters, readOnly, execute: async () => textResult("") });
  }
};
`,
    );
    for (
      const [words, expected] of [
        [["--tools", "look,read"], ["read", "look"]],
        [["--read-only"], ["read", "grep", "find", "ls", "look"]],
      ] as const
    ) {
      const { runtime } = await open(temp, one, "--extension", file, ...words);
      expect(runtime.session.agent.tools.map(({ name }) => name)).toEqual([...expected]);
      await runtime.dispose();
    }
  });

  test("has no code of extensions loaded before there is one", () => {
    const graph = importGraph(
      "lib/runtime/open.ts",
      (file) => runtimeImports(file).filter(({ dynamic }) => !dynamic),
    );
    const files = graph.flatMap(({ to }) => to ?? []);
    expect(files).toContain("lib/runtime/prepare.ts");
    expect(files.filter((file) => file.startsWith("lib/runtime/extensions/"))).toEqual([]);
  });
});
