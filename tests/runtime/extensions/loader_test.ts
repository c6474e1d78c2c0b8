import { describe, expect, test } from "bun:test";
import { Extended } from "../../support/extended.ts";
import { TempDirectory } from "../../support/temp.ts";

/** The names of the commands that extensions make of what they import. */
async function commands(files: readonly string[]): Promise<string[]> {
  await using world = await Extended.open(files);
  expect(world.notices).toEqual([]);
  return world.runner.commands.map(({ name }) => name);
}

const registers = (name: string) =>
  `bough.registerCommand(${name}, { description: "", run() {} });`;

describe("loadExtensions()", () => {
  test("takes TypeScript, JavaScript and CommonJS, with what lies beside them", async () => {
    using temp = new TempDirectory();
    temp.write("ext/lib/name.ts", "export enum Name { Ts = 'typescript' }\n");
    temp.write("ext/data.json", '{ "name": "json" }');
    temp.write("ext/node_modules/pack/package.json", '{ "name": "pack", "main": "main.js" }');
    temp.write("ext/node_modules/pack/main.js", 'module.exports = "package";\n');
    temp.write("ext/package.json", '{ "name": "ext" }');
    const ts = temp.write(
      "ext/a.ts",
      `import { basename } from "node:path";
import pack from "pack";
import type { ExtensionApi } from "bough/api";
import { textOf } from "bough/api";
import data from "./data.json";
import { Name } from "./lib/name.ts";
export default function (bough: ExtensionApi): void {
  for (const name of [Name.Ts, data.name, pack, basename("/x/node"), textOf("api"), bough.name]) {
    ${registers("name")}
  }
}
`,
    );
    const js = temp.write(
      "ext/folder/index.js",
      `export default (bough) => { ${registers("bough.name")} };\n`,
    );
    const cjs = temp.write(
      "ext/c.cjs",
      `exports.default = (bough) => { ${registers('"commonjs"')} };\n`,
    );
    expect(await commands([ts, js, cjs])).toEqual([
      "typescript",
      "json",
      "package",
      "node",
      "api",
      "a",
      "folder",
      "commonjs",
    ]);
  });

  test("shares its own classes with extensions through bough/api", async () => {
    using temp = new TempDirectory();
    const file = temp.write(
      "ext/a.ts",
      `import { ToolError } from "bough/api";
export default (bough) => {
  ${registers("String(ToolError === bough.helpers.ToolError)")}
};
`,
    );
    expect(await commands([file])).toEqual(["true"]);
  });

  test("reads files, and what they import, as they are now each time", async () => {
    using temp = new TempDirectory();
    const file = temp.write(
      "ext/a.ts",
      `import { name } from "./lib/b.ts";\nexport default (bough) => { ${registers("name")} };\n`,
    );
    for (const name of ["first", "second", "third"]) {
      temp.write("ext/lib/b.ts", `export const name = "${name}";\n`);
      expect(await commands([file])).toEqual([name]);
    }
    temp.write("ext/a.ts", `export default (bough) => { ${registers('"own"')} };\n`);
    expect(await commands([file])).toEqual(["own"]);
  });

  const wrong: [string, string, (file: string) => string][] = [
    [
      "no default export",
      "export const x = 1;\n",
      () => "it has no default export that is a function",
    ],
    [
      "a syntax error",
      "export default (bough) => {\n  const = 1;\n};\n",
      (file) => `${file}:2:9: Expected identifier but found "="`,
    ],
    [
      "a missing import",
      'import "./nowhere.ts";\nexport default () => {};\n',
      (file) => `Cannot find module './nowhere.ts' imported from ${file}`,
    ],
    ["a throw at its top", 'throw new Error("no luck");\n', () => "no luck"],
  ];
  test.each(wrong)(
    "skips an extension with %s, says why, and loads the others",
    async (_, source, why) => {
      using temp = new TempDirectory();
      const bad = temp.write("ext/bad.ts", source);
      const good = temp.write(
        "ext/good.ts",
        `export default (bough) => { ${registers('"ok"')} };\n`,
      );
      await using world = await Extended.open([bad, good]);
      expect(world.notices).toEqual([
        [`Cannot load the extension ${bad}, so it is skipped: ${why(bad)}`],
      ]);
      expect(world.runner.commands.map(({ name }) => name)).toEqual(["ok"]);
    },
  );
});
