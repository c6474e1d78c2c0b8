import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { askHidden } from "../../../lib/runtime/commands/hidden_prompt.ts";
import type { TerminalListener } from "../../../lib/runtime/modes/repl/terminal.ts";
import { completion } from "../../support/local_run.ts";
import { ScriptedServer } from "../../support/scripted_server.ts";
import { TempDirectory } from "../../support/temp.ts";
import { stdinOf, verbRun } from "../../support/verb_run.ts";

const KEY = "sk-test-0123456789";

function stored(temp: TempDirectory): unknown {
  return JSON.parse(temp.read("home/auth.json"));
}

describe("auth set", () => {
  test("stores the key from stdin, for its owner only, and does not print it", async () => {
    using temp = new TempDirectory();
    const run = await verbRun(temp, ["auth", "set", "anthropic"], {
      stdin: () => stdinOf(`${KEY}\n`),
    });
    expect(run).toEqual({
      code: 0,
      stdout: "",
      stderr: `bough: The key of anthropic is stored in ${temp.join("home/auth.json")}\n`,
    });
    expect(stored(temp)).toEqual({ anthropic: { type: "api_key", key: KEY } });
    expect(fs.statSync(temp.join("home/auth.json")).mode & 0o777).toBe(0o600);
  });

  test("says that a variable goes before what is stored", async () => {
    using temp = new TempDirectory();
    const { stderr } = await verbRun(temp, ["auth", "set", "openai"], {
      stdin: () => stdinOf(KEY),
      env: temp.env({ OPENAI_API_KEY: "another" }),
    });
    expect(stderr).toEndWith("bough: OPENAI_API_KEY is set, too, and goes before the stored key\n");
  });

  test.each([
    ["no stdin", undefined, "UsageError"],
    ["an empty stdin", "", "UsageError"],
    ["blanks", " \n", "UsageError"],
    ["several lines", "one\ntwo\n", "ConfigError"],
  ])("refuses %s and stores nothing", async (_, text, name) => {
    using temp = new TempDirectory();
    const run = verbRun(temp, ["auth", "set", "anthropic"], { stdin: () => stdinOf(text) });
    expect(run).rejects.toMatchObject({ name });
    await run.catch(() => undefined);
    expect(fs.existsSync(temp.join("home/auth.json"))).toBe(false);
  });

  test("does not ask for the key of a provider that is not known", async () => {
    using temp = new TempDirectory();
    const stdin = () => {
      throw new Error("stdin was read");
    };
    expect(verbRun(temp, ["auth", "set", "antropic"], { stdin })).rejects.toMatchObject({
      code: "unknown_provider",
      message: expect.stringContaining('did you mean "anthropic"?'),
    });
  });
});

