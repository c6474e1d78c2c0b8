import { expect, test } from "bun:test";
import * as fs from "node:fs";
import * as path from "node:path";
import { ROOT } from "../support/binary.ts";
import manifest from "../../package.json" with { type: "json" };

function read(name: string): string {
  return fs.readFileSync(path.join(ROOT, name), "utf8");
}

test("package.json names exact versions", () => {
  const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

test("package-lock.json names no registry", () => {
  // With addresses in it, npm 12 does not match allowScripts, and bun is not installed.
  expect(read("package-lock.json")).not.toContain('"resolved"');
});

test("package-lock.json agrees with package.json", () => {
  const lock: unknown = JSON.parse(read("package-lock.json"));
  expect(lock).toMatchObject({
    version: manifest.version,
    packages: {
      "": { dependencies: manifest.dependencies, devDependencies: manifest.devDependencies },
    },
  });
});

test("deno.json has the version of package.json", () => {
  expect(JSON.parse(read("deno.json"))).toMatchObject({ version: manifest.version });
});

test("CHANGELOG.md has an entry for the version of package.json", () => {
  expect(read("CHANGELOG.md")).toContain(`## ${manifest.version}`);
});

test(".ci/run installs and tests, and can be executed", () => {
  expect(read(".ci/run")).toContain("npm ci && npm test");
  expect(fs.statSync(path.join(ROOT, ".ci/run")).mode & 0o111).not.toBe(0);
});

test("ARCHITECTURE.md has a line for each dependency", () => {
  const text = read("ARCHITECTURE.md");
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
