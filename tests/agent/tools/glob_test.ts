import { expect, test } from "bun:test";
import { globTest } from "../../../lib/agent/tools/glob.ts";

const rows: [glob: string, yes: string[], no: string[]][] = [
  ["*.ts", ["a.ts", "b/c/a.ts", ".ts"], ["a.tsx", "a.ts/b"]],
  ["src/*.ts", ["src/a.ts"], ["a.ts", "src/b/a.ts", "x/src/a.ts"]],
  ["src/**/*.ts", ["src/a.ts", "src/b/c/a.ts"], ["src/a.js", "srcs/a.ts"]],
  ["**/test/*", ["test/a", "b/test/a"], ["test/a/b"]],
  ["./a.ts", ["a.ts"], ["b.ts"]],
  ["/a.ts", ["a.ts"], ["b/a.ts"]],
  ["src/", ["src/a", "src/b/c"], ["a", "src"]],
  ["?.md", ["a.md", "é.md", "🦀.md"], ["ab.md"]],
  ["[a-c].md", ["b.md"], ["d.md", "-.md"]],
  ["[!a-c].md", ["d.md"], ["b.md"]],
  ["[]x].md", ["].md", "x.md"], ["y.md"]],
  ["*.{ts,{js,mjs}}", ["a.ts", "a.mjs"], ["a.css"]],
  ["a\\*b", ["a*b"], ["aXb"]],
  ["a+(b).$^|", ["a+(b).$^|"], ["aab"]],
  ["!*.ts", ["a.js"], ["a.ts"]],
  ["**", ["a", "b/c"], []],
];
for (const [glob, yes, no] of rows) {
  test(`globTest() tells what ${glob} fits`, () => {
    const fits = globTest(glob);
    expect([...yes, ...no].filter(fits)).toEqual(yes);
  });
}

for (const glob of ["[a", "{a,b", "a}b{"]) {
  test(`globTest() refuses ${glob}`, () => {
    expect(() => globTest(glob)).toThrow("Cannot use the glob");
  });
}