describe("auth remove", () => {
  test("forgets one key and leaves the others", async () => {
    using temp = new TempDirectory();
    const key = { type: "api_key", key: KEY };
    temp.write("home/auth.json", JSON.stringify({ anthropic: key, gone: key }));
    // No provider of that name is described any more.
    expect(await verbRun(temp, ["auth", "remove", "gone"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "bough: The key of gone is forgotten\n",
    });
    expect(stored(temp)).toEqual({ anthropic: key });
  });

  test("is content where there is none", async () => {
    using temp = new TempDirectory();
    expect(await verbRun(temp, ["auth", "remove", "openai"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "bough: There was no stored key of openai\n",
    });
  });
});

describe("auth check", () => {
  test.each([
    ["anthropic", "anthropic: the key in ANTHROPIC_API_KEY\n", 0],
    ["stored", "stored: the key in auth.json\n", 0],
    ["described", "described: the key in models.json\n", 0],
    ["ollama", "ollama: no key, and none is needed (OLLAMA_API_KEY may hold one)\n", 0],
    ["openai", "", 3],
    ["command", "", 3],
  ])("says where the key of %s is, and ends with 0 or 3", async (provider, stdout, code) => {
    using temp = new TempDirectory();
    const baseUrl = "http://127.0.0.1:1/v1";
    temp.write("home/auth.json", JSON.stringify({ stored: { type: "api_key", key: KEY } }));
    temp.write(
      "home/models.json",
      JSON.stringify({
        providers: {
          stored: { baseUrl },
          described: { baseUrl, apiKey: KEY },
          command: { baseUrl, apiKey: "!exit 3" },
        },
      }),
    );
    const run = await verbRun(temp, ["auth", "check", provider], {
      env: temp.env({ ANTHROPIC_API_KEY: KEY }),
    });
    expect(run).toMatchObject({ code, stdout });
    expect(run.stdout + run.stderr).not.toContain(KEY);
    if (code !== 0) {
      expect(run.stderr).toStartWith(`bough: Cannot ask ${provider}: there is no key`);
    }
  });

  test("--json tells the same", async () => {
    using temp = new TempDirectory();
    const { code, stdout } = await verbRun(temp, ["auth", "check", "openai", "--json"]);
    expect({ code, told: JSON.parse(stdout) }).toEqual({
      code: 3,
      told: {
        provider: "openai",
        ok: false,
        isNeeded: true,
        isUsable: false,
        variable: "OPENAI_API_KEY",
        problem: expect.stringContaining("there is no key for it"),
      },
    });
  });

  test.each([
    ["accepted", completion("OK"), 0],
    ["refused", { status: 401, json: { error: { message: "Incorrect API key" } } }, 3],
  ])("--online finds out that a key is %s", async (_, answer, code) => {
    using temp = new TempDirectory();
    await using server = await ScriptedServer.start([answer]);
    const provider = { baseUrl: `${server.url}/v1`, apiKey: KEY, models: [{ id: "m" }] };
    temp.write("home/models.json", JSON.stringify({ providers: { local: provider } }));
    const run = await verbRun(temp, ["auth", "check", "local", "--online"]);
    expect<number>(run.code).toBe(code);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`]);
    expect(run.stdout + run.stderr).not.toContain(KEY);
  });
});

/** A terminal that types this, and tells what it was asked to do. */
function typing(...keys: string[]) {
  const log: string[] = [];
  const terminal = {
    write: (text: string) => void log.push(text),
    open(listener: TerminalListener, { raw }: { raw: boolean }) {
      log.push(raw ? "raw" : "not raw");
      queueMicrotask(() => {
        for (const key of keys) listener.input(new TextEncoder().encode(key));
      });
    },
    release: () => void log.push("restored"),
  };
  return { terminal, log };
}

describe("askHidden()", () => {
  test.each([
    [["secret\r"], "secret"],
    [["se", "cret", "\n"], "secret"],
    [["sx\x7fecret\r"], "secret"],
    [["wrong\x15secret\r"], "secret"],
    [["\x1b[200~secret\x1b[201~", "\r"], "secret"],
    [["se\x1acr\t\x17et\r"], "secret"],
    [["s\x1b[Decret\x1bOA\r"], "secret"],
    [["secret\x04"], "secret"],
    [["\x7f\r"], ""],
    [["\x04"], undefined],
    [["secret\x03"], undefined],
  ])("takes %j for %p, shows nothing of it and gives the terminal back", async (keys, line) => {
    const { terminal, log } = typing(...keys);
    const signal = new AbortController().signal;
    expect(await askHidden("Key: ", { terminal, signal })).toBe(line);
    expect(log).toEqual(["raw", "Key: ", "restored", "\n"]);
  });

  test("gives the terminal back when it is stopped", async () => {
    const { terminal, log } = typing("sec");
    const stop = new AbortController();
    const asked = askHidden("Key: ", { terminal, signal: stop.signal });
    stop.abort();
    expect(await asked).toBeUndefined();
    expect(log).toEqual(["raw", "Key: ", "restored", "\n"]);
  });
});
