import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { anthropicAnswer } from "../support/anthropic_answer.ts";
import { binaryPath, ROOT } from "../support/binary.ts";
import { type FinishedProcess, runProcess } from "../support/process.ts";
import { ScriptedServer } from "../support/scripted_server.ts";
import { TempDirectory } from "../support/temp.ts";

const README = fs.readFileSync(path.join(ROOT, "README.md"), "utf8");
const EXAMPLES = README.slice(README.indexOf("## Ten examples"), README.indexOf("## Exit codes"));

/** The blocks of a language among the examples. */
function blocks(language: string): string[] {
  return [...EXAMPLES.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))]
    .map(([, code = ""]) => code);
}

const HAS_TOOLS = ["git", "jq", "bash"].every((tool) =>
  spawnSync(tool, ["--version"]).status === 0
);

/** Runs lines of shell in a project with a history, where the provider says "An answer." */
async function runShell(script: string): Promise<FinishedProcess> {
  using temp = new TempDirectory();
  await using server = await ScriptedServer.start([anthropicAnswer({ text: "An answer." })]);
  const bin = temp.make("bin");
  fs.symlinkSync(await binaryPath(), path.join(bin, "bough"));
  temp.write("home/settings.json", JSON.stringify({ defaultModel: "anthropic/claude-haiku-4-5" }));
  temp.write("work/README.md", "# A project\n");
  temp.write("work/notes.txt", "Bring the boat in.\n");
  fs.symlinkSync(temp.cwd, path.join(temp.make("user"), "project"));
  const git = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  spawnSync("git", ["init", "--quiet"], { cwd: temp.cwd });
  spawnSync("git", [...git, "commit", "--quiet", "--allow-empty", "-m", "Start"], {
    cwd: temp.cwd,
  });
  const PATH = `${bin}:${process.env["PATH"]}`;
  return await runProcess("bash", ["-c", `set -euo pipefail\n${script}`], {
    temp,
    env: { PATH, ANTHROPIC_API_KEY: "scripted", ANTHROPIC_BASE_URL: server.url },
  });
}

describe.skipIf(!HAS_TOOLS)("README.md in a shell", () => {
  test.each(blocks("sh"))("its example works: %s", async (script: string) => {
    const { stdout, stderr, code } = await runShell(script);
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("An answer.");
  });

  test.each(blocks("cron"))("its cron line works twice: %s", async (line: string) => {
    const command = line.replace(/^(\S+ ){5}/, "");
    const { stdout, stderr, code } = await runShell(`${command}\n${command}\ncat ~/standup.md`);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "An answer.\nAn answer.\n",
      stderr: "",
    });
  });
});

describe("README.md", () => {
  test("has ten examples", () => {
    expect(blocks("(?:sh|cron|ts|js)").length).toBeGreaterThanOrEqual(10);
  });

  test.each(blocks("ts"))("its program works: %s", async (code: string) => {
    using temp = new TempDirectory();
    await using server = await ScriptedServer.start([anthropicAnswer({ text: "An answer." })]);
    // Below the project, so that `bough` means the project itself.
    const directory = fs.mkdtempSync(path.join(ROOT, "dist/readme-"));
    try {
      const file = path.join(directory, "agent.ts");
      fs.writeFileSync(file, code);
      const env = { ANTHROPIC_API_KEY: "scripted", ANTHROPIC_BASE_URL: server.url };
      const { stdout, stderr, code: exit } = await runProcess(process.execPath, [file], {
        temp,
        env,
      });
      expect({ stdout, stderr, exit }).toEqual({ stdout: "An answer.\n", stderr: "", exit: 0 });
    } finally {
      fs.rmSync(directory, { recursive: true, force: true });
    }
  });
});

test("README.md says what --help prints", async () => {
  const script = path.join(ROOT, "scripts/readme.ts");
  const run = await runProcess(process.execPath, [script, "--check"], {
    cwd: ROOT,
    env: process.env,
  });
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: "" });
});
