import { expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { listProviders, readKeys, removeKey, setKey } from "../../../lib/runtime/config/auth.ts";
import { ConfigError } from "../../../lib/runtime/config/errors.ts";
import { ROOT } from "../../support/binary.ts";
import { denyFiles } from "../../support/denied_files.ts";
import { TempDirectory } from "../../support/temp.ts";

const CASES = path.join(ROOT, "tests/fixtures/cases");

test("setKey() stores keys privately and keeps the others, whatever their type", async () => {
  using temp = new TempDirectory();
  temp.write("home/auth.json", '{"old":{"type":"oauth","refresh":"r"}}');
  const { home } = temp;
  await setKey({ home, provider: "anthropic" }, " sk-1\n");
  await setKey({ home, provider: "openai" }, "sk-2");
  await setKey({ home, provider: "anthropic" }, "sk-3");
  expect(JSON.parse(temp.read("home/auth.json"))).toEqual({
    old: { type: "oauth", refresh: "r" },
    anthropic: { type: "api_key", key: "sk-3" },
    openai: { type: "api_key", key: "sk-2" },
  });
  expect(fs.statSync(temp.join("home/auth.json")).mode & 0o777).toBe(0o600);
  expect(listProviders({ home })).toEqual(["anthropic", "openai"]);
});

test("removeKey() forgets one key and says whether there was one", async () => {
  using temp = new TempDirectory();
  const { home } = temp;
  expect(await removeKey({ home, provider: "openai" })).toBe(false);
  expect(fs.readdirSync(home)).toEqual([]);
  await setKey({ home, provider: "openai" }, "a");
  await setKey({ home, provider: "other" }, "b");
  expect(await removeKey({ home, provider: "openai" })).toBe(true);
  expect([...readKeys({ home })]).toEqual([["other", "b"]]);
});

const BROKEN: [name: string, content: string | Uint8Array, problem: string][] = [
  ...["auth.json", "empty.json", "array.json", "binary.json"].map((
    name,
  ): [string, Uint8Array, string] => [name, fs.readFileSync(path.join(CASES, "C124", name)), ""]),
  ["a bare key", '{"openai":"sk-secret"}', 'openai: expected an object with "type" and "key"'],
  [
    "a key of the wrong type",
    '{"openai":{"type":"api_key","key":5}}',
    "openai.key: expected a text that is not empty",
  ],
];

for (const [name, content, problem] of BROKEN) {
  test(`readKeys() reports ${name} (C124)`, () => {
    using temp = new TempDirectory();
    const file = temp.write("home/auth.json", content);
    const read = () => readKeys({ home: temp.home });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(`Cannot read the keys in ${file}: ${problem}`);
    expect(read).not.toThrow("sk-secret");
  });
}

test("setKey() does not write over a file that it cannot read (C124)", async () => {
  using temp = new TempDirectory();
  const content = fs.readFileSync(path.join(CASES, "C124", "auth.json"));
  const file = temp.write("home/auth.json", content);
  const set = setKey({ home: temp.home, provider: "openai" }, "k");
  await expect(set).rejects.toThrow(`Cannot read the keys in ${file}: line 1, column 44`);
  expect(fs.readFileSync(file)).toEqual(content);
  temp.write("home/auth.json", "{}");
  const denied = setKey({ home: temp.home, provider: "openai", fs: denyFiles(file) }, "k");
  await expect(denied).rejects.toThrow(`Cannot read the keys in ${file}: permission denied`);
  expect(temp.read("home/auth.json")).toBe("{}");
});

for (const key of ["", " \n", "a\nb", "a\u0000b", "sk-abc…xyz"]) {
  test(`setKey() refuses ${JSON.stringify(key)}`, async () => {
    using temp = new TempDirectory();
    const set = setKey({ home: temp.home, provider: "openai" }, key);
    await expect(set).rejects.toThrow("Cannot store the key of openai: it ");
    expect(fs.readdirSync(temp.home)).toEqual([]);
  });
}
