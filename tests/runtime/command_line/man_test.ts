import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { manPage } from "../../../lib/runtime/command_line/man.ts";
import { OPTIONS } from "../../../lib/runtime/command_line/options.ts";
import { ROOT } from "../../support/binary.ts";

const FILE = path.join(ROOT, "docs/bough.1");
const hasGroff = spawnSync("groff", ["--version"]).status === 0;

test("docs/bough.1 is what `npm run man` writes", () => {
  expect(fs.readFileSync(FILE, "utf8")).toBe(manPage(manifest.version));
});

test.skipIf(!hasGroff)("manPage() is roff that groff reads without a warning", () => {
  const run = spawnSync("groff", ["-man", "-Tutf8", "-ww"], {
    input: manPage("1.2.3"),
    encoding: "utf8",
    env: { ...process.env, GROFF_NO_SGR: "1" },
  });
  expect(run.stderr).toBe("");
  const shown = run.stdout.replace(/.\x08/g, "");
  expect(OPTIONS.filter(({ name }) => !shown.includes(`--${name}`))).toEqual([]);
  expect(shown).toContain("bough 1.2.3");
});
