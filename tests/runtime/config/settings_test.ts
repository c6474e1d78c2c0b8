import { expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { ConfigError } from "../../../lib/runtime/config/errors.ts";
import { loadSettings, updateSettings } from "../../../lib/runtime/config/settings.ts";
import { defaultSettings } from "../../../lib/runtime/config/settings_defaults.ts";
import { SessionError } from "../../../lib/session/mod.ts";
import { ROOT } from "../../support/binary.ts";
import { denyFiles } from "../../support/denied_files.ts";
import { FaultyFileSystem } from "../../support/faulty_file_system.ts";
import { TempDirectory } from "../../support/temp.ts";

const CASES = path.join(ROOT, "tests/fixtures/cases");
const ENV = { HOME: "/home/ada" };

async function failure(promise: Promise<unknown>): Promise<ConfigError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

test("loadSettings() without a file gives the defaults", async () => {
  using temp = new TempDirectory();
  const loaded = await loadSettings({ files: [temp.join("settings.json")], env: ENV });
  expect(loaded).toEqual({ settings: defaultSettings(), warnings: [] });
});

test("loadSettings() lays the project's file over the user's, key by key (C126)", async () => {
  const files = ["user-settings.json", "project-settings.json"]
    .map((name) => path.join(CASES, "C126", name));
  const { settings, warnings } = await loadSettings({ files, env: ENV });
  const defaults = defaultSettings();
  expect(settings).toEqual({
    ...defaults,
    retry: {
      ...defaults.retry,
      maxRetries: 7,
      baseDelayMs: 50,
      provider: { timeoutMs: 5000, maxRetryDelayMs: 1000 },
    },
    compaction: { ...defaults.compaction, enabled: false, keepRecentTokens: 111 },
  });
  expect(warnings).toEqual([]);
});

test("loadSettings() expands ~ in paths (C126)", async () => {
  const files = [path.join(CASES, "C126", "user-settings.json")];
  const { settings } = await loadSettings({ files, env: ENV });
  expect(settings.sessionDir).toBe("/home/ada/my-sessions");
});

test("loadSettings() takes other paths as beside the file, and a bare shell from PATH", async () => {
  using temp = new TempDirectory();
  const file = temp.write(
    "settings.json",
    JSON.stringify({ extensions: ["a.ts", "~/b.ts", "/c.ts"], skills: ["s"], shellPath: "zsh" }),
  );
  const { settings } = await loadSettings({ files: [file], env: ENV });
  expect(settings.extensions).toEqual([temp.join("a.ts"), "/home/ada/b.ts", "/c.ts"]);
  expect(settings.skills).toEqual([temp.join("s")]);
  expect(settings.shellPath).toBe("zsh");
});

test("loadSettings() replaces lists, merges per-model groups, and lets options win", async () => {
  using temp = new TempDirectory();
  const user = temp.write(
    "user.json",
    '{"enabledModels":["a","b"],"compaction":{"models":{"x/y":{"enabled":false,"reserveTokens":5}}}}',
  );
  const project = temp.write(
    "project.json",
    '\ufeff{"enabledModels":["c"],"compaction":{"models":{"x/y":{"reserveTokens":6}}},"hideThinking":true}',
  );
  const { settings } = await loadSettings({
    files: [user, project],
    env: ENV,
    options: { durability: "none", hideThinking: null },
  });
  const defaults = defaultSettings();
  expect(settings).toEqual({
    ...defaults,
    enabledModels: ["c"],
    durability: "none",
    compaction: {
      ...defaults.compaction,
      models: { "x/y": { enabled: false, reserveTokens: 6 } },
    },
  });
});

test("loadSettings() warns of unknown keys and names the nearest", async () => {
  using temp = new TempDirectory();
  const file = temp.write(
    "settings.json",
    '{"defaultModle":"m","keepRecentTokens":5,"retry":{"maxRetry":1},"qqq":1,"__proto__":{"a":1}}',
  );
  const { settings, warnings } = await loadSettings({ files: [file], env: ENV });
  expect(settings).toEqual(defaultSettings());
  expect(warnings.map(({ message }) => message)).toEqual([
    `Unknown setting "defaultModle" in ${file}; did you mean "defaultModel"?`,
    `Unknown setting "keepRecentTokens" in ${file}; did you mean "compaction.keepRecentTokens"?`,
    `Unknown setting "retry.maxRetry" in ${file}; did you mean "retry.maxRetries"?`,
    `Unknown setting "qqq" in ${file}`,
    `Unknown setting "__proto__" in ${file}`,
  ]);
});

const WRONG: [content: string, problem: string][] = [
  [
    '{"retry":{"maxRetries":"7"}}',
    'retry.maxRetries: expected a whole number from 0 on, found "7"',
  ],
  ['{"retry":{"maxRetries":-1}}', "retry.maxRetries: expected a whole number from 0 on, found -1"],
  ['{"retry":3}', "retry: expected an object, found 3"],
  [
    '{"durability":"always"}',
    'durability: expected one of "turn", "entry", "none", found "always"',
  ],
  ['{"extensions":"a.ts"}', 'extensions: expected a list, found "a.ts"'],
  ['{"skills":["a",1]}', "skills.1: expected a string, found 1"],
  ['{"sessionDir":""}', "sessionDir: expected a string, found an empty string"],
  ['{"hideThinking":"no"}', 'hideThinking: expected a boolean, found "no"'],
  [
    '{"retry":{"baseDelayMs":2147483648}}',
    "retry.baseDelayMs: expected a whole number from 0 to 2147483647, found 2147483648",
  ],
  [
    '{"retry":{"provider":{"timeoutMs":0}}}',
    "retry.provider.timeoutMs: expected a whole number from 1 to 2147483647, found 0",
  ],
  [
    '{"compaction":{"models":{"x/y":{"reserveTokens":0.5}}}}',
    "compaction.models.x/y.reserveTokens: expected a whole number from 1 on, found 0.5",
  ],
];

for (const [content, problem] of WRONG) {
  test(`loadSettings() refuses ${JSON.stringify(content)}`, async () => {
    using temp = new TempDirectory();
    const file = temp.write("settings.json", content);
    const error = await failure(loadSettings({ files: [file], env: ENV }));
    expect([error.code, error.file]).toEqual(["bad_settings", file]);
    expect(error.message).toBe(
      `Cannot read the settings in ${file}: ${problem}; correct or remove the file`,
    );
  });
}

const BROKEN: [name: string, problem: string][] = [
  [
    "settings.json",
    'line 3, column 20: expected a name in double quotes, found "/" (JSON has no comments)',
  ],
  ["array.json", "expected an object in braces, found a list"],
  [
    "auth.json",
    'line 1, column 44: expected "," or the end of the list or object, found the end of the file',
  ],
  ["binary.json", "it is not UTF-8 text"],
  ["empty.json", "it is empty, and at least {} was expected"],
];

for (const [name, problem] of BROKEN) {
  test(`settings: ${name} is reported and never written over (C124)`, async () => {
    using temp = new TempDirectory();
    const content = fs.readFileSync(path.join(CASES, "C124", name));
    const file = temp.write("settings.json", content);
    const expected = `Cannot read the settings in ${file}: ${problem}; correct or remove the file`;
    const errors = [
      await failure(loadSettings({ files: [file], env: ENV })),
      await failure(updateSettings(file, { defaultModel: "m" })),
    ];
    expect(errors.map(({ message }) => message)).toEqual([expected, expected]);
    expect(fs.readFileSync(file)).toEqual(content);
  });
}

test("settings: a file that cannot be read is reported and not replaced (C124)", async () => {
  using temp = new TempDirectory();
  const file = temp.write("settings.json", '{"defaultModel":"mine"}');
  const disk = denyFiles(file);
  const expected =
    `Cannot read the settings in ${file}: permission denied; correct or remove the file`;
  const errors = [
    await failure(loadSettings({ files: [file], env: ENV, fs: disk })),
    await failure(updateSettings(file, { defaultModel: "m" }, { fs: disk })),
  ];
  expect(errors.map(({ message }) => message)).toEqual([expected, expected]);
  expect(temp.read("settings.json")).toBe('{"defaultModel":"mine"}');
});

test("settings: a directory in the place of the file is reported", async () => {
  using temp = new TempDirectory();
  const file = temp.make("settings.json");
  const error = await failure(loadSettings({ files: [file], env: ENV }));
  expect(error.message).toContain("it is a directory");
});

test("updateSettings() changes what was asked for and keeps the rest, known or not", async () => {
  using temp = new TempDirectory();
  const file = temp.write(
    "settings.json",
    '\ufeff{"theme":"dark","retry":{"maxRetries":1,"x":2},"defaultModel":"a","compaction":null}',
  );
  await updateSettings(file, {
    defaultModel: "ü/😀",
    retry: { maxRetries: null, enabled: false },
    compaction: { enabled: false },
  });
  expect(temp.read("settings.json")).toBe(
    JSON.stringify(
      {
        theme: "dark",
        retry: { x: 2, enabled: false },
        defaultModel: "ü/😀",
        compaction: { enabled: false },
      },
      null,
      2,
    ) + "\n",
  );
});

test("updateSettings() makes the file and its directory, private", async () => {
  using temp = new TempDirectory();
  const file = temp.join("new", "settings.json");
  await updateSettings(file, { hideThinking: true });
  expect(temp.read("new/settings.json")).toBe('{\n  "hideThinking": true\n}\n');
  const modes = [file, path.dirname(file)].map((name) => fs.statSync(name).mode & 0o777);
  expect(modes).toEqual([0o600, 0o700]);
  expect(fs.readdirSync(temp.join("new")).sort()).toEqual(["settings.json", "settings.json.lock"]);
});

test("updateSettings() writes through a link to the file that it names", async () => {
  using temp = new TempDirectory();
  temp.write("dotfiles/settings.json", "{}");
  const file = temp.join("settings.json");
  fs.symlinkSync(temp.join("dotfiles/settings.json"), file);
  await updateSettings(file, { hideThinking: true });
  expect(fs.lstatSync(file).isSymbolicLink()).toBe(true);
  expect(temp.read("dotfiles/settings.json")).toContain("hideThinking");
});

test("updateSettings() loses no change of many at once", async () => {
  using temp = new TempDirectory();
  const file = temp.join("settings.json");
  const names = Array.from({ length: 20 }, (_, index) => `p/m${index}`);
  await Promise.all(
    names.map((name) =>
      updateSettings(file, { compaction: { models: { [name]: { enabled: true } } } })
    ),
  );
  const { settings } = await loadSettings({ files: [file], env: ENV });
  expect(Object.keys(settings.compaction.models).sort()).toEqual(names.sort());
});

test("updateSettings() says that another process is changing the file", async () => {
  using temp = new TempDirectory();
  const file = temp.write("settings.json", "{}");
  const lock = {
    acquire(): never {
      throw new SessionError("busy", "busy");
    },
  };
  const error = await failure(
    updateSettings(file, { hideThinking: true }, { lock, wait: { timeoutMs: 0 } }),
  );
  expect([error.code, error.message]).toEqual([
    "busy",
    `Cannot write ${file}: another process has been changing it; try again when it is done`,
  ]);
  expect(temp.read("settings.json")).toBe("{}");
});

test("updateSettings() leaves the old file when the disk is full", async () => {
  using temp = new TempDirectory();
  const file = temp.write("settings.json", '{"hideThinking":false}');
  const full = new FaultyFileSystem({ at: 1, failure: "ENOSPC", of: ["write"] });
  const error = await failure(updateSettings(file, { hideThinking: true }, { fs: full }));
  expect([error.code, error.message]).toEqual([
    "write_failed",
    `Cannot write ${file}: the disk is full; make that good and try again`,
  ]);
  expect(temp.read("settings.json")).toBe('{"hideThinking":false}');
  expect(fs.readdirSync(temp.path).sort()).not.toContain("settings.json.tmp");
});
