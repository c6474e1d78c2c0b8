import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { type Check, CHECK_NAMES } from "../../../lib/runtime/commands/doctor/check.ts";
import { checkDirectory } from "../../../lib/runtime/commands/doctor/places.ts";
import { checkClock } from "../../../lib/runtime/commands/doctor/clock.ts";
import type { VerbPorts } from "../../../lib/runtime/commands/ports.ts";
import { UsageError } from "../../../lib/runtime/modes/exit_codes.ts";
import { JsonlSessionRepo, lockKindOf, nodeFileSystem } from "../../../lib/session/mod.ts";
import { ROOT } from "../../support/binary.ts";
import { completion } from "../../support/local_run.ts";
import { ScriptedServer } from "../../support/scripted_server.ts";
import { TempDirectory } from "../../support/temp.ts";
import { verbRun } from "../../support/verb_run.ts";

interface Examined {
  code: number;
  ok: boolean;
  checks: Check[];
  /** The checks that found something, as `name: message`. */
  findings: string[];
  /** All that stands on stdout. */
  text: string;
}

async function examine(
  temp: TempDirectory,
  args: readonly string[] = [],
  ports: Partial<VerbPorts> = {},
): Promise<Examined> {
  const { code, stdout } = await verbRun(temp, ["doctor", "--json", ...args], ports);
  const { ok, checks }: { ok: boolean; checks: Check[] } = JSON.parse(stdout);
  const findings = checks.filter(({ status }) => status !== "ok")
    .map(({ name, message }) => `${name}: ${message}`);
  return { code, ok, checks, findings, text: stdout };
}

/** An environment in which a run can work. */
function well(more: Record<string, string> = {}): (temp: TempDirectory) => Partial<VerbPorts> {
  return (temp) => ({ env: temp.env({ ANTHROPIC_API_KEY: "sk-test", ...more }) });
}

const PLAIN = { baseUrl: "http://127.0.0.1:1/v1", models: [{ id: "m", reasoning: false }] };

function everything(directory: string): string[] {
  return fs.readdirSync(directory, { recursive: true, encoding: "utf8" }).sort();
}

/** A session with one message in a store of its own. */
async function storedSession(temp: TempDirectory): Promise<string> {
  const repo = new JsonlSessionRepo({ sessionsDir: temp.join("home/sessions") });
  const session = await repo.create({ cwd: temp.cwd });
  await session.appendMessage({ role: "user", content: "Hello", timestamp: 0 });
  await session.close();
  return session.file ?? "";
}

