import { describe, expect, test } from "bun:test";
import * as path from "node:path";
import { binaryPath, ROOT } from "../support/binary.ts";
import { bashCall, completion, LocalRun } from "../support/local_run.ts";
import { runProcess } from "../support/process.ts";
import { noPtyReason, TerminalProcess } from "../support/pty.ts";

const DENO = path.join(ROOT, "node_modules/.bin/deno");

/** Extensions that import what extensions may import: one in TypeScript, one in JavaScript. */
function writeExtensions(run: LocalRun): void {
  const { temp } = run;
  temp.write(
    "home/extensions/node_modules/pack/package.json",
    '{ "name": "pack", "main": "m.js" }',
  );
  temp.write("home/extensions/node_modules/pack/m.js", 'exports.word = "package";\n');
  temp.write("home/extensions/lib/beside.ts", 'export const beside: string = "beside";\n');
  temp.write(
    "home/extensions/typed.ts",
    `import * as path from "node:path";
import pack from "pack";
import { defineTool, type ExtensionApi, textResult, ToolError } from "bough/api";
import { beside } from "./lib/beside.ts";

enum Kind { Typed = "typed" }

export default function (bough: ExtensionApi): void {
  bough.on("session_start", async ({ reason }) => {
    const words = [path.basename("/x/node"), pack.word, beside, Kind.Typed, reason];
    await bough.appendEntry("typed", [...words, typeof defineTool, textResult("x").content.length]);
  });
  bough.on("tool_call", ({ args }) => {
    if (String(args["command"]).includes("forbidden")) return { block: "That is forbidden here." };
  });
  bough.on("tool_result", () => { throw new ToolError("cannot say"); });
}
`,
  );
  temp.write(
    "home/extensions/plain.js",
    `export default (bough) => {
  bough.registerCommand("shout", { description: "Shouts", run: (args) => args.toUpperCase() });
  bough.on("session_shutdown", async () => { await bough.appendEntry("plain", "left"); });
};
`,
  );
  temp.write("home/extensions/wrong.ts", "export default (bough) => {\n  const = 1;\n};\n");
}

describe("the binary", () => {
  test("loads extensions in TypeScript and JavaScript with all that they import", async () => {
    await using run = await LocalRun.start([bashCall("echo forbidden"), completion("Done.")]);
    writeExtensions(run);
    const { code, stderr, stdout } = await run.run(["-p", "/shout do it"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
    const wrong = path.join(run.temp.home, "extensions/wrong.ts");
    expect(stderr).toContain(
      `Cannot load the extension ${wrong}, so it is skipped: ${wrong}:2:9: Expected identifier`,
    );
    const entries = run.entries();
    const customs = entries.filter(({ type }) => type === "custom")
      .map(({ customType, data }) => [customType, data]);
    expect(customs).toEqual([
      ["typed", ["node", "package", "beside", "typed", "start", "function", 1]],
      ["plain", "left"],
    ]);
    expect(run.lastMessages()).toEqual(["DO IT", "That is forbidden here."]);
  });

  test("tells on stderr, once, which extension failed on what", async () => {
    await using run = await LocalRun.start([
      bashCall("echo 1", "a"),
      bashCall("echo 2", "b"),
      completion("Done."),
    ]);
    writeExtensions(run);
    const { code, stderr } = await run.run(["-p", "go"]);
    const typed = path.join(run.temp.home, "extensions/typed.ts");
    const notices = stderr.split("\n").filter((line) => line.includes("tool_result"));
    expect({ code, notices }).toEqual({
      code: 0,
      notices: [`bough: Extension typed (${typed}): the handler of tool_result failed: cannot say`],
    });
  });

  test("--bare leaves out extensions that are found, and loads those that are named", async () => {
    await using run = await LocalRun.start([completion("Done.")]);
    writeExtensions(run);
    const plain = path.join(run.temp.home, "extensions/plain.js");
    const words = ["-p", "--bare", "--model", "local/m", "--extension", plain, "/shout hi"];
    const { code } = await run.run(words);
    expect({ code, last: run.lastMessages() }).toEqual({ code: 0, last: ["HI"] });
    expect(run.entries().filter(({ type }) => type === "custom")).toMatchObject([
      { customType: "plain", data: "left" },
    ]);
  });

  test.skipIf(noPtyReason() !== undefined)(
    "/reload reads an extension and what it imports anew, and its commands are in /help",
    async () => {
      await using run = await LocalRun.start([]);
      const { temp } = run;
      const write = (word: string) =>
        temp.write("home/extensions/lib/word.ts", `export const word = "${word}";\n`);
      temp.write(
        "home/extensions/say.ts",
        `import { word } from "./lib/word.ts";
export default (bough) => {
  bough.registerCommand("say", {
    description: "Says its word",
    run: (_, context) => context.notify(\`the word is \${word}\`),
  });
};
`,
      );
      write("first");
      using terminal = new TerminalProcess(await binaryPath(), ["--no-session"], { temp });
      await terminal.waitFor("local/m");
      terminal.type("/say\r");
      await terminal.waitFor("the word is first");
      write("second");
      terminal.type("/reload\r");
      await terminal.waitFor("are read anew");
      terminal.type("/say\r");
      await terminal.waitFor("the word is second");
      terminal.type("/help\r");
      await terminal.waitFor("Says its word");
      terminal.type("/quit\r");
      expect((await terminal.finished).code).toBe(0);
    },
  );

  test("a project's extensions wait for trust", async () => {
    await using run = await LocalRun.start([completion("1"), completion("2")]);
    run.temp.write(
      "work/.bough/extensions/own.js",
      'export default (bough) => bough.on("input", () => ({ text: "taken over" }));\n',
    );
    const untrusted = await run.run(["-p", "--no-session", "hi"]);
    const trusted = await run.run(["-p", "--no-session", "--trust", "hi"]);
    expect([untrusted.code, trusted.code, run.lastMessages()]).toEqual([0, 0, [
      "hi",
      "taken over",
    ]]);
    expect(untrusted.stderr).toContain("the project is not trusted");
  });
});

test("Deno loads the same extension from source", async () => {
  await using run = await LocalRun.start([completion("Done.")]);
  run.temp.write(
    "home/extensions/a.ts",
    `import { type ExtensionApi, textOf } from "bough/api";
export default (bough: ExtensionApi) => {
  bough.on("input", ({ text }) => ({ text: textOf(text) + bough.helpers.textOf("!") }));
};
`,
  );
  const { code, stderr, stdout } = await runProcess(
    DENO,
    ["run", "-A", path.join(ROOT, "cli.ts"), "-p", "hi"],
    { temp: run.temp, env: { DENO_DIR: run.temp.make("deno") }, timeoutMs: 60_000 },
  );
  expect({ code, stdout, stderr: code === 0 ? "" : stderr }).toEqual({
    code: 0,
    stdout: "Done.\n",
    stderr: "",
  });
  expect(run.lastMessages()).toEqual(["hi!"]);
}, 60_000);
