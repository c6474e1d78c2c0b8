import { describe, expect, test } from "bun:test";
import * as path from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { binaryPath, ROOT, runBinary } from "../support/binary.ts";
import { runProcess } from "../support/process.ts";
import { TempDirectory } from "../support/temp.ts";

const COMPILE = path.join(ROOT, "scripts/compile/main.ts");

describe("the binary", () => {
  test("--version says version and commit", async () => {
    using temp = new TempDirectory();
    const { stdout, stderr, code } = await runBinary(["--version"], { temp });
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    const version = manifest.version.replaceAll(".", "\\.");
    expect(stdout).toMatch(new RegExp(`^bough ${version} \\(([0-9a-f]{12}|unknown)\\)\n$`));
  });

  test("reads no .env of the directory that it starts in", async () => {
    using temp = new TempDirectory();
    temp.write("work/.env", "ANTHROPIC_API_KEY=planted\nANTHROPIC_BASE_URL=http://127.0.0.1:9\n");
    const args = ["--print", "--no-stdin", "--model", "anthropic/claude-haiku-4-5", "Hello"];
    const { stdout, stderr, code } = await runBinary(args, { temp });
    expect({ stdout, code }).toEqual({ stdout: "", code: 3 });
    expect(stderr).toContain("ANTHROPIC_API_KEY");
  });

  test("runs no code that a bunfig.toml of the directory that it starts in names", async () => {
    using temp = new TempDirectory();
    temp.write("work/bunfig.toml", 'preload = ["./planted.ts"]\n');
    temp.write("work/planted.ts", 'console.log("planted"); process.exit(66);\n');
    const { stdout, code } = await runBinary(["--version"], { temp });
    expect({ code, isPlanted: stdout.includes("planted") }).toEqual({ code: 0, isPlanted: false });
  });

  test("starts without a home, an environment or a terminal, as cron does it", async () => {
    using temp = new TempDirectory();
    const options = { cwd: temp.cwd, env: {} };
    const { stdout, code } = await runProcess(await binaryPath(), ["--version"], options);
    expect({ code, isVersion: stdout.startsWith("bough ") }).toEqual({ code: 0, isVersion: true });
  });
});

describe("scripts/compile", () => {
  test("refuses a target that there is not, and names those that there are", async () => {
    const options = { cwd: ROOT, env: process.env };
    const { stderr, code } = await runProcess(process.execPath, [COMPILE, "amiga-68k"], options);
    expect(code).toBe(2);
    expect(stderr).toContain("linux-arm64-musl");
  });

  test("says which runtime it cannot fetch, and fails if nothing was built", async () => {
    using temp = new TempDirectory();
    // A proxy that is not there stands for a machine without a network.
    const env = temp.env({
      BUN_INSTALL_CACHE_DIR: temp.make("cache"),
      HTTPS_PROXY: "http://127.0.0.1:9",
      HTTP_PROXY: "http://127.0.0.1:9",
    });
    const args = [COMPILE, "windows-x64", "--no-smoke-test"];
    const { stderr, code } = await runProcess(process.execPath, args, { cwd: ROOT, env });
    expect(code).toBe(1);
    expect(stderr).toContain("Cannot build windows-x64");
  });
});