describe("doctor", () => {
  test("finds nothing wrong where a run can work, and leaves nothing behind", async () => {
    using temp = new TempDirectory();
    const ports = well()(temp);
    const before = everything(temp.path);
    const { code, ok, checks } = await examine(temp, [], ports);
    expect({ code, ok }).toEqual({ code: 0, ok: true });
    expect(checks.map(({ name, status }) => `${name} ${status}`)).toEqual([
      "directory ok",
      "home ok",
      "sessions ok",
      "settings ok",
      "project ok",
      "model ok",
      "key ok",
      "shell ok",
      expect.stringContaining("ripgrep"),
      "locks ok",
      "damage ok",
      "clock ok",
    ]);
    expect(everything(temp.path)).toEqual(before);
  });

  test("never prints a key", async () => {
    using temp = new TempDirectory();
    const args = ["--api-key", "sk-given-secret"];
    const { text } = await examine(temp, args, well({ OPENAI_API_KEY: "sk-env-secret" })(temp));
    expect(text).not.toContain("secret");
    expect(text).toContain("the key of --api-key");
  });

  test("is told as columns, the worst in capitals", async () => {
    using temp = new TempDirectory();
    const { code, stdout } = await verbRun(temp, ["doctor"]);
    expect(code).toBe(3);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toEqual(expect.stringMatching(/^ok {7}directory {2}\//));
    expect(lines).toContainEqual(expect.stringMatching(/^ERROR {4}model {6}Cannot choose a model/));
    expect(lines.at(-1)).toBe("A run cannot work.");
    const quiet = await verbRun(temp, ["doctor", "--quiet"]);
    expect(quiet.stdout).toMatch(/^ERROR {4}model {6}Cannot choose a model: [^\n]+\n$/);
  });

  test.each<[string, string[], (temp: TempDirectory) => void, RegExp]>([
    [
      "no model of that name",
      ["--model", "anthropic/sonet"],
      () => {},
      /^model: Cannot use the model "anthropic\/sonet": it is not known/,
    ],
    [
      "settings that are no JSON",
      [],
      (temp) => temp.write("home/settings.json", "{"),
      /^settings: Cannot read the settings in .*settings\.json: line 1/,
    ],
    [
      "a models.json with a wrong value",
      [],
      (temp) => temp.write("home/models.json", '{"providers":{"x":{"baseUrl":7}}}'),
      /^settings: Cannot read the models in .*providers\.x\.baseUrl/,
    ],
    [
      "a shell that is not there",
      [],
      (temp) => temp.write("home/settings.json", '{"shellPath":"/no/such/shell"}'),
      /^shell: Cannot run the command: there is no shell \/no\/such\/shell/,
    ],
    [
      "a directory that is not there",
      ["--cwd", "/no/such/directory"],
      () => {},
      /^directory: Cannot work in \/no\/such\/directory/,
    ],
    [
      "a file where the sessions belong",
      [],
      (temp) => temp.write("home/sessions", ""),
      /^sessions: Cannot keep sessions in .*home\/sessions: E/,
    ],
    [
      "a fallback model without a key",
      ["--fallback-model", "openai/gpt-6.2-sol"],
      () => {},
      /^fallback: Cannot ask openai: there is no key for it/,
    ],
    [
      "a broken file of keys",
      ["--provider", "openai"],
      (temp) => temp.write("home/auth.json", '{"openai":{"type":"api_key"}}'),
      /^(model|key): Cannot read the keys in .*auth\.json/,
    ],
  ])("ends with 3 for %s", async (_, args, prepare, finding) => {
    using temp = new TempDirectory();
    prepare(temp);
    const { code, ok, findings } = await examine(temp, args, well()(temp));
    expect({ code, ok }).toEqual({ code: 3, ok: false });
    expect(findings).toContainEqual(expect.stringMatching(finding));
  });

  test("says so where the process's directory was deleted", async () => {
    using temp = new TempDirectory();
    const cwd = () => {
      throw new UsageError("Cannot work here: it was deleted");
    };
    const { code, findings } = await examine(temp, [], { ...well()(temp), cwd });
    expect({ code, findings }).toEqual({
      code: 3,
      findings: ["directory: Cannot work here: it was deleted"],
    });
  });

  test.each<[string, (temp: TempDirectory) => void, RegExp, string[]?]>([
    [
      "a setting that is not known",
      (temp) => temp.write("home/settings.json", '{"defaultModle":"x"}'),
      /^settings: Unknown setting "defaultModle".*did you mean "defaultModel"\?$/,
    ],
    [
      "a project that nobody has decided on",
      (temp) => temp.write("work/.bough/settings.json", "{}"),
      /^project: The settings of .*work are skipped: the project is not trusted\..*--trust/,
    ],
    [
      "a lock that a killed process left",
      (temp) => lock(temp, { pid: 2 ** 22 + 1, host: os.hostname() }),
      /^locks: .*s\.jsonl\.lock was left by process 4194305 .*it keeps nobody out/,
    ],
    [
      "a lock of another host",
      (temp) => lock(temp, { pid: 1, host: "elsewhere", boot: "x" }),
      /^locks: .*s\.jsonl\.lock belongs to process 1 on host elsewhere.*delete it if/,
    ],
    [
      "a lock that is none",
      (temp) => {
        temp.write("home/sessions/s.jsonl", "");
        temp.write("home/sessions/s.jsonl.lock", "nonsense");
      },
      /^locks: .*s\.jsonl\.lock stands where a lock belongs and is none/,
    ],
    [
      "a level for a model that cannot think",
      (temp) => temp.write("home/models.json", JSON.stringify({ providers: { t: PLAIN } })),
      /^model: t\/m cannot think: the level high is passed over$/,
      ["--model", "t/m:high"],
    ],
  ])("warns of %s, with which a run can work", async (_, prepare, finding, args = []) => {
    using temp = new TempDirectory();
    prepare(temp);
    const { code, findings } = await examine(temp, args, well()(temp));
    expect(code).toBe(0);
    expect(findings).toContainEqual(expect.stringMatching(finding));
  });

  test("reads the newest sessions, and tells of the damaged ones", async () => {
    using temp = new TempDirectory();
    const file = await storedSession(temp);
    const before = await examine(temp, [], well()(temp));
    fs.appendFileSync(file, "not an entry\n");
    const after = await examine(temp, [], well()(temp));
    expect(before.checks.find(({ name }) => name === "damage")).toEqual({
      name: "damage",
      status: "ok",
      message: "none in the newest 1",
    });
    expect(after).toMatchObject({ code: 0, ok: true });
    const found = after.findings.filter((finding) => finding.startsWith("damage: "));
    expect(found).toEqual([expect.stringContaining(`${path.basename(file)}: line 3: `)]);
    expect(found[0]).toContain("bough session repair mends it");
  });

  test("has a shell tell that it finds no programs", async () => {
    using temp = new TempDirectory();
    const { findings } = await examine(temp, [], well({ PATH: "/nowhere" })(temp));
    expect(findings).toEqual([
      expect.stringMatching(/^shell: .* finds no programs: PATH is "\/nowhere"/),
      expect.stringMatching(/^ripgrep: rg is not in PATH/),
    ]);
  });

  test.each([
    ["answers", completion("OK"), 0, /^test answered in 0\.0 s$/],
    [
      "refuses the key",
      { status: 401, json: { error: { message: "Incorrect API key provided" } } },
      3,
      /Incorrect API key/,
    ],
  ])("--online asks once, and the provider %s", async (_, answer, code, message) => {
    using temp = new TempDirectory();
    await using server = await ScriptedServer.start([answer]);
    const test = { baseUrl: `${server.url}/v1`, apiKey: "k", models: [{ id: "m" }] };
    temp.write("home/models.json", JSON.stringify({ providers: { test } }));
    const offline = await examine(temp, ["--model", "test/m"]);
    expect(server.requests).toEqual([]);
    const online = await examine(temp, ["--model", "test/m", "--online"]);
    expect({ offline: offline.code, online: online.code }).toEqual({ offline: 0, online: code });
    expect(online.checks.find(({ name }) => name === "online")?.message).toMatch(message);
    expect(server.bodies().map((body) => body["model"])).toEqual(["m"]);
  });
});

/** A lock file as another process would have left it. */
function lock(temp: TempDirectory, record: Record<string, unknown>): void {
  const file = temp.write("home/sessions/s.jsonl", "");
  const { dev, ino } = fs.statSync(file);
  const whole = { how: "link", dev, ino, nonce: "n", ...record };
  temp.write("home/sessions/s.jsonl.lock", `${JSON.stringify(whole)}\n`);
}

test("cli.md names what the doctor looks at", () => {
  const page = fs.readFileSync(path.join(ROOT, "docs/cli.md"), "utf8");
  const [, names = ""] = /the names are (.*?)\. Of the sessions/.exec(page) ?? [];
  expect([...names.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual([...CHECK_NAMES]);
});

test.each([
  [Date.UTC(1970, 0, 2), 0, "warning"],
  [Date.UTC(2030, 0, 1), Date.UTC(2030, 0, 5), "warning"],
  [Date.UTC(2030, 0, 1), Date.UTC(2030, 0, 1, 5), "ok"],
  [Date.UTC(2030, 0, 1), 0, "ok"],
])("checkClock(%p, %p) is %s", (now, newest, status) => {
  expect(`${checkClock(now, newest).status}`).toBe(status);
});

test("lockKindOf() tells the kernel's lock from a lock file, and leaves neither", () => {
  using temp = new TempDirectory();
  const file = temp.write("f", "");
  const fd = nodeFileSystem.open(file, "a");
  try {
    expect(lockKindOf(file, fd, { flock: null })).toBe("link");
    expect(lockKindOf(file, fd, { flock: () => "unsupported" })).toBe("link");
    expect(lockKindOf(file, fd, { flock: () => ({ unlock() {} }) })).toBe("flock");
  } finally {
    nodeFileSystem.close(fd);
  }
  expect(fs.readdirSync(temp.path).filter((name) => name.startsWith("f"))).toEqual(["f"]);
});

test("checkDirectory() tells also of a directory that cannot even be asked for", () => {
  const { status, message } = checkDirectory(`/${"x".repeat(5_000)}`);
  expect([status, message.includes("ENAMETOOLONG")]).toEqual(["error", true]);
});
